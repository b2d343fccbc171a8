import type { AddOptions } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import type { Corpus } from '../corpus/corpus.ts'
import { durationMs } from '../corpus/corpus.ts'
import { corpusPoliteness } from '../corpus/corpus-requests.ts'
import { type FetcherOptions, fetcherOptionKinds } from '../fetch/fetcher.ts'
import type { OpenFrontiers } from '../frontier/open-frontiers.ts'
import type { RevisitOptions } from '../frontier/revisit-plan.ts'
import { type PolitenessOptions, politenessOptionKinds } from '../politeness/politeness.ts'
import { type RendererOptions, rendererOptionKinds } from '../rendering/renderer.ts'
import type { CrawlReport } from '../report/crawl-report.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import type { ExtractPage } from '../visit/page-extraction.ts'
import type { QueueLength } from './queue-lengths.ts'

/** An event of a crawl, with the report so far. */
export type CrawlEvent =
  | { kind: 'started'; resumed: boolean; report: Readonly<CrawlReport> }
  | {
      kind: 'page'
      url: string
      outcome: VisitOutcome
      /** Number of hosts that are being crawled. */
      hosts: number
      /** Number of hosts with a due page that are not being crawled, up to 10,000. */
      hostsWaiting: number
      /** Number of hosts whose next page is not due yet, up to 10,000. */
      hostsResting: number
      /** The ten longest queues of hosts that are being crawled, longest first. Updated at most once a second. */
      queues: readonly QueueLength[]
      report: Readonly<CrawlReport>
    }

/** Options of a crawl. They override the corpus definition. */
export interface CrawlOptions extends FetcherOptions, PolitenessOptions, RendererOptions {
  /** Folder for the frontiers, with a subfolder for each corpus. */
  dir: string
  /**
   * The open frontiers of this process, through which `copyFrontiers` copies the frontier of a running crawl. All
   * crawls and backups of a folder should get the same object. Default: the frontier of a running crawl cannot be
   * copied.
   */
  frontiers?: OpenFrontiers
  /**
   * URL of a PostgreSQL database for the frontier, such as `postgres://user:password@host:5432/name`, so that several
   * processes crawl the corpus together. All of them must have the same corpus and options, and add to the same index.
   * The user must be allowed to create a schema. Default: the frontier is in `dir`, for one process.
   */
  database?: string
  /**
   * Time after which other crawlers may have the hosts of this one if it is not heard of, ms. Only with `database`.
   * Default 30,000.
   */
  leaseMs?: number
  /** Stops the crawl. Running requests are completed and their captures committed. The next call resumes the crawl. */
  signal?: AbortSignal
  /**
   * True to keep the corpus fresh instead of ending. Each page is visited again when it has probably changed
   * (probability one half). Seeds, sitemaps and feeds are read on the schedule of the corpus. Such a crawl ends only
   * when it is stopped. Default false.
   */
  watch?: boolean
  /**
   * URL of a page about the crawler for site owners, a part of the default user agent. Default: that of the corpus, or
   * else none.
   */
  contactUrl?: string
  /** Maximum number of concurrent requests, each to another host. Default: that of the corpus, or else 16. */
  concurrency?: number
  /**
   * Maximum number of pages requested in one run; with `watch`, maximum number of known URLs. Default: that of the
   * corpus, or else no limit.
   */
  maxPages?: number
  /** Maximum number of links from a seed to a page. Default: that of the corpus, or else 32. */
  maxDepth?: number
  /** False to fetch only the seeds and follow no links or sitemaps. Default true. */
  discover?: boolean
  /** Maximum number of attempts for a page in one run. Default 3. */
  maxAttempts?: number
  /** Wait before the second attempt, ms. Each further wait is four times as long. Default 5,000. */
  retryDelayMs?: number
  /** Longest `Retry-After` for which a run waits, ms. Default 600,000. */
  maxRetryAfterMs?: number
  /** Share of a page's words, 0 to 1, that may change without a new capture. Default: that of the corpus, or else 0. */
  changeThreshold?: number
  /** When an embeddings model computes the vectors of the pages, see `add` of the engine. Default `now`. */
  vectors?: AddOptions['vectors']
  /**
   * Extracts the content of a page from its bytes. Default: the engine's extraction, in two child processes that belong
   * to this crawl.
   */
  extract?: ExtractPage
  /** The clock and the waiting function, for tests. Overrides `now`. */
  timers?: Timers
  /** Random numbers from 0 to 1, for jitter. Default `Math.random`. */
  random?: () => number
  /** Called at the start of the crawl and after each URL. */
  onProgress?: (event: CrawlEvent) => void
}

