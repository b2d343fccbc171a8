import type { Command } from 'commander'
import {
  createService,
  type FetchResponse,
  fetchReading,
  fetchRequest,
  printable,
  readForm,
} from '../../service/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { folderChecks } from '../folder-checks.ts'
import { remoteServer, serverOptions } from '../remote-server.ts'
import { requestForm } from '../request-form.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

/** @param isPast - whether a past version was asked for: then the text says from when to when it was current. */
function pageText(page: FetchResponse, isPast: boolean): string {
  const { title, url, author, published_at, acquired_at, superseded_at, content } = page
  const by = [author, published_at?.slice(0, 10)].filter(part => part !== undefined).join(', ')
  const current = `acquired ${acquired_at}, ${superseded_at === undefined ? 'current' : `superseded ${superseded_at}`}`
  return printable([title, url, ...(by === '' ? [] : [by]), ...(isPast ? [current] : []), '', content].join('\n'))
}

export function addFetchCommand(program: Command): void {
  const command = program
    .command('fetch')
    .description('print a page as markdown, from the index or live')
    .argument('<url>')
    .option('--live', 'fetch from the source, also what is not indexed')
    .option('--query-time <time>', 'as of this moment: 2026-01-31, a timestamp, or a delta back such as 7d')
    .option('--max-chars <n>', 'cut longer content; default 50000')
    .option('--prompt <text>', 'an instruction to answer from the page')
    .option(
      '--llm-url <url>',
      'who answers it: an OpenAI-compatible endpoint (env ASOF_LLM_URL); else the built-in reader',
    )
    .option('--llm-model <name>', 'env ASOF_LLM_MODEL; its key is ASOF_LLM_API_KEY')
    .option('--allow-private', 'allow fetching loopback and private addresses')
    .option('--store-live', 'keep pages that are fetched live in the index (env ASOF_STORE_LIVE, default off)')
    .option('--live-robots', 'ask robots.txt before a page is fetched live (env ASOF_LIVE_ROBOTS, default off)')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print the response of the API')
    .action(async (url: string, flags: Flags) => {
      if (flags.live === true && flags.queryTime !== undefined) {
        throw new UsageError('--live reads the page as it is now and --query-time as it was: give one of them')
      }
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const form = { ...requestForm(fetchRequest, flags), url }
      const request = await readForm(fetchRequest, form, fetchReading(remote ? undefined : folderChecks(context)))
      const page = remote
        ? await remote.client.fetch(request)
        : await withData(context, ({ engine, readLive, reader }) =>
            createService(engine, readLive, { reader }).fetch(request),
          )
      context.print(context.json ? JSON.stringify(page) : pageText(page, request.query_time !== undefined))
    })
  for (const [option, about] of serverOptions) command.option(option, about)
}
