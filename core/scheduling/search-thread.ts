import { Worker } from 'node:worker_threads'
import type { SearchAnswer } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import type { SearchFailure, SearchMessage, SearchReply, SearchTask, SearchThreadData } from './search-worker.ts'

/** V8 lets a young generation grow far beyond what short-lived searches need, in every thread. */
const YOUNG_HEAP_MB = 4
/**
 * Far more than a thread's caches and a search need; the nearer the limit, the less garbage V8 lets lie. MiB, besides
 * so many times the caches.
 */
const OLD_HEAP_MB = 512
const OLD_HEAP_CACHES = 4

/** A search was not answered because its thread ended. */
export class ThreadEnd extends Error {
  /** Whether this search was in hand, rather than waiting behind the one that was. */
  readonly inHand: boolean

  constructor(inHand: boolean) {
    super('the search thread ended')
    this.inHand = inHand
  }
}

interface Asked {
  resolve: (answer: SearchAnswer) => void
  reject: (error: Error) => void
}

/** One thread that answers searches, one after the other. It keeps the process alive only while it is asked. */
export class SearchThread {
  readonly #worker: Worker
  readonly #asked = new Map<number, Asked>()
  readonly #gone: Promise<void>
  #lastId = 0
  /** Changes of the catalog sent, and those it has followed. */
  #sent = 0
  #followed = 0
  /** Who waits until so many are followed. */
  readonly #catchingUp: { sent: number; resolve: () => void }[] = []
  #isStopping = false
  #isGone = false

  /** @param onEnd - told when it has ended, and what made it end unless it was told to stop. */
  constructor(file: URL, data: SearchThreadData, onEnd: (cause: Error | undefined) => void) {
    this.#worker = new Worker(file, {
      workerData: data,
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
        maxOldGenerationSizeMb: OLD_HEAP_MB + Math.ceil((OLD_HEAP_CACHES * data.cacheBytes) / 2 ** 20),
      },
    })
    let cause: Error | undefined
    this.#worker.on('error', error => {
      cause = error instanceof Error ? error : new Error(String(error))
    })
    this.#gone = new Promise(resolve => {
      this.#worker.on('exit', code => {
        this.#isGone = true
        let inHand = this.hasBegun
        for (const { reject } of this.#asked.values()) {
          reject(new ThreadEnd(inHand))
          inHand = false
        }
        this.#asked.clear()
        this.#caughtUpWith(Number.POSITIVE_INFINITY)
        resolve()
        onEnd(this.#isStopping ? undefined : (cause ?? new Error(`it ended with code ${code}`)))
      })
    })
    this.#worker.on('message', (reply: SearchReply) => {
      if (reply === 'followed') this.#caughtUpWith(++this.#followed)
      else this.#settle(reply)
    })
    this.#holdProcess()
  }

  /** Whether it has the index open and answers. */
  get hasBegun(): boolean {
    return this.#followed > 0
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Searches asked and not answered yet. */
  get asked(): number {
    return this.#asked.size
  }

  /**
   * Has a search answered on the catalog as the changes sent so far make it.
   *
   * @throws ThreadEnd - the thread ended before.
   */
  ask(task: Omit<SearchTask, 'id'>): Promise<SearchAnswer> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      this.#holdProcess()
      this.#post({ task: { id, ...task } })
    })
  }

  follow(change: CatalogChange): void {
    if (this.#isStopping) return
    this.#sent++
    this.#post({ change })
  }

  /** Resolves when it has followed the changes so far, or has ended. */
  async caughtUp(): Promise<void> {
    if (this.#followed === this.#sent || this.#isGone) return
    await new Promise<void>(resolve => {
      this.#catchingUp.push({ sent: this.#sent, resolve })
      this.#holdProcess()
    })
  }

  /** Ends the thread when it has answered what it was asked, and releases its hold on the folder. */
  async stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true
      this.#holdProcess()
      this.#post('stop')
    }
    await this.#gone
  }

  #post(message: SearchMessage): void {
    this.#worker.postMessage(message)
  }

  /** The process stays alive for as long as somebody waits for the thread. */
  #holdProcess(): void {
    const isAwaited = this.#asked.size > 0 || this.#catchingUp.length > 0 || this.#isStopping
    if (isAwaited) this.#worker.ref()
    else this.#worker.unref()
  }

  #caughtUpWith(followed: number): void {
    while (this.#catchingUp.length > 0 && this.#catchingUp[0].sent <= followed) this.#catchingUp.shift()?.resolve()
    this.#holdProcess()
  }

  #settle(reply: Extract<SearchReply, object>): void {
    const asked = this.#asked.get(reply.id)
    this.#asked.delete(reply.id)
    this.#holdProcess()
    if ('answer' in reply) asked?.resolve(reply.answer)
    else asked?.reject(errorOf(reply.failure))
  }
}

function errorOf({ code, message, details, stack }: SearchFailure): Error {
  const error = code ? new AsofError(code, message, details ? { details } : {}) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
