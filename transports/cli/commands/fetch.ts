import type { Command } from 'commander'
import { type FetchResponse, fetchRequest, printable, readForm, requestReading } from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import { type Flags, requestForm } from '../flags.ts'
import { folderCalls } from '../folder-service.ts'
import { commandCalls, remoteServer, serverOptions } from '../remote-server.ts'
import { folderSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { dataOption, examples, liveOptions, modelOptions, responseOption, timeHelp } from './shared-options.ts'

/** Returns a page as text. @param isPast - true for a past version; the text then says when the version was current. */
function pageText(page: FetchResponse, isPast: boolean): string {
  const { title, url, author, published_at, acquired_at, superseded_at, fields, content, citation } = page
  const by = [author, published_at?.slice(0, 10)].filter(part => part !== undefined).join(', ')
  const lines = [title, url]
  if (by !== '') lines.push(by)
  if (isPast)
    lines.push(`acquired ${acquired_at}, ${superseded_at === undefined ? 'current' : `superseded ${superseded_at}`}`)
  if (fields !== undefined) lines.push(`fields: ${JSON.stringify(fields)}`)
  lines.push('', content)
  if (citation) lines.push('', citation.text)
  return printable(lines.join('\n'))
}

export function addFetchCommand(program: Command): void {
  const command = program
    .command('fetch')
    .description('print a page as Markdown, from the index or live from its source')
    .argument('<url>', 'address of the page')
    .option('--live', 'fetch the page from its source now, indexed or not')
    .option('--query-time <time>', 'print the page as it was at this time; not with --live (default: now)')
    .option('--max-chars <n>', 'cut the content after <n> characters (default: 50000)')
    .option(
      '--include <parts>',
      'citation: add a permanent link to the page, and a line to paste; with --json also metadata',
    )
    .option('--prompt <text>', 'print only what the page says to this question or instruction')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText(
      'after',
      examples(
        'asof fetch https://docs.example.com/pools --query-time 2025-03-01',
        `asof fetch https://docs.example.com/pools --live --prompt 'list the defaults'`,
      ),
    )
    .action(async (url: string, flags: Flags) => {
      if (flags.live === true && flags.queryTime !== undefined) {
        throw new UsageError('--live prints the page as it is now, --query-time as it was then: use one of them')
      }
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const form = { ...requestForm(fetchRequest, flags), url }
      const request = await readForm(
        fetchRequest,
        form,
        requestReading('fetch', remote ? undefined : folderCalls(context)),
      )
      const { body: page } = await commandCalls(remote, context).answer('fetch', request)
      context.print(context.json ? JSON.stringify(page) : pageText(page, request.query_time !== undefined))
    })
  addSettingOptions(command, folderSettings.allowPrivate, ...modelOptions, ...liveOptions)
  for (const option of serverOptions) command.option(...option)
}
