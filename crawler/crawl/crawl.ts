import { type Engine, ExtractPool } from '@asof/core'
import { messageOf, optionsIn } from '@asof/extract/errors'
import { type CorpusInput, corpusOfSeeds, parseCorpus } from '../corpus/corpus.ts'
import { corpusRequests, userAgentOf } from '../corpus/corpus-requests.ts'
import { Fetcher, type FetcherOptions, fetcherOptionKinds } from '../fetch/fetcher.ts'
import { type Renderer, startRenderer } from '../rendering/renderer.ts'
import type { CrawlReport } from '../report/crawl-report.ts'
import { systemTimers, type Timers } from '../timers.ts'
import { openFrontier } from './crawl-frontier.ts'
import { type CrawlEntry, recordCrawl } from './crawl-journal.ts'
import { type CrawlOptions, readCrawlOptions } from './crawl-options.ts'
import { CrawlRun } from './crawl-run.ts'
import { FailureLog } from './failure-log.ts'

export type { CrawlEvent, CrawlOptions } from './crawl-options.ts'

/**
 * Crawls a corpus into an engine. Fetches what the scope and robots.txt allow, follows links, sitemaps and feeds, and
 * adds a capture for each new or changed page. Resolves when the run is complete or stopped.
 *
 * An unfinished run of the same corpus is resumed, and does not fetch pages again whose captures are in the index.
 * After a finished run, a new run visits every known page again with a conditional request. With `watch`, each page is
 * visited when it is due. Two corpora are the same if their names are equal. Two lists of seeds are the same if they
 * have the same URLs.
 *
 * @param corpus - a definition, or a list of seed URLs whose hosts are the scope.
 * @throws ASOF_CORPUS_INVALID - before anything is fetched.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type; before anything is fetched.
 * @throws ASOF_RENDERER_MISSING - the corpus asks for rendering, but Chromium or `playwright-core` is missing.
 * @throws ASOF_STORE_LOCKED - the same corpus is being crawled already; with `database`, in another way.
 * @throws ASOF_LEASE_LOST - with `database`: this crawler did not reach it until its lease ended.
 * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the engine or the frontier failed. Captures that were
 *   committed are kept.
 */
export async function crawl(engine: Engine, corpus: CorpusInput | string[], given: CrawlOptions): Promise<CrawlReport> {
  const options = readCrawlOptions(given)
  const checked = Array.isArray(corpus) ? corpusOfSeeds(corpus) : parseCorpus(corpus)
  const clock = options.timers ?? systemTimers(options.now)
  // The two methods are passed on without their object, so arrow functions keep their `this`.
  const timers: Timers = { now: () => clock.now(), wait: (waitMs, signal) => clock.wait(waitMs, signal) }
  const contactUrl = options.contactUrl ?? checked.contactUrl
  const userAgent = options.userAgent ?? userAgentOf({ userAgent: checked.userAgent, contactUrl })
  const fetcher = new Fetcher({
    ...corpusRequests(checked),
    ...optionsIn<FetcherOptions>(options, fetcherOptionKinds),
    userAgent,
    now: timers.now,
  })
  // A crawl has extraction processes of its own, so that its slow pages do not delay other callers.
  const pool = new ExtractPool()
  let renderer: Renderer | undefined
  try {
    const renders = checked.rendering === 'auto' || checked.rendering === 'always'
    renderer = renders ? await startRenderer(fetcher, options) : undefined
    const opened = await openFrontier(checked.name, options)
    const { frontier, turns } = opened
    let log: FailureLog | undefined
    const entry: CrawlEntry = { name: checked.name, watch: options.watch ?? false, startedAt: timers.now() }
    try {
      const failures = new FailureLog(options.dir, checked.name, frontier.run.state !== 'finished')
      log = failures
      await recordCrawl(options.dir, entry)
      const report = await new CrawlRun(checked, options, {
        engine,
        timers,
        userAgent,
        fetcher,
        frontier,
        turns,
        extract: options.extract ?? ((body, extractOptions) => pool.run(body, extractOptions)),
        onFailure: failure => failures.add(failure),
        renderer,
        random: options.random,
      }).run()
      await recordCrawl(options.dir, { ...entry, endedAt: timers.now(), report })
      return report
    } catch (error) {
      const failure = messageOf(error)
      await recordCrawl(options.dir, { ...entry, endedAt: timers.now(), failure })
      throw error
    } finally {
      log?.close()
      await opened.close()
    }
  } finally {
    await renderer?.close()
    await pool.close()
    await fetcher.close()
  }
}
