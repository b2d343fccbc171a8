import { extname } from 'node:path'
import { AsofError, type ErrorCode } from '../errors.ts'
import { invalidOption, optionsReader } from '../options.ts'
import { shown } from '../shown-value.ts'
import { stoppedError } from './extract-limits.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'
import { LimitedWorkers, TaskFailure } from './limited-workers.ts'
import type { ExtractOutcome, ExtractTask } from './worker.ts'

const DEFAULT_THREADS = 2
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
  /**
   * Time one page may take in its worker, waiting for the worker and starting it not counted; milliseconds. Default
   * 5,000; for PDF, EPUB and Office documents, which hold whole books, 30,000.
   */
  timeoutMs?: number
  /**
   * Gives the body's memory to the worker where that holds nothing else: saves copying it, and leaves the caller's array
   * empty. Default false.
   */
  handOver?: boolean
}

const readPoolOptions = optionsReader<ExtractPoolOptions>({ maxThreads: 'number', maxHeapMb: 'number' })

const readRunOptions = optionsReader<ExtractRunOptions>(
  { url: 'string', contentType: 'string', latestAt: 'number', timeoutMs: 'number', handOver: 'boolean' },
  { required: ['url'] },
)

/**
 * Extracts pages in worker threads, each page under a time and heap limit. Workers start with the first page, end when
 * idle, and don't keep the process alive; only pages in hand do.
 */
export class ExtractPool {
  readonly #workers: LimitedWorkers<ExtractTask>
  readonly #heapMb: number

  /** @throws ASOF_INVALID_OPTION - an unknown option, or one of another type or out of range. */
  constructor(options?: ExtractPoolOptions) {
    const { maxThreads = DEFAULT_THREADS, maxHeapMb = DEFAULT_HEAP_MB } = readPoolOptions(options)
    if (!Number.isInteger(maxThreads) || maxThreads < 1 || maxThreads > 64)
      throw invalidOption('maxThreads', 'must be a whole number from 1 to 64')
    if (!(maxHeapMb > 0 && Number.isFinite(maxHeapMb))) throw invalidOption('maxHeapMb', 'must be a number above 0')
    this.#heapMb = maxHeapMb
    // From sources and from dist alike: the worker has the extension of the file that runs.
    this.#workers = new LimitedWorkers(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      threads: maxThreads,
      heapMb: maxHeapMb,
      idleMs: IDLE_MS,
    })
  }

  /**
   * Extracts one page in a worker.
   *
   * @param body - at most 20 MiB. Bytes are copied, unless `handOver` is set, so the caller's stay usable.
   * @throws ASOF_EXTRACT_TIMEOUT - the page took longer than `timeoutMs`, or more memory than a worker has
   *   (`details.limit` says which); its worker was replaced.
   * @throws ASOF_EXTRACT_FAILED - a broken or protected document, or the worker failed.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - a package that reads this type of document is not installed.
   * @throws ASOF_EXTRACT_TOO_LARGE
   * @throws ASOF_UNSUPPORTED_TYPE
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; or `body` is neither a string nor bytes.
   * @throws ASOF_CLOSED - after {@link close}.
   */
  async run(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      throw invalidOption('body', `must be a string or bytes, not ${shown(body)}`)
    const { timeoutMs, handOver = false, ...rest } = readRunOptions(options)
    if (timeoutMs !== undefined && !(timeoutMs > 0))
      throw invalidOption('timeoutMs', 'must be a number of milliseconds above 0')
    const task: ExtractTask = { body, options: rest, ...(timeoutMs !== undefined && { timeoutMs }) }
    try {
      const outcome = await this.#workers.run<ExtractOutcome>(task, { transfer: handOver ? ownMemory(body) : [] })
      if ('page' in outcome) return outcome.page
      const { code, message, details } = outcome.error
      throw new AsofError(code as ErrorCode, message, details === undefined ? {} : { details })
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      throw stoppedError(error, { url: options.url, timeoutMs, heapMb: this.#heapMb })
    }
  }

  /** Waits for the pages in hand, refuses those that wait, and ends the workers. Idempotent. */
  async close(): Promise<void> {
    await this.#workers.close()
  }
}

/** Small buffers of Node's are parts of one that many share. */
function ownMemory(body: Uint8Array | string): ArrayBuffer[] {
  if (typeof body === 'string' || !(body.buffer instanceof ArrayBuffer)) return []
  return body.byteLength > 0 && body.byteLength === body.buffer.byteLength ? [body.buffer] : []
}

let shared: ExtractPool | undefined

/**
 * Extracts one page in a pool of two workers that the whole process shares; see {@link ExtractPool.run}. A script that
 * only calls this ends by itself.
 *
 * @param options.timeoutMs - default 5,000; for documents 30,000.
 */
export function extract(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
  shared ??= new ExtractPool()
  return shared.run(body, options)
}
