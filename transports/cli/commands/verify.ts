import type { Command } from 'commander'
import { parseRequest, verifyRequest } from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { verdictText } from '../output/verdict-text.ts'
import { commandCalls, remoteServer, serverOptions } from '../remote-server.ts'
import { dataOption, examples, responseOption, timeHelp } from './shared-options.ts'

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .description('check whether a page has the words of a quote, and when it had them')
    .argument('<url>', 'address of the page')
    .argument('<quote>', 'the words; … or ... stands for words that were left out')
    .option('--query-time <time>', 'judge by what the index had at this time (default: now)')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText('after', examples('asof verify https://docs.example.com/pools "closes after 10 s"'))
    .action(async (url: string, quote: string, flags: Flags) => {
      const context = await commandContext(flags)
      const request = parseRequest(verifyRequest, { quotes: [{ url, quote, query_time: flags.queryTime }] })
      const calls = commandCalls(remoteServer(flags, process.env), context)
      const { body: response } = await calls.answer('verify', request)
      const [verdict] = response.verdicts
      context.print(context.json || !verdict ? JSON.stringify(response) : verdictText(verdict))
      if (verdict?.verdict !== 'verbatim') process.exitCode = 1
    })
  for (const option of serverOptions) command.option(...option)
}
