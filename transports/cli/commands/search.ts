import { checkSearch } from '@asof/core/internal'
import type { Command } from 'commander'
import { engineOptions, engineQuery, readForm, requestReading, searchRequest } from '../../../service/index.ts'
import { commandContext } from '../command-context.ts'
import { type Flags, requestForm } from '../flags.ts'
import { folderCalls } from '../folder-service.ts'
import { explainText, receiptText } from '../output/explain-text.ts'
import { searchText } from '../output/result-text.ts'
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

/**
 * Adds advice to commander's error for a word that begins with a dash. Such a word excludes results in a query, but commander
 * takes it for an option.
 */
function adviseOnDashes(command: Command): void {
  const { outputError } = command.configureOutput()
  const advice = `put -- before the words if one starts with a dash, and options before the --: asof search --`
  command.configureOutput({
    outputError: (text, write) =>
      outputError?.(text.replace(/^error: unknown option '(-[^-].*)'/, `$&; ${advice} '$1'`), write),
  })
}

export function addSearchCommand(program: Command): void {
  const command = program
    .command('search')
    .description('search the pages of the data folder, as of now or of any moment in the past')
    .argument(
      '<query...>',
      'words, "phrases", -exclusions, site:domain, the URL of one page, or * for all pages; quoted for the shell',
    )
    .option(
      '--mode <mode>',
      'pro (best ranking), realtime (fastest), realtime_content (with the text of each page), or webql (full query language) (default: pro)',
    )
  for (const option of filterOptions) command.option(...option)
  command
    .option('--query-time <time>', 'search the index as it was at this time (default: now)')
    .option(...languageOption)
    .option('--typing', 'also find words that begin like the last one, and words with typos')
  for (const option of wordOptions) command.option(...option)
  command
    .option('--snippet-max-length <n>', 'length of the excerpts in characters, 180 to 10000 (default: 600)')
    .option('--max-results <n>', 'number of results, 1 to 50 (default: 10)')
    .option('--facets <fields>', 'count all matches by fields, such as tags,price:10,released:month')
    .option('--max-facet-values <n>', 'values of each facet, 1 to 1000 (default: 100)')
    .option('--sort <order>', 'score (default), or a field, published_at or acquired_at with :asc or :desc')
    .option('--offset <n>', 'leave out this many first results, 0 to 10000')
    .option('--cursor <text>', 'continue the answer that printed this cursor')
    .option('--enable-wizards', 'add structured answers, such as prices, where pages have them')
    .option(
      '--include <parts>',
      'add to each result: citation (a permanent link and a line to paste), content, author, last_seen_at, passages, score; separated by commas',
    )
    .option(
      '--content-max-chars <n>',
      'length of the content of each result in characters, 1 to 50000 (default: 10000)',
    )
    .option(
      '--passages-max-chars <n>',
      'length of the passages of each result together, in UTF-16 units, 180 to 10000 (default: 600)',
    )
    .option('--passage-max-chars <n>', 'length of each of these passages, 180 to 2000 (default: 2000)')
    .option('--passages-query <text>', 'what these passages are to answer (default: the query)')
    .option('--explain', 'show the time of each step, the parts of each score and the receipt')
    .option(...dataOption)
    .option(...responseOption)
    .addHelpText('after', timeHelp)
    .addHelpText(
      'after',
      examples(
        `asof search '"connection pool" -legacy' --query-time 2025-03-01`,
        'asof search release notes --published-after 30d --json',
        'asof search --json -- heron -grey',
      ),
    )
    .action(async (words: string[], flags: Flags) => {
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env)
      const form = { query: words.join(' '), ...requestForm(searchRequest, flags) }
      const request = await readForm(
        searchRequest,
        form,
        requestReading('search', remote ? undefined : folderCalls(context)),
      )
      // The request is checked first, so that a bad request is reported even if the data folder is missing.
      if (!remote) checkSearch(engineQuery(request), engineOptions(request), context.now())
      const calls = commandCalls(remote, context)
      const { body: response, receipt } = await calls.answer('search', request, { keyed: true })
      if (context.json) return context.print(JSON.stringify({ ...response, receipt }))
      // A cursor continues an answer as of its moment.
      const isOfPast = request.query_time !== undefined || request.cursor !== undefined
      context.print(searchText(response, context.color, isOfPast ? receipt?.instant : undefined))
      if (response.explain) context.print(`\n${explainText(response, response.explain)}`)
      if (request.explain && receipt) context.print(receiptText(receipt))
    })
  for (const option of serverOptions) command.option(...option)
  adviseOnDashes(command)
}
