import type { Engine } from '@asof/core'
import type { Corpus } from '../corpus/corpus.ts'
import { corpusFields } from '../corpus/corpus-fields.ts'
import { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import { Scope } from '../discovery/scope.ts'
import { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import { nextVisitAt, revisitPriority } from '../frontier/revisit-plan.ts'
import type { HostTurns } from '../politeness/host-turns.ts'
import { OriginRules } from '../politeness/origin-rules.ts'
import { Politeness } from '../politeness/politeness.ts'
import { productToken } from '../politeness/product-token.ts'
import { RobotsCache } from '../politeness/robots-cache.ts'
import { Semaphore } from '../politeness/semaphore.ts'
import type { Renderer } from '../rendering/renderer.ts'
import type { CrawlFailure, CrawlReport } from '../report/crawl-report.ts'
import { CrawlTally } from '../report/crawl-tally.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import { CaptureBuffer } from '../visit/capture-buffer.ts'
import { ClaimedAddresses } from '../visit/claimed-address.ts'
import { PageRequests } from '../visit/page-request.ts'
import { PageStorage } from '../visit/page-storage.ts'
import { type ExtractPage, PageVisitor } from '../visit/page-visit.ts'
import { UnprovenAddresses } from '../visit/unproven-addresses.ts'
import { VisitChecks } from '../visit/visit-checks.ts'
import { VisitFailures } from '../visit/visit-failure.ts'
import { type CrawlOptions, type CrawlSettings, crawlSettings } from './crawl-options.ts'
import { HostDispatch } from './host-dispatch.ts'
import { HostRotation } from './host-rotation.ts'
import { HostWorker } from './host-worker.ts'
import { QueueLengths } from './queue-lengths.ts'

/** The parts of a run that its caller opens and closes. */
export interface RunResources {
  timers: Timers
  userAgent: string
  fetcher: Fetcher
  frontier: Frontier
  /** Spaces the requests to a host among the crawlers that share a database. Undefined if this crawler shares none. */
  turns?: HostTurns | undefined
  extract: ExtractPage
  onFailure: (failure: CrawlFailure) => void
  /** Undefined if no page may be rendered. */
  renderer?: Renderer | undefined
}

// Number of hosts that may be crawled for each concurrent request. Most hosts are in their pause, and such a host costs
// little.
const hostsPerRequest = 32

/** One call of `crawl`, from its seeds to its report. Connects all parts. */
export class CrawlRun {
  readonly #corpus: Corpus
  readonly #options: CrawlOptions
  readonly #settings: CrawlSettings
  readonly #timers: Timers
  readonly #frontier: Frontier
  readonly #tally: CrawlTally
  readonly #stop = new AbortController()
  readonly #scope: Scope
  readonly #parameters: IrrelevantParameters
  readonly #buffer: CaptureBuffer
  readonly #sitemaps: SitemapDiscovery
  readonly #rotation: HostRotation
  readonly #dispatch: HostDispatch
  readonly #queues: QueueLengths
  #failure: { error: unknown } | undefined

  constructor(engine: Engine, corpus: Corpus, options: CrawlOptions, resources: RunResources) {
    const { timers, userAgent, fetcher, frontier, turns, extract, renderer, onFailure } = resources
    const settings = crawlSettings(corpus, options)
    const { concurrency, watch, scheduleMs, discover, maxPages, maxDepth, changeThreshold, retry } = settings
    const stop = this.#stop.signal
    const ourToken = productToken(userAgent) || 'asof'
    const fail = (error: unknown) => this.#fail(error)

    const tally = new CrawlTally(corpus.name, timers.now(), onFailure)
    const scope = new Scope(corpus, timers.now)
    const rotation = new HostRotation(frontier)
    const politeness = new Politeness(timers, new Semaphore(concurrency), settings.politeness, options.random, turns)
    const rules = new OriginRules(new RobotsCache(fetcher, timers.now), politeness, ourToken, stop)
    const parameters = new IrrelevantParameters(frontier)
    const buffer = new CaptureBuffer(
      { engine, frontier, tally, timers },
      { committed: () => rotation.wake(), failed: fail },
    )

    // Most parts get all of these. The argument type of each part names those that it uses.
    const parts = {
      engine,
      frontier,
      fetcher,
      buffer,
      tally,
      scope,
      rules,
      parameters,
      politeness,
      timers,
      stop,
      productToken: ourToken,
    }
    const maxFetched = watch ? Number.POSITIVE_INFINITY : maxPages
    const mayFetch = () => frontier.run.fetched < maxFetched
    const onEnqueued = (urls: NewUrl[]) => rotation.offer(urls)
    const fields = corpusFields(corpus.fields)
    const shared = { ...parts, mayFetch, onEnqueued, fields, unproven: new UnprovenAddresses() }

    const failures = new VisitFailures(shared, retry)
    const sitemaps = new SitemapDiscovery({ ...shared, maxPages, intervalMs: watch ? scheduleMs : undefined })
    const { retryDelayMs } = retry
    const named = discover ? sitemaps : undefined
    const checks = new VisitChecks({ ...shared, failures, sitemaps: named, retryDelayMs })
    const requests = new PageRequests({ ...shared, maxFetched })
    const storage = new PageStorage({ ...shared, changeThreshold })
    const rendering = renderer && { renderer, all: corpus.rendering === 'always' }
    const onPage = (url: string, outcome: VisitOutcome) => this.#onPage(url, outcome)
    const claims = new ClaimedAddresses({ ...shared, onPage, maxDepth, retryDelayMs })
    const visited = { checks, requests, storage, failures, claims }
    const visitor = new PageVisitor({ ...shared, ...visited, extract, rendering, maxDepth })
    const worker = new HostWorker({ ...shared, visitor, onPage })

    this.#corpus = corpus
    this.#options = options
    this.#settings = settings
    this.#timers = timers
    this.#frontier = frontier
    this.#tally = tally
    this.#scope = scope
    this.#parameters = parameters
    this.#buffer = buffer
    this.#sitemaps = sitemaps
    this.#rotation = rotation
    this.#queues = new QueueLengths(frontier, rotation, timers.now)
    this.#dispatch = new HostDispatch({
      ...shared,
      rotation,
      maxHosts: concurrency * hostsPerRequest,
      work: async host => {
        await this.#joinHost(host)
        return await worker.work(host)
      },
      onFailure: fail,
    })
  }

  /** Carries out the run. Rejects if an error ends it. */
  async run(): Promise<CrawlReport> {
    const abort = () => this.#stop.abort()
    this.#options.signal?.addEventListener('abort', abort)
    if (this.#options.signal?.aborted) this.#stop.abort()
    try {
      await this.#start()
      const rereading = this.#rereadNamedFiles()
      await this.#visitAll().finally(() => {
        // In a watched run, reading sitemaps and feeds would otherwise continue after the workers have ended.
        if (this.#settings.watch) this.#stop.abort()
      })
      await rereading
      if (!this.#failure) await this.#buffer.flush()
      if (this.#failure) throw this.#failure.error
      if (!this.#stop.signal.aborted) {
        await this.#frontier.finishRun()
        this.#tally.report.finished = true
      }
    } finally {
      this.#options.signal?.removeEventListener('abort', abort)
    }
    return this.#updateReport()
  }

  /** Visits all pages, also those in sitemaps that a crawler did not finish reading because it died. */
  async #visitAll(): Promise<void> {
    do await this.#dispatch.run()
    while (!this.#stop.signal.aborted && (await this.#sitemaps.readAbandoned()))
  }

  async #start(): Promise<void> {
    const { watch, maxPages, maxPagesPerHost, revisit } = this.#settings
    this.#frontier.limit({ perHost: maxPagesPerHost, total: watch ? maxPages : Number.POSITIVE_INFINITY })
    await this.#addScopeHosts()
    const { resumed } = await this.#frontier.beginRun(
      this.#timers.now(),
      watch ? { dueAt: (record, now) => nextVisitAt(record, now, revisit) } : { priority: revisitPriority },
    )
    const seeds = this.#corpus.seeds.flatMap(seed => tryNormalize(seed) ?? [])
    await this.#frontier.enqueue(seeds.map(url => ({ url, depth: 0, priority: 0 })))
    this.#options.onProgress?.({ kind: 'started', resumed, report: this.#updateReport() })
    await this.#readNamedFiles()
  }

  async #addScopeHosts(): Promise<void> {
    for (const url of await this.#frontier.scopeHosts()) this.#scope.addHost(new URL(url))
  }

  /** Learns what other crawlers have found out before this one works on a host. Otherwise it would ignore some links. */
  async #joinHost(host: string): Promise<void> {
    if (!this.#frontier.isShared) return
    this.#parameters.forget(host)
    await this.#addScopeHosts()
  }

  /** In a watched run, reads the sitemaps and feeds that the corpus names, again and again on its schedule. */
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
    this.#tally.countVisit(outcome)
    const { onProgress } = this.#options
    if (!onProgress) return
    const { active: hosts, ready: hostsWaiting, resting: hostsResting } = this.#rotation
    const { longest: queues } = this.#queues
    const report = this.#updateReport()
    onProgress({ kind: 'page', url, outcome, hosts, hostsWaiting, hostsResting, queues, report })
  }

  /** Updates the report with the figures of the frontier and the clock, and returns it. */
  #updateReport(): CrawlReport {
    const { report } = this.#tally
    report.pending = this.#frontier.pending
    report.known = { ...this.#frontier.counts }
    report.durationMs = this.#timers.now() - report.startedAt
    return report
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#stop.abort()
  }
}
