import { join } from 'node:path'
import PQueue from 'p-queue'
import { type Engine, extract as extractInPool } from '../core/index.ts'
import { CaptureBatch } from './capture-batch.ts'
import { type Corpus, type CorpusInput, corpusOfSeeds, parseCorpus } from './corpus.ts'
import { type CrawlReport, emptyReport } from './crawl-report.ts'
import { Fetcher, type FetcherOptions } from './fetcher.ts'
import { Frontier, type NewUrl } from './frontier.ts'
import { HostWorker } from './host-worker.ts'
import { OriginRules } from './origin-rules.ts'
import { PagePlacement } from './page-placement.ts'
import { PageVisitor, tryNormalise, type VisitOutcome, type VisitParts } from './page-visit.ts'
import { Politeness, type PolitenessOptions } from './politeness.ts'
import { RobotsCache } from './robots-cache.ts'
import { Scope } from './scope.ts'
import { SitemapDiscovery } from './sitemap-discovery.ts'
import { systemTimers, type Timers } from './timers.ts'

/** Something that happened, with the report as it stands. */
export type CrawlEvent =
  | { kind: 'started'; resumed: boolean; report: Readonly<CrawlReport> }
  | { kind: 'page'; url: string; outcome: VisitOutcome; report: Readonly<CrawlReport> }

export interface CrawlOptions extends FetcherOptions, PolitenessOptions {
  /** Folder for the frontiers, one subfolder a corpus. */
  dir: string
  /** Stops the crawl: requests under way and the batch in hand are finished, the rest stays for the next call. */
  signal?: AbortSignal
  /** Where site owners find out who crawls: goes into the default user agent. */
  contactUrl?: string
  /** Hosts crawled at the same time. Default 16. */
  concurrency?: number
  /** Pages asked for in one run. Default: the corpus's, else no limit. */
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
  /** Turns a page's bytes into content. Default: the core's own extraction, in worker threads. */
  extract?: VisitParts['extract']
  /** Clock and waiting, for tests; wins over `now`. */
  timers?: Timers
  onProgress?: (event: CrawlEvent) => void
}

const agentToken = /^[A-Za-z_-]+/

/**
 * Crawls a corpus into an engine: fetches what its scope and the sites' robots.txt allow, follows links and
 * sitemaps, and adds a capture for each page that is new or has changed. Resolves when the run is over or stopped.
 *
 * An unfinished run of the same corpus (by name; bare seeds by their set) is resumed: what was acknowledged by the
 * engine is not fetched again. After a finished one, every known page is visited again, conditionally.
 *
 * @param corpus - a definition, or the seed URLs of an unnamed one whose scope is their hosts.
 * @throws ASOF_CORPUS_INVALID - before anything is fetched.
 * @throws ASOF_STORE_LOCKED - the same corpus is being crawled already.
 * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - engine or frontier failed; what was acknowledged is kept.
 */
export async function crawl(
  engine: Engine,
  corpus: CorpusInput | string[],
  options: CrawlOptions,
): Promise<CrawlReport> {
  const checked = Array.isArray(corpus) ? corpusOfSeeds(corpus) : parseCorpus(corpus)
  const timers = options.timers ?? systemTimers(options.now)
  const userAgent = options.userAgent ?? checked.userAgent ?? defaultUserAgent(options.contactUrl)
  const fetcher = new Fetcher({ ...options, userAgent, now: timers.now })
  try {
    const frontier = await Frontier.open(join(options.dir, checked.name))
    try {
      return await new CrawlRun(engine, checked, options, { timers, userAgent, fetcher, frontier }).go()
    } finally {
      await frontier.close()
    }
  } finally {
    await fetcher.close()
  }
}

function defaultUserAgent(contactUrl: string | undefined): string {
  return contactUrl === undefined ? 'asof/0.1' : `asof/0.1 (+${contactUrl})`
}

interface Surroundings {
  timers: Timers
  userAgent: string
  fetcher: Fetcher
  frontier: Frontier
}

