import { checkSearch } from '@asof/core'
import type { Command } from 'commander'
import { createService, engineOptions, readForm, searchReading, searchRequest } from '../../service/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { folderChecks } from '../folder-checks.ts'
import { explainText } from '../output/explain-text.ts'
import { searchText } from '../output/result-text.ts'
import { remoteServer, serverOptions } from '../remote-server.ts'
import { requestForm } from '../request-form.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

export function addSearchCommand(program: Command): void {
  const command = program
    .command('search')
    .description('search the pages of the data folder')
    .argument('<query...>', 'words, "phrases", -exclusions (after --), site:domain, or the URL of one page')
    .option('--mode <mode>', 'pro, realtime, or webql for the full query language')
    .option('--site <domain>', 'one domain and its subdomains')
    .option('--acquired-after <time>', 'indexed at or after: 2026-01-31, a timestamp, or a delta back such as 2h, 7d')
    .option('--acquired-before <time>', 'indexed at or before')
    .option('--published-after <time>', 'published at or after')
    .option('--published-before <time>', 'published at or before')
    .option('--query-time <time>', 'answer as of this moment')
    .option('--language <tag>', 'of the query, such as de or pt-BR; default: what its words tell')
    .option('--snippet-max-length <n>', '180 to 10000 characters')
    .option('--max-results <n>', '1 to 50')
    .option('--enable-wizards', 'structured outputs')
    .option('--explain', 'where the time went and what the scores are made of')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print the response of the API')
    .action(async (words: string[], flags: Flags) => {
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const form = { query: words.join(' '), ...requestForm(searchRequest, flags) }
      const request = await readForm(searchRequest, form, searchReading(remote ? undefined : folderChecks(context)))
      const explained = flags.explain === true
      if (explained && context.json) throw new UsageError('--explain is for readers: it does not go with --json')
      if (explained && remote) throw new UsageError('--explain looks into a data folder: it does not go with a server')
      // Whatever the folder holds: a bad request is said first.
      if (!remote) checkSearch(request.query, engineOptions(request), context.now())
      const { response, explain } = remote
        ? { response: await remote.client.search(request) }
        : await withData(context, folder =>
            createService(folder.engine, folder.readLive).search(request, { explain: explained, keyed: true }),
          )
      context.print(context.json ? JSON.stringify(response) : searchText(response, context.colour))
      if (explain) context.print(`\n${explainText(response, explain)}`)
    })
  for (const [option, about] of serverOptions) command.option(option, about)
}
