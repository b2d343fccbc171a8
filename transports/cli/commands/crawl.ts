import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Corpus, CrawlEvent, CrawlReport } from '../../../crawler/index.ts'
import type { CrawlLimits } from '../../../service/crawls/index.ts'
import type { DataFolder } from '../../../service/data-folder/index.ts'
import type { Client, CrawlAnswer } from '../../client/index.ts'
import { type CommandContext, commandContext, onInterrupt, withSharedData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import { type Flags, flagKey, flagName } from '../flags.ts'
import { crawlSummary, progressJson, progressText, serverCrawlText, storedNothing } from '../output/crawl-text.ts'
import { administeredOption, administeredServer } from '../remote-server.ts'
import { folderSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import type { DefinitionFlags } from './crawl-definition.ts'
import { clusterOptions, dataOption, examples, vectorsIn, vectorsOption } from './shared-options.ts'

/** The flags that limit a crawl, with the lowest value of each. */
const limitFlags = { max_pages: 1, max_depth: 0, delay_ms: 0, concurrency: 1 } as const

/** Collects the values of a flag that may be repeated. */
function repeated(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Reads the limits of a crawl from its flags. @throws UsageError - a value is out of range; the message names the flag. */
function crawlLimits(flags: Flags): CrawlLimits {
  const limits = Object.entries(limitFlags).map(([name, min]) => {
    const value = flags[flagKey(name)]
    if (value !== undefined && !(/^\d{1,9}$/.test(String(value)) && Number(value) >= min))
      throw new UsageError(`${flagName(name)}: must be a whole number, at least ${min}`)
    return [flagKey(name), value === undefined ? undefined : Number(value)]
  })
  return Object.fromEntries(limits)
}

/**
 * Returns the crawls that the arguments name, as the flags define them. All URLs together are one crawl. Each corpus file is another
 * crawl.
 */
async function crawlsOf(targets: string[], flags: DefinitionFlags): Promise<Corpus[]> {
  const { corpusOfSeeds, loadCorpus } = await import('../../../crawler/index.ts')
  const { withFlags } = await import('./crawl-definition.ts')
  const urls: string[] = []
  const corpora: Corpus[] = []
  for (const target of targets) {
    if (/^https?:\/\//i.test(target)) urls.push(target)
    else if ((await stat(target).catch(() => undefined))?.isFile()) corpora.push(await loadCorpus(target))
    else throw new UsageError(`${target} is neither an http or https URL nor a corpus file`)
  }
  if (urls.length > 0) corpora.unshift(corpusOfSeeds(urls))
  return corpora.map(corpus => withFlags(corpus, flags))
}

/** The settings of the folder into which a server crawls: they are those of the server. */
const ofFolder = [folderSettings.allowPrivate, folderSettings.retain, ...clusterOptions]

/** Crawls on a server, which stores the pages in its index, and follows the crawls until they end. */
async function crawlThere(
  server: Client,
  crawls: readonly Corpus[],
  limits: CrawlLimits,
  context: CommandContext,
  flags: Flags,
): Promise<void> {
  const stray = ofFolder.find(({ name }) => flags[flagKey(name)] !== undefined)
  if (stray) throw new UsageError(`${flagName(stray.name)} is a setting of the server that --url names: set it there`)
  const { crawlOnServer } = await import('../server-crawl.ts')
  const { progress } = context
  const signal = onInterrupt(line => progress.line(`asof: ${line}`))
  const onProgress = (crawl: CrawlAnswer) =>
    progress.update(() => (context.json ? JSON.stringify(crawl) : serverCrawlText(crawl)))
  const ended: CrawlAnswer[] = []
  const run = async (corpus: Corpus) => {
    ended.push(await crawlOnServer(server, corpus, limits, { signal, onProgress }))
  }
  if (limits.watch) await Promise.all(crawls.map(run))
  else for (const corpus of crawls) if (!signal.aborted) await run(corpus)
  if (context.json) context.print(JSON.stringify(ended.length === 1 ? ended[0] : ended))
  else for (const crawl of ended) context.print(serverCrawlText(crawl))
  const isDone = ({ state, report }: CrawlAnswer): boolean =>
    state === 'finished' && report !== null && report.known.done !== 0
  if (ended.length < crawls.length || !(limits.watch || ended.every(isDone))) process.exitCode = 1
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command('crawl')
    .description('fetch pages into the index; run again to resume, and later to re-visit the pages')
    .argument('<url|corpus.json...>', 'URLs to start from (together one crawl), or corpus files (a crawl each)')
    .option('--max-pages <n>', 'pages to fetch in this run (default: no limit)')
    .option('--max-depth <n>', 'links to follow from a start URL (default: 32)')
    .option('--delay-ms <ms>', 'pause between two requests to a host, in milliseconds (default: 1000)')
    .option('--concurrency <n>', 'concurrent requests, each to another host (default: 16)')
    .option('--watch', 'keep running, and re-visit pages when they are due, until Ctrl-C')
    .option('--include <path>', 'only URLs with this path, such as /docs/; * is any text; may be repeated', repeated)
    .option('--exclude <path>', 'no URLs with this path, such as /*/print; may be repeated', repeated)
    .option('--user-agent <text>', 'the User-Agent header; robots.txt is read for the name that it begins with')
    .option(
      '--header <header>',
      'header "Name: value" to send to the sites of the start URLs; may be repeated',
      repeated,
    )
    .option(...vectorsOption)
    .option(...administeredOption)
    .option(...dataOption)
    .option('--json', 'print the report as one JSON document, and progress as JSON lines on standard error')
  addSettingOptions(command, ...ofFolder)
  command
    .addHelpText(
      'after',
      examples('asof crawl https://docs.example.com/ --max-pages 500', 'asof crawl news.corpus.json --watch'),
    )
    .action(async (targets: string[], { header, include, exclude, userAgent, ...flags }: Flags & DefinitionFlags) => {
      const server = administeredServer(flags, process.env)
      const limits = { ...crawlLimits(flags), vectors: vectorsIn(flags, server !== undefined) }
      const crawls = await crawlsOf(targets, { header, include, exclude, userAgent })
      const context = await commandContext(flags)
      const { progress } = context
      if (server) return await crawlThere(server, crawls, { ...limits, watch: flags.watch === true }, context, flags)
      const data = typeof flags.data === 'string' ? flags.data : undefined
      const reports: CrawlReport[] = []
      const watch = flags.watch === true
      const text = (event: CrawlEvent) => (context.json ? progressJson(event) : progressText(event))
      const onProgress = (event: CrawlEvent) => progress.update(() => text(event))
      const crawlAll = async (folder: DataFolder, signal: AbortSignal) => {
        const run = async (corpus: Corpus) => {
          reports.push(
            await folder.crawl({ corpus, limits: { ...limits, watch: watch || undefined }, signal, onProgress }),
          )
        }
        // With `--watch` no crawl ends by itself, so the crawls run at the same time.
        if (watch) await Promise.all(crawls.map(run))
        else for (const corpus of crawls) if (!signal.aborted) await run(corpus)
      }
      await withSharedData(context, crawlAll, { create: true })
      if (context.json) context.print(JSON.stringify(reports.length === 1 ? reports[0] : reports))
      else for (const report of reports) context.print(crawlSummary(report, data))
      // With `--watch` a crawl ends only when the user stops it, which is not a failure.
      const done = watch || reports.every(report => report.finished && !storedNothing(report))
      if (reports.length < crawls.length || !done) process.exitCode = 1
    })
}