/** One call of {@link crawl}: gives hosts to workers until nothing is left. */
class CrawlRun {
  readonly #corpus: Corpus
  readonly #options: CrawlOptions
  readonly #timers: Timers
  readonly #frontier: Frontier
  readonly #report = emptyReport()
  readonly #stop = new AbortController()
  readonly #scope: Scope
  readonly #batch: CaptureBatch
  readonly #sitemaps: SitemapDiscovery
  readonly #worker: HostWorker
  readonly #maxPages: number
  readonly #concurrency: number
  readonly #active = new Set<string>()
  /** Hosts that rest until an instant; `Infinity` until the next acknowledgement. */
  readonly #resting = new Map<string, number>()
  #lastHost = ''
  #failure: { error: unknown } | undefined
  #wake = () => {}

  constructor(engine: Engine, corpus: Corpus, options: CrawlOptions, around: Surroundings) {
    const { timers, userAgent, fetcher, frontier } = around
    this.#corpus = corpus
    this.#options = options
    this.#timers = timers
    this.#frontier = frontier
    this.#scope = new Scope(corpus)
    this.#maxPages = options.maxPages ?? corpus.maxPages ?? Number.POSITIVE_INFINITY
    this.#concurrency = options.concurrency ?? 16
    const report = this.#report
    const stop = this.#stop.signal
    const scope = this.#scope
    const agent = agentToken.exec(userAgent)?.[0] ?? 'asof'
    const delayMs = options.delayMs ?? corpus.delayMs
    const politeness = new Politeness(timers, {
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(options.maxCrawlDelayMs === undefined ? {} : { maxCrawlDelayMs: options.maxCrawlDelayMs }),
    })
    const rules = new OriginRules(new RobotsCache(fetcher, timers.now), politeness, agent, stop)
    const batch = new CaptureBatch(engine, frontier, report, timers, {
      settled: () => this.#onSettled(),
      failed: error => this.#fail(error),
    })
    const placement = new PagePlacement(engine, frontier, batch, report)
    const extract = options.extract ?? extractInPool
    const retryDelayMs = options.retryDelayMs ?? 5000
    const onEnqueued = (urls: NewUrl[]) => this.#onEnqueued(urls)
    const visitor = new PageVisitor(
      {
        engine,
        frontier,
        batch,
        placement,
        fetcher,
        rules,
        politeness,
        scope,
        report,
        timers,
        extract,
        onEnqueued,
        stop,
      },
      {
        maxDepth: options.discover === false ? 0 : (options.maxDepth ?? corpus.maxDepth ?? 32),
        maxAttempts: options.maxAttempts ?? 3,
        retryDelayMs,
        maxRetryAfterMs: options.maxRetryAfterMs ?? 600_000,
        agent,
      },
    )
    this.#batch = batch
    this.#sitemaps = new SitemapDiscovery({ fetcher, frontier, politeness, rules, scope, report, agent, stop })
    this.#worker = new HostWorker({
      frontier,
      batch,
      rules,
      visitor,
      ...(options.discover === false ? {} : { sitemaps: this.#sitemaps }),
      politeness,
      timers,
      agent,
      report,
      retryDelayMs,
      stop,
      mayFetch: () => frontier.run.fetched < this.#maxPages,
      onPage: (url, outcome) => this.#onPage(url, outcome),
    })
  }

