import { checkSearch } from '@asof/core/internal'
import type { Command } from 'commander'
import {
  engineOptions,
  engineQuery,
  passagesRequest,
  readForm,
  requestReading,
  searchOf,
} from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import { type Flags, requestForm } from '../flags.ts'
import { folderCalls } from '../folder-service.ts'
import { passagesText } from '../output/passages-text.ts'
import { commandCalls, remoteServer, serverOptions } from '../remote-server.ts'
import {
  dataOption,
  examples,
  filterOptions,
  languageOption,
  responseOption,
  timeHelp,
  wordOptions,
} from './shared-options.ts'

export function addPassagesCommand(program: Command): void {
  const command = program
    .command('passages')
    .description('print the passages of all pages that answer a query, up to a number of characters or tokens')
    .argument('<query...>', 'words, "phrases", -exclusions, site:domain; quoted for the shell')
    .option('--max-chars <n>', 'characters of all passages together, 180 to 50000')
    .option(
      '--max-tokens <n>',
      'tokens of all passages together, 50 to 50000 (default: 2000, unless --max-chars is given)',
    )
    .option('--max-per-page <n>', 'passages of one page, 1 to 100 (default: any number)')
    .option('--mode <mode>', 'pro (best ranking), realtime (fastest), or webql (full query language) (default: pro)')
  for (const option of filterOptions) command.option(...option)
  command
    .option('--query-time <time>', 'answer by the index as it was at this time (default: now)')
    .option(...languageOption)
  for (const option of wordOptions) command.option(...option)
  command
    .option('--include <parts>', 'citation: add a permanent link to each passage, and a line to paste')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText('after', examples('asof passages how long does the pool keep connections --max-tokens 1000'))
    .action(async (words: string[], flags: Flags) => {
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const form = { query: words.join(' '), ...requestForm(passagesRequest, flags) }
      const request = await readForm(
        passagesRequest,
        form,
        requestReading('passages', remote ? undefined : folderCalls(context)),
      )
      // The request is checked first, so that a bad request is reported even if the data folder is missing.
      const search = searchOf(request)
      if (!remote) checkSearch(engineQuery(search), engineOptions(search), context.now())
      const calls = commandCalls(remote, context)
      const { body: response, receipt } = await calls.answer('passages', request, { keyed: true })
      if (context.json) return context.print(JSON.stringify({ ...response, receipt }))
      context.print(
        passagesText(response, context.color, request.query_time === undefined ? undefined : receipt?.instant),
      )
    })
  for (const option of serverOptions) command.option(...option)
}
