import type { Command } from 'commander'
import { fieldsRequest, parseForm } from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import { type Flags, requestForm } from '../flags.ts'
import { fieldsText } from '../output/fields-text.ts'
import { commandCalls, remoteServer, serverOptions } from '../remote-server.ts'
import { dataOption, examples, responseOption, timeHelp } from './shared-options.ts'

export function addFieldsCommand(program: Command): void {
  const command = program
    .command('fields')
    .description('list the fields that pages have, with their types and examples of values')
    .option('--query-time <time>', 'the fields of the pages at this time (default: now)')
    .option('--max-examples <n>', 'examples of each field, 0 to 20 (default: 5)')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText('after', examples('asof fields', 'asof fields --query-time 2025-03-01 --json'))
    .action(async (flags: Flags) => {
      const request = parseForm(fieldsRequest, requestForm(fieldsRequest, flags))
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const { body: answer } = await commandCalls(remote, context).answer('fields', request)
      context.print(context.json ? JSON.stringify(answer) : fieldsText(answer))
    })
  for (const option of serverOptions) command.option(...option)
}
