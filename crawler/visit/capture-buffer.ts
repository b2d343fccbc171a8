import type { AddOptions, CaptureInput, Engine } from '@asof/core'
import PQueue from 'p-queue'
import type { Frontier, FrontierUpdate, StoredText } from '../frontier/frontier.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'

/** A capture to add to the index, and what the frontier records about its URLs afterwards. */
export interface BufferedCapture {
  capture: CaptureInput
  updates: FrontierUpdate[]
  texts: StoredText[]
  /** True if the index has the text already, and the capture only adds aliases or metadata. */
  repeatsText?: boolean
}

/** The parts of a crawl that a `CaptureBuffer` uses. */
export interface BufferParts {
  engine: Engine
  frontier: Frontier
  tally: CrawlTally
  timers: Timers
  /** When an embeddings model computes the vectors of the captures. Default `now`. */
  vectors?: AddOptions['vectors']
}

/** What a `CaptureBuffer` calls after a commit. */
export interface CommitListener {
  /** A commit is in the index and in the frontier. */
  committed(): void
  /** A commit failed, so the crawl cannot continue. */
  failed(error: unknown): void
}

// Limits of one commit. Each commit becomes a segment with its own dictionary, which costs about the same for dozens of
// pages as for hundreds. But a killed crawl repeats the pages of up to two commits, so a commit must not wait long.
const MAX_CAPTURES = 500
const MAX_CHARS = 8 * 1024 * 1024
const MAX_AGE_MS = 2000

/** Captures that are added to the index together. */
class Commit {
  readonly items: BufferedCapture[] = []
  /** The captures, by each URL whose visit they finish. */
  readonly byUrl = new Map<string, BufferedCapture>()
  /** The URL under which each text is stored, by host and hash of the text. */
  readonly texts = new Map<string, string>()
  /** Total length of the Markdown in the captures, UTF-16 units. */
  chars = 0
  isSending = false

  get isFull(): boolean {
    return this.items.length >= MAX_CAPTURES || this.chars >= MAX_CHARS
  }

  index(item: BufferedCapture): void {
    this.byUrl.set(item.capture.url, item)
    for (const { url } of item.updates) this.byUrl.set(url, item)
    for (const { host, textHash, storedAs } of item.texts) {
      if (storedAs !== undefined) this.texts.set(textKey(host, textHash), storedAs)
    }
  }
}

/**
 * Collects captures and adds them to the engine in commits: after 500 captures, 8 Mi characters or two seconds, or at
 * {@link flush}. While a commit runs, the next one is collected. The frontier finishes the pages of a commit only after
 * the commit. So a crash loses no page; at worst, a page that is in the index already is fetched again.
 */
export class CaptureBuffer {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #tally: CrawlTally
  readonly #timers: Timers
  readonly #vectors: AddOptions['vectors']
  readonly #listener: CommitListener
  #open = new Commit()
  /** The commit that is being added to the index. */
  #sent: { commit: Commit; committed: Promise<void> } | undefined
  readonly #mutex = new PQueue({ concurrency: 1 })
  #timer: AbortController | undefined

  constructor({ engine, frontier, tally, timers, vectors }: BufferParts, listener: CommitListener) {
    this.#engine = engine
    this.#frontier = frontier
    this.#tally = tally
    this.#timers = timers
    this.#vectors = vectors
    this.#listener = listener
  }

  /** Returns the capture in the buffer that finishes the visit of a URL; undefined if there is none. */
  find(url: string): BufferedCapture | undefined {
    return this.#open.byUrl.get(url) ?? this.#sent?.commit.byUrl.get(url)
  }

  /** Returns the URL under which the next commit will store a text of a host; undefined if it will not. */
  findText(host: string, textHash: string): string | undefined {
    return this.#open.texts.get(textKey(host, textHash))
  }

