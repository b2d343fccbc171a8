import { Worker } from 'node:worker_threads'
import type { SearchAnswer } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import type { SearchFailure, SearchMessage, SearchReply, SearchTask, SearchThreadData } from './search-worker.ts'

/** Limits the young generation, which V8 would let grow far beyond what short-lived objects of a search need. */
const YOUNG_HEAP_MB = 4
/**
 * Heap limit: this many MiB plus this many times the cache size. It is far more than a thread's caches and a search need;
 * V8 collects garbage more often the nearer the heap is to its limit.
 */
const OLD_HEAP_MB = 512
const OLD_HEAP_CACHES = 4

/** The error of a search whose thread ended before it answered. */
export class ThreadEnd extends Error {
  /** True if this search was running; false if it waited behind the running one. */
  readonly wasRunning: boolean

  constructor(wasRunning: boolean) {
    super('the search thread ended')
    this.wasRunning = wasRunning
  }
}

interface Asked {
  resolve: (answer: SearchAnswer) => void
  reject: (error: Error) => void
}

/** One thread that answers searches, one after the other. It keeps the process alive only while it has searches to answer. */
export class SearchThread {
  readonly #worker: Worker
  readonly #asked = new Map<number, Asked>()
  readonly #gone: Promise<void>
  #lastId = 0
  /** Number of catalog changes sent, and number applied by the thread. */
  #sent = 0
  #followed = 0
  /** Callers that wait until the thread has applied this many changes. */
  readonly #catchingUp: { sent: number; resolve: () => void }[] = []
  #isStopping = false
  #isGone = false

  /** @param onEnd - called when the thread has ended, with the cause unless `stop` ended it. */
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
        // Searches are answered in order, so the first one was running.
        let isRunning = this.hasBegun
        for (const { reject } of this.#asked.values()) {
          reject(new ThreadEnd(isRunning))
          isRunning = false
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

  /** True if the thread has opened the index and answers. */
  get hasBegun(): boolean {
    return this.#followed > 0
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Number of searches not answered yet. */
  get asked(): number {
    return this.#asked.size
  }

  /**
   * Answers a search on the catalog that results from the changes sent so far.
   *
   * @throws ThreadEnd - the thread ended first.
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

  /** Resolves when the thread has applied the changes sent so far, or has ended. */
  async caughtUp(): Promise<void> {
    if (this.#followed === this.#sent || this.#isGone) return
    await new Promise<void>(resolve => {
      this.#catchingUp.push({ sent: this.#sent, resolve })
      this.#holdProcess()
    })
  }

  /** Ends the thread after it has answered its searches. Then it no longer holds the folder open. */
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

  /** Keeps the process alive while a caller waits for the thread. */
  #holdProcess(): void {
    const isAwaited = this.#asked.size > 0 || this.#catchingUp.length > 0 || this.#isStopping
    if (isAwaited) this.#worker.ref()
    else this.#worker.unref()
  }

  #caughtUpWith(followed: number): void {
    for (let next = this.#catchingUp[0]; next && next.sent <= followed; next = this.#catchingUp[0]) {
      this.#catchingUp.shift()
      next.resolve()
    }
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
