import type { CaptureInput, Engine } from '@asof/core'
import PQueue from 'p-queue'
import { type CrawlReport, countFailure } from '../crawl-report.ts'
import type { Claim, Frontier, Settlement } from '../frontier/frontier.ts'
import type { Timers } from '../timers.ts'

/** A capture on its way into the index, with what the frontier records once it is there. */
export interface PendingCapture {
  capture: CaptureInput
  settlements: Settlement[]
  claims: Claim[]
  /** Repeats a known text, to make aliases or metadata known: its page is counted already. */
  knownText?: boolean
}

/** What a batch tells the crawl. */
export interface BatchListener {
  /** A batch is in the index and in the frontier. */
  settled(): void
  /** A batch could not be written: the crawl can't go on. */
  failed(error: unknown): void
}

// A load is a segment of the index, with a dictionary of its own: of a few dozen pages it would cost as much as of
// some hundreds. What a killed crawl fetches again are the pages of two loads, so neither may take long to come together.
const maxCaptures = 500
const maxChars = 8 * 1024 * 1024
const maxAgeMs = 2000

/** Captures that go into the index together. */
class Load {
  readonly items: PendingCapture[] = []
  /** The capture that settles a URL: under its own or another name. */
  readonly byUrl = new Map<string, PendingCapture>()
  /** The URLs that claim texts, by host and text. */
  readonly claims = new Map<string, string>()
  /** Of the captures' content. */
  chars = 0
  isSending = false

  get isFull(): boolean {
    return this.items.length >= maxCaptures || this.chars >= maxChars
  }

  index(item: PendingCapture): void {
    this.byUrl.set(item.capture.url, item)
    for (const { url } of item.settlements) this.byUrl.set(url, item)
    for (const { host, textHash, url } of item.claims) {
      if (url !== undefined) this.claims.set(`${host} ${textHash}`, url)
    }
  }
}

/**
 * Collects captures and hands them to the engine together: after 500, or fewer large ones, after two seconds, or when asked;
 * while one load is on its way the next is collected. Only when the engine has acknowledged a load are its pages settled in the frontier;
 * so a page is either in the index and settled, or in the index and fetched once more, or still to be fetched.
 */
export class CaptureBatch {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #report: CrawlReport
  readonly #timers: Timers
  readonly #listener: BatchListener
  #open = new Load()
  /** The load that is on its way into the index. */
  #sent: { load: Load; landed: Promise<void> } | undefined
  readonly #mutex = new PQueue({ concurrency: 1 })
  #timer: AbortController | undefined

  constructor(engine: Engine, frontier: Frontier, report: CrawlReport, timers: Timers, listener: BatchListener) {
    this.#engine = engine
    this.#frontier = frontier
    this.#report = report
    this.#timers = timers
    this.#listener = listener
  }

  /** The waiting capture that will settle a URL, if any. */
  holding(url: string): PendingCapture | undefined {
    return this.#open.byUrl.get(url) ?? this.#sent?.load.byUrl.get(url)
  }

  /** The URL that a waiting capture claims a text for, if any. */
  claimant(host: string, textHash: string): string | undefined {
    return this.#open.claims.get(`${host} ${textHash}`)
  }

  /**
   * Waits for the load on its way if it concerns a page, so that the frontier knows what became of it; only inside
   * {@link exclusively}.
   *
   * @throws as {@link flush} does.
   */
  async landed(url: string, host: string, textHash: string | undefined): Promise<void> {
    const sent = this.#sent
    if (sent && (sent.load.byUrl.has(url) || sent.load.claims.has(`${host} ${textHash}`))) await sent.landed
  }

  /** Runs work that reads the batch and adds to it. No load is closed meanwhile. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.add(work)
  }

  /** Adds a capture; only inside {@link exclusively}. */
  add(item: PendingCapture): void {
    this.#open.items.push(item)
    this.#open.chars += (item.capture.markdown ?? '').length
    this.#open.index(item)
    if (this.#open.isFull) {
      // What still comes until it is sent goes with it.
      if (!this.#open.isSending) this.#flushSoon()
      this.#open.isSending = true
    } else if (!this.#timer) this.#startTimer()
  }

  /** Adds names and settlements to a waiting capture that has {@link landed} or is not sent; only inside {@link exclusively}. */
  extend(item: PendingCapture, aliases: string[], settlements: Settlement[]): void {
    item.capture.aliases = [...new Set([...(item.capture.aliases ?? []), ...aliases])]
    item.settlements.push(...settlements)
    this.#open.index(item)
  }

  /**
   * Hands over what there is, and resolves when it is settled.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine; the pages concerned stay pending in the frontier.
   */
  async flush(): Promise<void> {
    const landed = await this.exclusively(async () => {
      // One load at a time is on its way: what comes later must not overtake it.
      await this.#sent?.landed
      return { all: this.#send() }
    })
    await landed.all
  }

  #send(): Promise<void> {
    // Without a reason there would be an exception to be made, with its stack, for nobody.
    this.#timer?.abort(null)
    this.#timer = undefined
    const load = this.#open
    if (load.items.length === 0) return Promise.resolve()
    this.#open = new Load()
    const landed = this.#deliver(load).finally(() => {
      this.#sent = undefined
    })
    this.#sent = { load, landed }
    // Its failure reaches whoever flushed; nobody else need wait for it.
    landed.catch(() => {})
    return landed
  }

  async #deliver({ items }: Load): Promise<void> {
    const { added, revised, unchanged, failed } = await this.#engine.add(
      items.map(({ capture }) => capture).sort(byUrl),
    )
    const errors = new Map(failed.map(({ url, error }) => [url, error]))
    const settlements: Settlement[] = []
    const claims: Claim[] = []
    let counted = 0
    for (const item of items) {
      const error = errors.get(item.capture.url)
      if (!error) {
        if (item.knownText) counted++
        settlements.push(...item.settlements)
        claims.push(...item.claims)
        continue
      }
      const code = countFailure(this.#report, item.capture.url, error)
      // Refused content is refused again: the page is settled as failed, its text claimed by nobody.
      for (const { url } of item.settlements) settlements.push({ url, patch: { state: 'failed', error: code } })
    }
    await this.#frontier.settle(settlements, claims, this.#timers.now())
    this.#report.stored += added
    this.#report.revised += revised
    this.#report.unchanged += Math.max(0, unchanged + revised - counted)
    this.#listener.settled()
  }

  #startTimer(): void {
    const timer = new AbortController()
    this.#timer = timer
    void this.#timers.wait(maxAgeMs, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#flushSoon()
    })
  }

  #flushSoon(): void {
    this.flush().catch((error: unknown) => this.#listener.failed(error))
  }
}

/**
 * The order in which the index numbers captures of one instant: taken in any other, each list of postings of the load has
 * to be put in order.
 */
function byUrl(a: CaptureInput, b: CaptureInput): number {
  return a.url < b.url ? 1 : a.url > b.url ? -1 : 0
}
