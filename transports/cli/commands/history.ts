import type { Command } from 'commander'
import { historyRequest, readForm, requestReading } from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import { type Flags, requestForm } from '../flags.ts'
import { folderCalls } from '../folder-service.ts'
import { historyText } from '../output/history-text.ts'
import { commandCalls, remoteServer, serverOptions } from '../remote-server.ts'
import { dataOption, examples, responseOption, timeHelp } from './shared-options.ts'

export function addHistoryCommand(program: Command): void {
  const command = program
    .command('history')
    .description('list the versions of a page, oldest first, and what each changed')
    .argument('<url>', 'address of the page')
    .option('--query-time <time>', 'only versions up to this time (default: now)')
    .option('--limit <n>', 'number of versions to list, 1 to 1000 (default: 100)')
    .option('--after <cursor>', 'continue an earlier list from the cursor that it ended with')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText('after', examples('asof history https://docs.example.com/pools'))
    .action(async (url: string, flags: Flags) => {
      const { url: _, ...form } = requestForm(historyRequest, flags)
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const reading = requestReading('history', remote ? undefined : folderCalls(context))
      const request = await readForm(historyRequest, { ...form, url }, reading)
      const { body: history } = await commandCalls(remote, context).answer('history', request)
      const shown = { color: context.color, isContinued: request.after !== undefined }
      context.print(context.json ? JSON.stringify(history) : historyText(history, shown))
    })
  for (const option of serverOptions) command.option(...option)
}
