import type { Engine } from '@asof/core'
import type { Corpus } from '../corpus.ts'
import { CrawlFailures } from '../crawl-failures.ts'
import { type CrawlFailure, type CrawlReport, emptyReport } from '../crawl-report.ts'
import { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import { Scope } from '../discovery/scope.ts'
import { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import { nextVisitAt, revisitPriority } from '../frontier/revisit-plan.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { OriginRules } from '../politeness/origin-rules.ts'
import { Politeness } from '../politeness/politeness.ts'
import { productToken } from '../politeness/product-token.ts'
import { RobotsCache } from '../politeness/robots-cache.ts'
import { Semaphore } from '../politeness/semaphore.ts'
import type { Renderer } from '../rendering/renderer.ts'
import type { Timers } from '../timers.ts'
import { CaptureBatch } from '../visit/capture-batch.ts'
import { PagePlacement } from '../visit/page-placement.ts'
import { PageRequests } from '../visit/page-request.ts'
import { type Extract, PageVisitor, type VisitOutcome } from '../visit/page-visit.ts'
import { VisitFailures } from '../visit/visit-failure.ts'
import { type CrawlOptions, type CrawlSettings, crawlSettings } from './crawl-options.ts'
import { HostDispatch } from './host-dispatch.ts'
import { HostRoster } from './host-roster.ts'
import { HostWorker } from './host-worker.ts'
import { QueueLengths } from './queue-lengths.ts'

/** The parts of a run that its caller opens and closes. */
export interface RunResources {
  timers: Timers
  userAgent: string
  fetcher: Fetcher
  frontier: Frontier
  extract: Extract
  onFailure: (failure: CrawlFailure) => void
  /** Present if pages may be rendered. */
  renderer?: Renderer
}

// Most hosts that are being crawled wait for their pause to end, and a waiting host costs little.
const hostsPerRequest = 32

/** One call of `crawl`: builds the parts, and carries out the run from its seeds to its report. */
export class CrawlRun {
  readonly #corpus: Corpus
  readonly #options: CrawlOptions
  readonly #settings: CrawlSettings
  readonly #timers: Timers
  readonly #frontier: Frontier
  readonly #report: CrawlReport
  readonly #stop = new AbortController()
  readonly #scope: Scope
  readonly #batch: CaptureBatch
  readonly #sitemaps: SitemapDiscovery
  readonly #roster: HostRoster
  readonly #dispatch: HostDispatch
  readonly #queues: QueueLengths
  #failure: { error: unknown } | undefined

  constructor(engine: Engine, corpus: Corpus, options: CrawlOptions, resources: RunResources) {
    const { timers, userAgent, fetcher, frontier, extract, renderer, onFailure } = resources
    const settings = crawlSettings(corpus, options)
    const { concurrency, changeThreshold, maxDepth, watch, scheduleMs, discover } = settings
    this.#corpus = corpus
    this.#options = options
    this.#settings = settings
    this.#timers = timers
    this.#frontier = frontier
    this.#report = emptyReport(corpus.name, timers.now())
    this.#scope = new Scope(corpus, timers.now)
    this.#roster = new HostRoster(frontier)
    this.#queues = new QueueLengths(frontier, this.#roster, timers.now)
    const report = this.#report
    const counted = new CrawlFailures(report, onFailure)
    const stop = this.#stop.signal
    const scope = this.#scope
    const agent = productToken(userAgent) || 'asof'
    const mayFetch = () => watch || frontier.run.fetched < settings.maxPages
    const onEnqueued = (urls: NewUrl[]) => this.#onEnqueued(urls)

    const politeness = new Politeness(timers, new Semaphore(concurrency), settings.politeness, options.random)
    const rules = new OriginRules(new RobotsCache(fetcher, timers.now), politeness, agent, stop)
    const batch = new CaptureBatch(
      { engine, frontier, report, failures: counted, timers },
      {
        settled: () => this.#dispatch.wake(),
        failed: error => this.#fail(error),
      },
    )
    const parameters = new IrrelevantParameters(frontier)
    const failures = new VisitFailures({ engine, frontier, politeness, report, counted, timers }, settings.retry)
    const sitemaps = new SitemapDiscovery({
      ...{ fetcher, frontier, politeness, rules, scope, parameters, counted, timers, agent, stop, onEnqueued },
      maxPages: settings.maxPages,
      ...(watch ? { intervalMs: scheduleMs } : {}),
    })
    const visitor = new PageVisitor({
      ...{ engine, frontier, failures, parameters, politeness, scope, report, timers, onEnqueued, maxDepth, agent },
      requests: new PageRequests({ frontier, batch, fetcher, rules, politeness, scope, agent, stop, mayFetch }),
      placement: new PagePlacement({ engine, frontier, batch, report, timers, changeThreshold }),
      extract,
      rules,
      ...(renderer ? { rendering: { renderer, all: corpus.rendering === 'always' } } : {}),
    })
    const worker = new HostWorker({
      ...{ frontier, batch, rules, visitor, failures, parameters, politeness, timers, agent, report, stop, mayFetch },
      ...(discover ? { sitemaps } : {}),
      ...(watch ? { sitemapIntervalMs: scheduleMs } : {}),
      retryDelayMs: settings.retry.retryDelayMs,
      onPage: (url, outcome) => this.#onPage(url, outcome),
    })
    this.#batch = batch
    this.#sitemaps = sitemaps
    this.#dispatch = new HostDispatch({
      ...{ batch, timers, stop, mayFetch },
      roster: this.#roster,
      maxHosts: concurrency * hostsPerRequest,
      work: host => worker.work(host),
      onFailure: error => this.#fail(error),
    })
  }

  /** Carries out the run. Rejects with the error that ended it, if one did. */
  async run(): Promise<CrawlReport> {
    const abort = () => this.#halt()
    this.#options.signal?.addEventListener('abort', abort)
    if (this.#options.signal?.aborted) this.#halt()
    try {
      await this.#start()
      const rereading = this.#rereadNamedFiles()
      await this.#dispatch.run().finally(() => {
        // Otherwise a watched run would continue to read sitemaps and feeds after its workers have ended.
        if (this.#settings.watch) this.#halt()
      })
      await rereading
      if (!this.#failure) await this.#batch.flush()
      if (this.#failure) throw this.#failure.error
      if (!this.#stop.signal.aborted) {
        await this.#frontier.finishRun()
        this.#report.finished = true
      }
    } finally {
      this.#options.signal?.removeEventListener('abort', abort)
    }
    return this.#updatedReport()
  }

  async #start(): Promise<void> {
    const { watch, maxPages, maxPagesPerHost, revisit } = this.#settings
    this.#frontier.limit({ perHost: maxPagesPerHost, total: watch ? maxPages : Number.POSITIVE_INFINITY })
    for (const url of await this.#frontier.scopeHosts()) this.#scope.addHost(new URL(url))
    const { resumed } = await this.#frontier.beginRun(
      this.#timers.now(),
      watch ? { dueAt: (record, now) => nextVisitAt(record, now, revisit) } : { priority: revisitPriority },
    )
    const seeds = this.#corpus.seeds.flatMap(seed => tryNormalize(seed) ?? [])
    await this.#frontier.enqueue(seeds.map(url => ({ url, depth: 0, priority: 0 })))
    this.#options.onProgress?.({ kind: 'started', resumed, report: this.#updatedReport() })
    await this.#readNamedFiles()
  }

  /** While watching, reads the sitemaps and feeds that the corpus names, on schedule. */
  async #rereadNamedFiles(): Promise<void> {
    const { watch, scheduleMs } = this.#settings
    const stop = this.#stop.signal
    if (!watch) return
    while (!stop.aborted) {
      await this.#timers.wait(scheduleMs, stop)
      if (!stop.aborted) await this.#readNamedFiles().catch((error: unknown) => this.#fail(error))
    }
  }

  async #readNamedFiles(): Promise<void> {
    if (!this.#settings.discover) return
    const { sitemaps = [], feeds = [] } = this.#corpus
    for (const file of [...sitemaps, ...feeds]) await this.#sitemaps.read(file, 'scope')
  }

  #onPage(url: string, outcome: VisitOutcome): void {
    const { onProgress } = this.#options
    if (!onProgress) return
    const { active: hosts, ready: hostsWaiting, resting: hostsResting } = this.#roster
    const { longest: queues } = this.#queues
    onProgress({
      ...{ kind: 'page', url, outcome, hosts, hostsWaiting, hostsResting, queues },
      report: this.#updatedReport(),
    })
  }

  /** Updates the figures of the report that others keep, and returns it. */
  #updatedReport(): CrawlReport {
    this.#report.pending = this.#frontier.pending
    this.#report.known = { ...this.#frontier.counts }
    this.#report.durationMs = this.#timers.now() - this.#report.startedAt
    return this.#report
  }

  #onEnqueued(urls: NewUrl[]): void {
    const hosts = new Set(urls.map(({ url }) => hostWithPort(url)))
    if (hosts.size === 0) return
    this.#roster.offer(hosts)
    this.#dispatch.wake()
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#halt()
  }

  #halt(): void {
    this.#stop.abort()
    this.#dispatch.wake()
  }
}