  async go(): Promise<CrawlReport> {
    const startedAt = this.#timers.now()
    const abort = () => this.#halt()
    this.#options.signal?.addEventListener('abort', abort)
    if (this.#options.signal?.aborted) this.#halt()
    try {
      await this.#start(startedAt)
      await this.#dispatch()
      if (!this.#failure) await this.#batch.flush()
      if (this.#failure) throw this.#failure.error
      if (!this.#stop.signal.aborted) {
        await this.#frontier.finishRun()
        this.#report.finished = true
      }
    } finally {
      this.#options.signal?.removeEventListener('abort', abort)
    }
    this.#report.pending = this.#frontier.pending
    this.#report.durationMs = this.#timers.now() - startedAt
    return this.#report
  }

  async #start(startedAt: number): Promise<void> {
    for (const url of await this.#frontier.scopeHosts()) this.#scope.addHost(new URL(url))
    const { resumed } = await this.#frontier.beginRun(startedAt)
    const seeds = this.#corpus.seeds.flatMap(seed => tryNormalise(seed) ?? [])
    await this.#frontier.enqueue(seeds.map(url => ({ url, depth: 0, priority: 0 })))
    this.#options.onProgress?.({ kind: 'started', resumed, report: this.#report })
    if (this.#options.discover === false) return
    for (const sitemap of this.#corpus.sitemaps ?? [])
      await this.#sitemaps.read(sitemap, new URL(seeds[0] ?? sitemap).host)
  }

  /** Keeps every place taken as long as some host has work that is due. */
  async #dispatch(): Promise<void> {
    const queue = new PQueue({ concurrency: this.#concurrency })
    while (!this.#stop.signal.aborted && this.#mayFetch()) {
      const changed = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      while (this.#active.size < this.#concurrency) {
        const host = await this.#nextHost()
        if (host === undefined) break
        this.#active.add(host)
        queue.add(() => this.#workOn(host)).catch((error: unknown) => this.#fail(error))
      }
      if (this.#active.size > 0) await changed
      else if (this.#resting.size === 0 && !(await this.#nextHost())) break
      else await this.#rest(changed)
    }
    await queue.onIdle()
  }

  async #workOn(host: string): Promise<void> {
    try {
      const rest = await this.#worker.work(host)
      if (rest.kind === 'until') this.#resting.set(host, rest.at)
      if (rest.kind === 'drained') this.#resting.set(host, Number.POSITIVE_INFINITY)
    } finally {
      this.#active.delete(host)
      this.#wake()
    }
  }

  /** Nobody works: settles what waits for it, then sleeps until the first host's rest is over. */
  async #rest(changed: Promise<void>): Promise<void> {
    await this.#batch.flush()
    for (const [host, at] of this.#resting) if (at === Number.POSITIVE_INFINITY) this.#resting.delete(host)
    const firstAt = Math.min(...this.#resting.values())
    const waitMs = firstAt - this.#timers.now()
    if (waitMs <= 0 || firstAt === Number.POSITIVE_INFINITY) return
    const awake = new AbortController()
    await Promise.race([changed, this.#timers.wait(waitMs, AbortSignal.any([awake.signal, this.#stop.signal]))])
    awake.abort()
  }

  /** The next host, in turn, that has something in its queue, is nobody's and is not at rest. */
  async #nextHost(): Promise<string | undefined> {
    const now = this.#timers.now()
    let wrapped = false
    let at = this.#lastHost
    for (;;) {
      const host = await this.#frontier.nextHost(at)
      if (host === undefined) {
        if (wrapped) return undefined
        wrapped = true
        at = ''
        continue
      }
      if (wrapped && host > this.#lastHost) return undefined
      at = host
      const restUntil = this.#resting.get(host) ?? 0
      if (this.#active.has(host) || restUntil > now) continue
      this.#resting.delete(host)
      this.#lastHost = host
      return host
    }
  }

  #mayFetch(): boolean {
    return this.#frontier.run.fetched < this.#maxPages
  }

  #onPage(url: string, outcome: VisitOutcome): void {
    this.#report.pending = this.#frontier.pending
    this.#options.onProgress?.({ kind: 'page', url, outcome, report: this.#report })
  }

  #onEnqueued(urls: NewUrl[]): void {
    let idle = false
    for (const { url } of urls) {
      const { host } = new URL(url)
      this.#resting.delete(host)
      idle ||= !this.#active.has(host)
    }
    // A host in work finds its own new URLs.
    if (idle) this.#wake()
  }

  #onSettled(): void {
    for (const [host, at] of this.#resting) if (at === Number.POSITIVE_INFINITY) this.#resting.delete(host)
    this.#wake()
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#halt()
  }

  #halt(): void {
    this.#stop.abort()
    this.#wake()
  }
}