  /**
   * Waits for the running commit if it finishes a URL or stores a given text. Afterwards the frontier knows the
   * outcome. May be called only inside {@link exclusively}.
   *
   * @throws as {@link flush} does.
   */
  async whenCommitted(url: string, text?: { host: string; textHash: string }): Promise<void> {
    const sent = this.#sent
    if (!sent) return
    const { byUrl, texts } = sent.commit
    if (byUrl.has(url) || (text && texts.has(textKey(text.host, text.textHash)))) await sent.committed
  }

  /** Runs work that reads the buffer and then adds to it. No commit starts meanwhile. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.add(work)
  }

  /** Adds a capture. May be called only inside {@link exclusively}. */
  add(item: BufferedCapture): void {
    this.#open.items.push(item)
    this.#open.chars += (item.capture.markdown ?? '').length
    this.#open.index(item)
    if (this.#open.isFull) {
      // More captures can still join the commit before it starts.
      if (!this.#open.isSending) this.#flushSoon()
      this.#open.isSending = true
    } else if (!this.#timer) this.#startTimer()
  }

  /**
   * Adds aliases and updates to a capture in the buffer. The caller must first await {@link whenCommitted}. May be
   * called only inside {@link exclusively}.
   */
  extend(item: BufferedCapture, aliases: string[], updates: FrontierUpdate[]): void {
    item.capture.aliases = [...new Set([...(item.capture.aliases ?? []), ...aliases])]
    item.updates.push(...updates)
    this.#open.index(item)
  }

  /**
   * Adds all collected captures to the engine. Resolves when the frontier has finished their pages.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. These pages then remain in the frontier, to be fetched again.
   */
  async flush(): Promise<void> {
    const { committed } = await this.exclusively(async () => {
      // Commits run one at a time, so that they stay in order.
      await this.#sent?.committed
      // An async function would await a promise that it returns, and so hold the lock until the commit ends. The object
      // prevents that.
      return { committed: this.#send() }
    })
    await committed
  }

  #send(): Promise<void> {
    // Without a reason, abort() would create an exception with a stack trace, which is slow.
    this.#timer?.abort(null)
    this.#timer = undefined
    const commit = this.#open
    if (commit.items.length === 0) return Promise.resolve()
    this.#open = new Commit()
    const committed = this.#deliver(commit).finally(() => {
      this.#sent = undefined
    })
    this.#sent = { commit, committed }
    // The caller of flush() gets the failure. This handler only prevents an unhandled rejection.
    committed.catch(() => {})
    return committed
  }

  async #deliver({ items }: Commit): Promise<void> {
    const captures = items.map(({ capture }) => capture).sort(byUrl)
    const report = await this.#engine.add(captures, { vectors: this.#vectors })
    const failures = new Map(report.failures.map(failure => [failure.url, failure]))
    const updates: FrontierUpdate[] = []
    const texts: StoredText[] = []
    let repeated = 0
    for (const item of items) {
      const failure = failures.get(item.capture.url)
      if (!failure) {
        if (item.repeatsText) repeated++
        updates.push(...item.updates)
        texts.push(...item.texts)
        continue
      }
      const { code, url: failed } = failure
      this.#tally.countFailure({ ...failure, foundOn: (await this.#frontier.get(failed))?.foundOn })
      // The engine would reject the same content again, so the page failed. Its text is not stored.
      for (const { url } of item.updates) updates.push({ url, patch: { state: 'failed', error: code } })
    }
    await this.#frontier.finish(updates, this.#timers.now(), texts)
    this.#tally.countCommit(report, repeated)
    this.#listener.committed()
  }

  #startTimer(): void {
    const timer = new AbortController()
    this.#timer = timer
    void this.#timers.wait(MAX_AGE_MS, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#flushSoon()
    })
  }

  #flushSoon(): void {
    this.flush().catch((error: unknown) => this.#listener.failed(error))
  }
}

function textKey(host: string, textHash: string): string {
  return `${host} ${textHash}`
}

/**
 * Sorts captures in the order in which a segment has captures of one instant. Otherwise every posting list would have
 * to be sorted.
 */
function byUrl(a: CaptureInput, b: CaptureInput): number {
  return a.url < b.url ? 1 : a.url > b.url ? -1 : 0
}
