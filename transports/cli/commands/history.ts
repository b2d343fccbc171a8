import type { Command } from 'commander'
import { createService, historyReading, historyRequest, readForm } from '../../service/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { folderChecks } from '../folder-checks.ts'
import { historyText } from '../output/history-text.ts'
import { remoteServer, serverOptions } from '../remote-server.ts'
import { requestForm } from '../request-form.ts'
import type { Flags } from '../settings/settings.ts'

export function addHistoryCommand(program: Command): void {
  const command = program
    .command('history')
    .description('list the versions of a page and what each changed')
    .argument('<url>')
    .option('--query-time <time>', 'only what had happened by this moment')
    .option('--limit <n>', 'versions to list, 1 to 1000; default 100')
    .option('--after <cursor>', 'continue behind an earlier list: its "next"')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print the response of the API')
    .action(async (url: string, flags: Flags) => {
      const { url: _, ...form } = requestForm(historyRequest, flags)
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const reading = historyReading(remote ? undefined : folderChecks(context))
      const request = await readForm(historyRequest, { ...form, url }, reading)
      const history = remote
        ? await remote.client.history(request)
        : await withData(context, ({ engine, readLive }) => createService(engine, readLive).history(request))
      const shown = { colour: context.colour, isContinued: request.after !== undefined }
      context.print(context.json ? JSON.stringify(history) : historyText(history, shown))
    })
  for (const [option, about] of serverOptions) command.option(option, about)
}
