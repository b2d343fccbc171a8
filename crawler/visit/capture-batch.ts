import type { CaptureInput, Engine } from '@asof/core'
import PQueue from 'p-queue'
import type { CrawlTally } from '../crawl-tally.ts'
import type { Frontier, FrontierUpdate, TextOwner } from '../frontier/frontier.ts'
import type { Timers } from '../timers.ts'

/** A capture that is to be added to the index, with what the frontier records afterwards. */
export interface PendingCapture {
  capture: CaptureInput
  updates: FrontierUpdate[]
  owners: TextOwner[]
  /** True if the text is stored already and the capture only adds aliases or metadata. */
  knownText?: boolean
}

/** The parts of a crawl that a `CaptureBatch` uses. */
export interface BatchParts {
  engine: Engine
  frontier: Frontier
  tally: CrawlTally
  timers: Timers
}

/** Functions that a `CaptureBatch` calls. */
export interface BatchListener {
  /** Called when a batch is in the index and in the frontier. */
  settled(): void
  /** Called when a batch could not be written: the crawl cannot continue. */
  failed(error: unknown): void
}

// A batch becomes a segment of the index with a dictionary of its own, which costs as much for a few dozen pages as for
// some hundreds. A killed crawl fetches the pages of up to two batches again, so a batch must not take long to fill.
const maxCaptures = 500
const maxChars = 8 * 1024 * 1024
const maxAgeMs = 2000

/** Captures that go into the index together. */
class Batch {
  readonly items: PendingCapture[] = []
  /** The capture that will settle a URL, by every URL that it settles. */
  readonly byUrl = new Map<string, PendingCapture>()
  /** The URL that owns a text, by host and hash of the text. */
  readonly owners = new Map<string, string>()
  /** Total length of the captures' Markdown. */
  chars = 0
  isSending = false

  get isFull(): boolean {
    return this.items.length >= maxCaptures || this.chars >= maxChars
  }

  index(item: PendingCapture): void {
    this.byUrl.set(item.capture.url, item)
    for (const { url } of item.updates) this.byUrl.set(url, item)
    for (const { host, textHash, url } of item.owners) {
      if (url !== undefined) this.owners.set(`${host} ${textHash}`, url)
    }
  }
}

/**
 * Collects captures and adds them to the engine in batches: after 500 captures, after 8 Mi characters, after two seconds, or
 * when {@link flush} is called. While one batch is being added the next is collected. The pages of a batch are settled in
 * the frontier only after the engine has acknowledged it. So after a crash every page is in one of three states: in the
 * index and settled; in the index but to be fetched once more; or not in the index and still to be fetched.
 */
export class CaptureBatch {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #tally: CrawlTally
  readonly #timers: Timers
  readonly #listener: BatchListener
  #open = new Batch()
  /** The batch that is being added to the index. */
  #sent: { batch: Batch; committed: Promise<void> } | undefined
  readonly #mutex = new PQueue({ concurrency: 1 })
  #timer: AbortController | undefined

  constructor({ engine, frontier, tally, timers }: BatchParts, listener: BatchListener) {
    this.#engine = engine
    this.#frontier = frontier
    this.#tally = tally
    this.#timers = timers
    this.#listener = listener
  }

  /** Returns the pending capture that will settle a URL, if there is one. */
  pending(url: string): PendingCapture | undefined {
    return this.#open.byUrl.get(url) ?? this.#sent?.batch.byUrl.get(url)
  }

  /** Returns the URL that owns a text of a host once the pending captures are settled, if one of them has that text. */
  ownerOf(host: string, textHash: string): string | undefined {
    return this.#open.owners.get(`${host} ${textHash}`)
  }

  /**
   * Waits until the frontier knows the outcome of the batch that is being added, if that batch settles the URL or has a
   * page with the text. Call it only inside {@link exclusively}.
   *
   * @throws as {@link flush} does.
   */
  async committed(url: string, host: string, textHash: string | undefined): Promise<void> {
    const sent = this.#sent
    if (sent && (sent.batch.byUrl.has(url) || sent.batch.owners.has(`${host} ${textHash}`))) await sent.committed
  }

  /** Runs work that reads the pending captures and adds to them. No batch is closed meanwhile. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.add(work)
  }

  /** Adds a capture. Call it only inside {@link exclusively}. */
  add(item: PendingCapture): void {
    this.#open.items.push(item)
    this.#open.chars += (item.capture.markdown ?? '').length
    this.#open.index(item)
    if (this.#open.isFull) {
      // Captures that are added until the batch is sent go with it.
      if (!this.#open.isSending) this.#flushSoon()
      this.#open.isSending = true
    } else if (!this.#timer) this.#startTimer()
  }

  /**
   * Adds aliases and updates to a pending capture that is not being added: await {@link committed} first. Call it only
   * inside {@link exclusively}.
   */
  extend(item: PendingCapture, aliases: string[], updates: FrontierUpdate[]): void {
    item.capture.aliases = [...new Set([...(item.capture.aliases ?? []), ...aliases])]
    item.updates.push(...updates)
    this.#open.index(item)
  }

  /**
   * Adds all collected captures to the engine, and resolves when their pages are settled.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine; the pages concerned stay pending in the frontier.
   */
  async flush(): Promise<void> {
    const { committed } = await this.exclusively(async () => {
      // One batch at a time is added, so that none overtakes an earlier one.
      await this.#sent?.committed
      // Wrapped in an object: a promise returned from an async function is awaited, so the lock would be held until the
      // commit ends.
      return { committed: this.#send() }
    })
    await committed
  }

  #send(): Promise<void> {
    // Without an explicit reason, abort() would build an exception with a stack that nobody reads.
    this.#timer?.abort(null)
    this.#timer = undefined
    const batch = this.#open
    if (batch.items.length === 0) return Promise.resolve()
    this.#open = new Batch()
    const committed = this.#deliver(batch).finally(() => {
      this.#sent = undefined
    })
    this.#sent = { batch, committed }
    // The caller of flush() gets the failure; without this line others would see an unhandled rejection.
    committed.catch(() => {})
    return committed
  }

  async #deliver({ items }: Batch): Promise<void> {
    const report = await this.#engine.add(items.map(({ capture }) => capture).sort(byUrl))
    const errors = new Map(report.failed.map(({ url, error }) => [url, error]))
    const updates: FrontierUpdate[] = []
    const owners: TextOwner[] = []
    let known = 0
    for (const item of items) {
      const error = errors.get(item.capture.url)
      if (!error) {
        if (item.knownText) known++
        updates.push(...item.updates)
        owners.push(...item.owners)
        continue
      }
      const { url: failed } = item.capture
      const code = this.#tally.countFailure(failed, error, (await this.#frontier.get(failed))?.foundOn)
      // The engine would reject the same content again: the page is settled as failed, and no URL owns its text.
      for (const { url } of item.updates) updates.push({ url, patch: { state: 'failed', error: code } })
    }
    await this.#frontier.settle(updates, owners, this.#timers.now())
    this.#tally.countBatch(report, known)
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

/** The order in which the index numbers captures of one instant. For another order every posting list would have to be sorted. */
function byUrl(a: CaptureInput, b: CaptureInput): number {
  return a.url < b.url ? 1 : a.url > b.url ? -1 : 0
}
