import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { AsofError, type ErrorCode } from '../errors.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import type { ExtractOutcome, ExtractTask } from './worker.ts'

const DEFAULT_THREADS = 2
const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_HEAP_MB = 768
/** Idle workers end after this long; they never keep the process alive meanwhile. */
const IDLE_MS = 10_000

export interface ExtractPoolOptions {
  /** 1 to 64. Default 2. */
  maxThreads?: number
  /** Heap of each worker, MiB. Default 768. */
  maxHeapMb?: number
}

export interface ExtractRunOptions extends ExtractOptions {
  /** Time one page may take in its worker, waiting for a free worker not counted but starting one is; milliseconds. Default 20,000. */
  timeoutMs?: number
}

interface Waiting {
  task: ExtractTask
  timeoutMs: number
  settle: { resolve: (page: ExtractedPage) => void; reject: (error: Error) => void }
}

/**
 * Extracts pages in worker threads, each page under a time and heap limit. Workers start with the first page, end when
 * idle, and don't keep the process alive; only pages in hand do.
 */
export class ExtractPool {
  private readonly pool: Piscina<ExtractTask, ExtractOutcome>
  private readonly maxThreads: number
  private readonly waiting: Waiting[] = []
  private readonly drained: (() => void)[] = []
  private running = 0
  private closed = false

  constructor(options: ExtractPoolOptions = {}) {
    const { maxThreads = DEFAULT_THREADS, maxHeapMb = DEFAULT_HEAP_MB } = options
    if (!Number.isInteger(maxThreads) || maxThreads < 1 || maxThreads > 64)
      throw new TypeError('maxThreads must be a whole number from 1 to 64')
    this.maxThreads = maxThreads
    this.pool = new Piscina({
      // From sources and from dist alike: the worker has the extension of the file that runs.
      filename: new URL(`./worker${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads,
      idleTimeout: IDLE_MS,
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      recordTiming: false,
    })
  }

  /**
   * Extracts one page in a worker.
   *
   * @param body - at most 20 MiB. Bytes are copied, so the caller's stay usable.
   * @throws ASOF_EXTRACT_TIMEOUT - the page took longer than `timeoutMs`; its worker was replaced.
   * @throws ASOF_EXTRACT_FAILED - the worker died, as by running out of heap.
   * @throws ASOF_EXTRACT_TOO_LARGE
   * @throws ASOF_UNSUPPORTED_TYPE
   * @throws ASOF_INVALID_URL
   * @throws ASOF_CLOSED - after {@link close}.
   */
  run(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, ...rest } = options
    if (this.closed) return Promise.reject(closedError())
    const { promise, resolve, reject } = Promise.withResolvers<ExtractedPage>()
    this.waiting.push({ task: { body, options: rest }, timeoutMs, settle: { resolve, reject } })
    this.next()
    return promise
  }

  /** Waits for the pages in hand, refuses those that wait, and ends the workers. Idempotent. */
  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = true
      for (const { settle } of this.waiting.splice(0)) settle.reject(closedError())
    }
    if (this.running > 0) await new Promise<void>(resolve => this.drained.push(resolve))
    await this.pool.destroy()
  }

  private next(): void {
    while (this.running < this.maxThreads) {
      const waiting = this.waiting.shift()
      if (!waiting) return
      this.running++
      this.extract(waiting.task, waiting.timeoutMs)
        .then(waiting.settle.resolve, waiting.settle.reject)
        .finally(() => {
          this.running--
          this.next()
          if (this.running === 0) for (const resolve of this.drained.splice(0)) resolve()
        })
    }
  }

  /** Piscina ends and replaces the worker of an aborted task. */
  private async extract(task: ExtractTask, timeoutMs: number): Promise<ExtractedPage> {
    const limit = new AbortController()
    // Referenced on purpose: with unreferenced workers it is what keeps the process alive while a page is in hand.
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    try {
      const outcome = await this.pool.run(task, { signal: limit.signal })
      if ('page' in outcome) return outcome.page
      const { code, message, details } = outcome.error
      throw new AsofError(code as ErrorCode, message, details === undefined ? {} : { details })
    } catch (error) {
      if (error instanceof AsofError) throw error
      if (limit.signal.aborted) {
        throw new AsofError('ASOF_EXTRACT_TIMEOUT', `the page took longer than ${timeoutMs} ms to extract`, {
          cause: error,
          details: { url: task.options.url, timeoutMs },
        })
      }
      const reason = error instanceof Error ? error.message : String(error)
      throw new AsofError('ASOF_EXTRACT_FAILED', `the page could not be extracted: ${reason}`, {
        cause: error,
        details: { url: task.options.url },
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

function closedError(): AsofError {
  return new AsofError('ASOF_CLOSED', 'the extraction pool is closed')
}

let shared: ExtractPool | undefined

/**
 * Extracts one page in a pool of two workers that the whole process shares; see {@link ExtractPool.run}. A script that
 * only calls this ends by itself.
 *
 * @param options.timeoutMs - default 20,000.
 */
export function extract(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
  shared ??= new ExtractPool()
  return shared.run(body, options)
}
