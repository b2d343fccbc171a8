import { join } from 'node:path'
import { type Engine, ExtractPool, optionsIn } from '@asof/core'
import { type CorpusInput, corpusOfSeeds, parseCorpus } from '../corpus.ts'
import type { CrawlReport } from '../crawl-report.ts'
import { siteOf } from '../discovery/scope.ts'
import { Fetcher, type FetcherOptions, fetcherOptionKinds } from '../fetch/fetcher.ts'
import { OpenFrontiers } from '../frontier/open-frontiers.ts'
import { type Renderer, startRenderer } from '../rendering/renderer.ts'
import { systemTimers, type Timers } from '../timers.ts'
import { type CrawlEntry, noteCrawl } from './crawl-journal.ts'
import { type CrawlOptions, readCrawlOptions } from './crawl-options.ts'
import { CrawlRun } from './crawl-run.ts'

export type { CrawlEvent, CrawlOptions } from './crawl-options.ts'

/**
 * Crawls a corpus into an engine: fetches what its scope and the sites' robots.txt allow, follows links, sitemaps and
 * feeds, and adds a capture for each page that is new or has changed. Resolves when the run is over or stopped.
 *
 * An unfinished run of the same corpus (by name; bare seeds by their set) is resumed: what was acknowledged by the
 * engine is not fetched again. After a finished one, every known page is visited again, conditionally; with `watch`
 * the known pages are visited when they are due.
 *
 * @param corpus - a definition, or the seed URLs of an unnamed one whose scope is their hosts.
 * @throws ASOF_CORPUS_INVALID - before anything is fetched.
 * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; before anything is fetched.
 * @throws ASOF_RENDERER_MISSING - the corpus asks for rendering, and there is nothing to render with.
 * @throws ASOF_STORE_LOCKED - the same corpus is being crawled already.
 * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - engine or frontier failed; what was acknowledged is kept.
 */
export async function crawl(engine: Engine, corpus: CorpusInput | string[], given: CrawlOptions): Promise<CrawlReport> {
  const options = readCrawlOptions(given)
  const checked = Array.isArray(corpus) ? corpusOfSeeds(corpus) : parseCorpus(corpus)
  const clock = options.timers ?? systemTimers(options.now)
  // Its parts are handed on by themselves, which an object with methods need not be made for.
  const timers: Timers = { now: () => clock.now(), wait: (waitMs, signal) => clock.wait(waitMs, signal) }
  const contactUrl = options.contactUrl ?? checked.contactUrl
  const userAgent = options.userAgent ?? checked.userAgent ?? defaultUserAgent(contactUrl)
  const { headers, language } = checked
  const seedSites = new Set(checked.seeds.map(seed => siteOf(new URL(seed))))
  const fetcher = new Fetcher({
    ...(headers ? { headersFor: (url: URL) => (seedSites.has(siteOf(url)) ? headers : {}) } : {}),
    ...(language === undefined ? {} : { language }),
    ...optionsIn<FetcherOptions>(options, fetcherOptionKinds),
    userAgent,
    now: timers.now,
  })
  // A crawl has processes of its own, so that pages that are slow to extract do not keep other callers of `extract` waiting.
  const pool = new ExtractPool()
  let renderer: Renderer | undefined
  try {
    const rendered = checked.rendering === 'auto' || checked.rendering === 'always'
    renderer = rendered ? await startRenderer(fetcher, options) : undefined
    const { frontiers = new OpenFrontiers() } = options
    const frontierDir = join(options.dir, checked.name)
    const frontier = await frontiers.open(frontierDir)
    const entry: CrawlEntry = { name: checked.name, watch: options.watch ?? false, startedAt: timers.now() }
    try {
      await noteCrawl(options.dir, entry)
      const report = await new CrawlRun(engine, checked, options, {
        ...{ timers, userAgent, fetcher, frontier },
        extract: options.extract ?? ((body, known) => pool.run(body, known)),
        ...(renderer ? { renderer } : {}),
      }).go()
      await noteCrawl(options.dir, { ...entry, endedAt: timers.now(), report })
      return report
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      await noteCrawl(options.dir, { ...entry, endedAt: timers.now(), failure })
      throw error
    } finally {
      await frontiers.close(frontierDir)
    }
  } finally {
    await renderer?.close()
    await pool.close()
    await fetcher.close()
  }
}

function defaultUserAgent(contactUrl: string | undefined): string {
  return contactUrl === undefined ? 'asof/0.1' : `asof/0.1 (+${contactUrl})`
}
