import { optionsReader } from '@asof/core'
import type { Corpus } from '../corpus.ts'
import { durationMs } from '../corpus.ts'
import type { CrawlReport } from '../crawl-report.ts'
import { type FetcherOptions, fetcherOptionKinds } from '../fetch/fetcher.ts'
import type { OpenFrontiers } from '../frontier/open-frontiers.ts'
import type { RevisitOptions } from '../frontier/revisit-plan.ts'
import { type PolitenessOptions, politenessOptionKinds } from '../politeness/politeness.ts'
import { type RendererOptions, rendererOptionKinds } from '../rendering/renderer.ts'
import type { Timers } from '../timers.ts'
import type { Extract, VisitOutcome } from '../visit/page-visit.ts'
import type { QueueLength } from './queue-lengths.ts'

/** Something that happened, with the report as it stands. */
export type CrawlEvent =
  | { kind: 'started'; resumed: boolean; report: Readonly<CrawlReport> }
  | {
      kind: 'page'
      url: string
      outcome: VisitOutcome
      /** Hosts worked on, those that could be and wait for a place, and those that rest, as far as they are listed. */
      hosts: number
      hostsWaiting: number
      hostsResting: number
      /** The longest queues of the hosts that are worked on, as of a second ago at most: up to ten, the longest first. */
      queues: readonly QueueLength[]
      report: Readonly<CrawlReport>
    }

/** How to crawl. What is given here wins over the corpus definition. */
export interface CrawlOptions extends FetcherOptions, PolitenessOptions, RendererOptions {
  /** Folder for the frontiers, one subfolder a corpus. */
  dir: string
  /**
   * Keeps the crawl's frontier for as long as it is open, so that `copyFrontiers` can copy it while the crawl runs. Share
   * one object between the crawls and the backups of a folder. Default: the frontier of a running crawl cannot be copied.
   */
  frontiers?: OpenFrontiers
  /** Stops the crawl: requests under way and the batch in hand are finished, the rest stays for the next call. */
  signal?: AbortSignal
  /**
   * Keeps the corpus fresh instead of ending: each page is visited again when it has changed as likely as not, seeds,
   * sitemaps and feeds on the corpus's schedule. Resolves only when stopped. Default false.
   */
  watch?: boolean
  /** Where site owners find out who crawls: goes into the default user agent. */
  contactUrl?: string
  /** Requests under way at a time, each to another host. Default 16. */
  concurrency?: number
  /** Pages asked for in one run; while watching, pages known. Default: the corpus's, else no limit. */
  maxPages?: number
  /** Links followed from a seed. Default: the corpus's, else 32. */
  maxDepth?: number
  /** Whether links and sitemaps are followed to other pages. Default true; false fetches the seeds alone. */
  discover?: boolean
  /** Tries a page gets in one run. Default 3. */
  maxAttempts?: number
  /** Wait before the second try, ms; each further one is four times as long. Default 5,000. */
  retryDelayMs?: number
  /** The longest `Retry-After` waited for within a run, ms. Default 600,000. */
  maxRetryAfterMs?: number
  /** Share of a page's words that may change without its making a new capture, 0 to 1. Default: the corpus's, else 0. */
  changeThreshold?: number
  /** Turns a page's bytes into content. Default: the core's extraction, in two child processes of this crawl. */
  extract?: Extract
  /** Clock and waiting, for tests; wins over `now`. */
  timers?: Timers
  /** For jitter, 0 to 1. Default `Math.random`. */
  random?: () => number
  onProgress?: (event: CrawlEvent) => void
}

/** Checks the options of a crawl: names and types. */
export const readCrawlOptions = optionsReader<CrawlOptions>(
  {
    ...fetcherOptionKinds,
    ...politenessOptionKinds,
    ...rendererOptionKinds,
    dir: 'string',
    frontiers: 'object',
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
    extract: 'function',
    timers: 'object',
    random: 'function',
    onProgress: 'function',
  },
  { required: ['dir'], synonyms: { limit: 'maxPages', depth: 'maxDepth', delay: 'delayMs', datadir: 'dir' } },
)

const hourMs = 60 * 60 * 1000
const daySeconds = 24 * 60 * 60

/** What a crawl goes by: options, else corpus definition, else defaults. */
export interface CrawlSettings {
  politeness: PolitenessOptions
  revisit: RevisitOptions
  /** How often a watched corpus's seeds, sitemaps and feeds are looked at. */
  scheduleMs: number
  concurrency: number
  maxPages: number
  maxPagesPerHost: number
  maxDepth: number
  retry: { maxAttempts: number; retryDelayMs: number; maxRetryAfterMs: number }
  changeThreshold: number
  discover: boolean
  watch: boolean
}

export function crawlSettings(corpus: Corpus, options: CrawlOptions): CrawlSettings {
  const { politeness = {}, recrawl = {} } = corpus
  const scheduleMs = corpus.schedule === undefined ? hourMs : durationMs(corpus.schedule)
  const watch = options.watch ?? false
  const discover = options.discover ?? true
  const retryDelayMs = options.retryDelayMs ?? 5000
  const maxRetryAfterMs = options.maxRetryAfterMs ?? 600_000
  const budget = watch && recrawl.pagesPerDay !== undefined ? recrawl.pagesPerDay / daySeconds : undefined
  const rates = [options.maxRequestsPerSecond ?? politeness.requestsPerSecond, budget].filter(
    rate => rate !== undefined,
  )
  return {
    politeness: {
      ...given({ delayMs: options.delayMs ?? corpus.delayMs }),
      ...given({ adaptiveFactor: options.adaptiveFactor ?? politeness.adaptiveFactor }),
      ...given({ maxCrawlDelayMs: options.maxCrawlDelayMs ?? politeness.maxCrawlDelayMs }),
      ...(rates.length === 0 ? {} : { maxRequestsPerSecond: Math.min(...rates) }),
      backOffMs: options.backOffMs ?? retryDelayMs,
      maxBackOffMs: options.maxBackOffMs ?? maxRetryAfterMs,
    },
    revisit: {
      minIntervalMs: recrawl.minInterval && durationMs(recrawl.minInterval),
      maxIntervalMs: recrawl.maxInterval && durationMs(recrawl.maxInterval),
      seedIntervalMs: scheduleMs,
    } as RevisitOptions,
    scheduleMs,
    concurrency: options.concurrency ?? politeness.concurrency ?? 16,
    maxPages: options.maxPages ?? corpus.maxPages ?? Number.POSITIVE_INFINITY,
    maxPagesPerHost: corpus.maxPagesPerHost ?? 1_000_000,
    maxDepth: discover ? (options.maxDepth ?? corpus.maxDepth ?? 32) : 0,
    retry: { maxAttempts: options.maxAttempts ?? 3, retryDelayMs, maxRetryAfterMs },
    changeThreshold: options.changeThreshold ?? recrawl.changeThreshold ?? 0,
    discover,
    watch,
  }
}

/** An object without what is not given, for options that may be absent but not `undefined`. */
function given<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number
  }
}
