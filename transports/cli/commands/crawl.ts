import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Corpus, CrawlEvent, CrawlReport } from '../../../crawler/index.ts'
import type { DataFolder } from '../../service/data-folder/data-folder.ts'
import { commandContext, withSharedData } from '../command-context.ts'
import { crawlSummary, progressJson, progressText } from '../output/crawl-text.ts'
import { crawlLimits } from '../settings/crawl-limits.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

/** The crawls that the arguments ask for: all URLs are one, each corpus file is its own. */
async function crawlsOf(targets: string[]): Promise<(Corpus | string[])[]> {
  const { loadCorpus } = await import('../../../crawler/index.ts')
  const urls: string[] = []
  const corpora: Corpus[] = []
  for (const target of targets) {
    if (/^https?:\/\//i.test(target)) urls.push(target)
    else if ((await stat(target).catch(() => undefined))?.isFile()) corpora.push(await loadCorpus(target))
    else throw new UsageError(`${target}: neither an http(s) URL nor a corpus file`)
  }
  return [...(urls.length > 0 ? [urls] : []), ...corpora]
}

export function addCrawlCommand(program: Command): void {
  program
    .command('crawl')
    .description('crawl from URLs, or as corpus files say; the same command again resumes, then re-visits')
    .argument('<url|corpus.json...>')
    .option('--max-pages <n>', 'pages to fetch in this run at most')
    .option('--max-depth <n>', 'links to follow from a seed at most')
    .option('--delay-ms <ms>', 'pause between requests to a host; default 1000')
    .option('--concurrency <n>', 'requests under way at a time, each to another host; default 16')
    .option('--watch', 'keep the corpora fresh: visit pages again when they are due, until interrupted')
    .option('--allow-private', 'allow fetching loopback and private addresses (env ASOF_ALLOW_PRIVATE)')
    .option('--retain <time>', 'let go what was superseded longer ago, such as 90d or 2y (env ASOF_RETAIN)')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print the report as JSON, and progress as JSON lines on standard error')
    .action(async (targets: string[], flags: Flags) => {
      const limits = crawlLimits(flags)
      const crawls = await crawlsOf(targets)
      const context = await commandContext(flags)
      const { progress } = context
      const reports: CrawlReport[] = []
      const watch = flags.watch === true
      const text = (event: CrawlEvent) => (context.json ? progressJson(event) : progressText(event))
      const onProgress = (event: CrawlEvent) => progress.update(() => text(event))
      const crawlAll = async (folder: DataFolder, signal: AbortSignal) => {
        const run = async (corpus: Corpus | string[]) => {
          reports.push(
            await folder.crawl({ corpus, limits: { ...limits, ...(watch ? { watch } : {}) }, signal, onProgress }),
          )
        }
        // Crawls that watch never end: they go on side by side.
        if (watch) await Promise.all(crawls.map(run))
        else for (const corpus of crawls) if (!signal.aborted) await run(corpus)
      }
      await withSharedData(context, crawlAll, { create: true })
      if (context.json) context.print(JSON.stringify(reports.length === 1 ? reports[0] : reports))
      else for (const report of reports) context.print(crawlSummary(report))
      // A crawl that watches ends by being stopped.
      const done = watch || reports.every(report => report.finished)
      if (reports.length < crawls.length || !done) process.exitCode = 1
    })
}
