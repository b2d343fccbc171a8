import type { Corpus } from '../corpus/corpus.ts'
import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import type { Scope } from '../discovery/scope.ts'
import type { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { nextVisitAt, revisitPriority } from '../frontier/revisit-plan.ts'
import type { CrawlReport } from '../report/crawl-report.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from '../visit/capture-buffer.ts'
import { type CrawlOptions, type CrawlSettings, crawlSettings } from './crawl-options.ts'
import type { HostDispatch } from './host-dispatch.ts'
import type { HostRotation } from './host-rotation.ts'
import { QueueLengths } from './queue-lengths.ts'
import { type RunResources, wireRun } from './wiring.ts'

/** One call of `crawl`, from its seeds to its report. */
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

  constructor(corpus: Corpus, options: CrawlOptions, resources: RunResources) {
    const settings = crawlSettings(corpus, options)
    const { frontier, timers } = resources
    const { tally, scope, parameters, buffer, sitemaps, rotation, dispatch } = wireRun(corpus, settings, resources, {
      stop: this.#stop.signal,
      onHost: host => this.#joinHost(host),
      onPage: (url, outcome) => this.#onPage(url, outcome),
      onFatal: error => this.#fail(error),
    })
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
    this.#dispatch = dispatch
    this.#queues = new QueueLengths(frontier, rotation, timers.now)
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
