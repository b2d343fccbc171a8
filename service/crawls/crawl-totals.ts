import type { CrawlEvent, CrawlReport } from '../../crawler/index.ts'

/** Totals of the crawls that a process has run since it started, including running ones. */
export interface CrawlFigures {
  /** Number of running crawls. */
  running: number
  /** Hosts of the running crawls: being visited, ready to be visited, and pausing between two visits. */
  hosts: { active: number; waiting: number; resting: number }
  /** Number of URLs that the running crawls still have to visit. */
  pending: number
  /** Number of visits by outcome. `failed` counts failures of every kind. */
  pages: Record<'stored' | 'unchanged' | 'duplicates' | 'noindex' | 'fresh' | 'robots' | 'failed', number>
  /** Number of failed pages by error code. */
  failures: Record<string, number>
  /** Number of pages without any text. */
  withoutText: number
  /** Number of characters that could not be decoded. */
  replacedCharacters: number
  /** Total size of the page bodies, after decompression. */
  bytes: number
}

type Watched = Extract<CrawlEvent, { kind: 'page' }> | undefined

/** Adds up the reports of all crawls of a process, for its metrics. */
export class CrawlTotals {
  readonly #running = new Set<{ last: Watched }>()
  readonly #ended = emptyFigures()

  /** Runs a crawl and counts its visits. */
  async follow(run: (onProgress: (event: CrawlEvent) => void) => Promise<CrawlReport>): Promise<CrawlReport> {
    const crawl: { last: Watched } = { last: undefined }
    this.#running.add(crawl)
    try {
      const report = await run(event => {
        if (event.kind === 'page') crawl.last = event
      })
      count(this.#ended, report)
      return report
    } catch (error) {
      if (crawl.last) count(this.#ended, crawl.last.report)
      throw error
    } finally {
      this.#running.delete(crawl)
    }
  }

  get figures(): CrawlFigures {
    const figures = structuredClone(this.#ended)
    figures.running = this.#running.size
    for (const { last } of this.#running) {
      if (!last) continue
      count(figures, last.report)
      figures.pending += last.report.pending
      figures.hosts.active += last.hosts
      figures.hosts.waiting += last.hostsWaiting
      figures.hosts.resting += last.hostsResting
    }
    return figures
  }
}

function emptyFigures(): CrawlFigures {
  return {
    running: 0,
    hosts: { active: 0, waiting: 0, resting: 0 },
    pending: 0,
    pages: { stored: 0, unchanged: 0, duplicates: 0, noindex: 0, fresh: 0, robots: 0, failed: 0 },
    failures: {},
    withoutText: 0,
    replacedCharacters: 0,
    bytes: 0,
  }
}

function count(figures: CrawlFigures, report: Readonly<CrawlReport>): void {
  const { pages, failures } = figures
  for (const outcome of ['stored', 'unchanged', 'duplicates', 'noindex', 'fresh'] as const)
    pages[outcome] += report[outcome]
  pages.robots += report.skippedByRobots
  for (const [code, times] of Object.entries(report.failed)) {
    failures[code] = (failures[code] ?? 0) + times
    pages.failed += times
  }
  figures.withoutText += report.withoutText
  figures.replacedCharacters += report.replacedCharacters
  figures.bytes += report.bytes
}