/** Checks the names and types of the options of a crawl. */
export const readCrawlOptions = optionsReader<CrawlOptions>(
  {
    ...fetcherOptionKinds,
    ...politenessOptionKinds,
    ...rendererOptionKinds,
    dir: 'string',
    frontiers: 'object',
    database: 'string',
    leaseMs: 'number',
    signal: 'signal',
    watch: 'boolean',
    contactUrl: 'string',
    concurrency: 'number',
    maxPages: 'number',
    maxDepth: 'number',
    discover: 'boolean',
    maxAttempts: 'number',
    retryDelayMs: 'number',
    maxRetryAfterMs: 'number',
    changeThreshold: 'number',
    vectors: 'string',
    extract: 'function',
    timers: 'object',
    random: 'function',
    onProgress: 'function',
  },
  { required: ['dir'], synonyms: { limit: 'maxPages', depth: 'maxDepth', delay: 'delayMs', datadir: 'dir' } },
)

const HOUR_MS = 60 * 60 * 1000
const DAY_SECONDS = 24 * 60 * 60

/** The settings of a crawl, from the options, the corpus definition and the defaults, in this order. */
export interface CrawlSettings {
  politeness: PolitenessOptions
  revisit: RevisitOptions
  /** Time after which seeds, sitemaps and feeds are read again in a watched crawl, ms. */
  scheduleMs: number
  concurrency: number
  maxPages: number
  maxPagesPerHost: number
  maxDepth: number
  retry: { maxAttempts: number; retryDelayMs: number; maxRetryAfterMs: number }
  changeThreshold: number
  vectors: AddOptions['vectors']
  discover: boolean
  watch: boolean
}

export function crawlSettings(corpus: Corpus, options: CrawlOptions): CrawlSettings {
  const { recrawl = {} } = corpus
  const politeness = corpusPoliteness(corpus)
  const scheduleMs = corpus.schedule === undefined ? HOUR_MS : durationMs(corpus.schedule)
  const watch = options.watch ?? false
  const discover = options.discover ?? true
  const retryDelayMs = options.retryDelayMs ?? 5000
  const maxRetryAfterMs = options.maxRetryAfterMs ?? 600_000
  const budget = watch && recrawl.pagesPerDay !== undefined ? recrawl.pagesPerDay / DAY_SECONDS : undefined
  const rates = [options.maxRequestsPerSecond ?? politeness.maxRequestsPerSecond, budget].filter(
    rate => rate !== undefined,
  )
  return {
    politeness: {
      delayMs: options.delayMs ?? politeness.delayMs,
      adaptiveFactor: options.adaptiveFactor ?? politeness.adaptiveFactor,
      maxCrawlDelayMs: options.maxCrawlDelayMs ?? politeness.maxCrawlDelayMs,
      maxRequestsPerSecond: rates.length === 0 ? undefined : Math.min(...rates),
      backOffMs: options.backOffMs ?? retryDelayMs,
      maxBackOffMs: options.maxBackOffMs ?? maxRetryAfterMs,
    },
    revisit: {
      minIntervalMs: recrawl.minInterval ? durationMs(recrawl.minInterval) : undefined,
      maxIntervalMs: recrawl.maxInterval ? durationMs(recrawl.maxInterval) : undefined,
      seedIntervalMs: scheduleMs,
    },
    scheduleMs,
    concurrency: options.concurrency ?? corpus.politeness?.concurrency ?? 16,
    maxPages: options.maxPages ?? corpus.maxPages ?? Number.POSITIVE_INFINITY,
    maxPagesPerHost: corpus.maxPagesPerHost ?? 1_000_000,
    maxDepth: discover ? (options.maxDepth ?? corpus.maxDepth ?? 32) : 0,
    retry: { maxAttempts: options.maxAttempts ?? 3, retryDelayMs, maxRetryAfterMs },
    changeThreshold: options.changeThreshold ?? recrawl.changeThreshold ?? 0,
    vectors: options.vectors,
    discover,
    watch,
  }
}
