import { extname } from 'node:path'
import { invalidOption, optionsReader } from '../options.ts'
import { shown } from '../shown-value.ts'
import { LimitedProcesses } from '../threads/limited-processes.ts'
import { TaskFailure } from '../threads/task-failure.ts'
import { extractTimeoutMs, stoppedError } from './extract-limits.ts'
import { kindOfBody } from './extract-page.ts'
import type { ExtractTask } from './extract-process.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

const DEFAULT_PROCESSES = 2
const DEFAULT_HEAP_MB = 768
const MIN_HEAP_MB = 64
const IDLE_MS = 10_000

export interface ExtractPoolOptions {
  /** Number of processes, 1 to 64. Default 2. */
  maxProcesses?: number
  /** Heap of each process, 64 MiB or more. Default 768. */
  maxHeapMb?: number
}

export interface ExtractRunOptions extends ExtractOptions {
  /**
   * How long one page may take, milliseconds; waiting for a process and starting it does not count. Default 5,000; for PDF,
   * EPUB and Office documents, which can hold whole books, 30,000.
   */
  timeoutMs?: number
  /** Ends the extraction and its process when it aborts. */
  signal?: AbortSignal
}

const readPoolOptions = optionsReader<ExtractPoolOptions>({ maxProcesses: 'number', maxHeapMb: 'number' })

const readRunOptions = optionsReader<ExtractRunOptions>(
  { url: 'string', contentType: 'string', latestAt: 'number', timeoutMs: 'number', signal: 'signal' },
  { required: ['url'] },
)

/**
 * Extracts pages in child processes, each page under a time limit and a heap limit. No page can end or block the calling
 * process. Processes start with the first page, end after 10 s without one, and do not keep the caller alive; only pages
 * being extracted do.
 */
export class ExtractPool {
  readonly #processes: LimitedProcesses<ExtractTask, ExtractedPage>
  readonly #heapMb: number

  /** @throws ASOF_INVALID_OPTION - an unknown option, or one of another type or out of range. */
  constructor(options?: ExtractPoolOptions) {
    const { maxProcesses = DEFAULT_PROCESSES, maxHeapMb = DEFAULT_HEAP_MB } = readPoolOptions(options)
    if (!Number.isInteger(maxProcesses) || maxProcesses < 1 || maxProcesses > 64)
      throw invalidOption('maxProcesses', 'must be a whole number from 1 to 64')
    if (!Number.isInteger(maxHeapMb) || maxHeapMb < MIN_HEAP_MB)
      throw invalidOption('maxHeapMb', `must be a whole number of at least ${MIN_HEAP_MB}`)
    this.#heapMb = maxHeapMb
    // From sources and from dist alike: the module has the extension of the file that runs.
    this.#processes = new LimitedProcesses(new URL(`./extract-process${extname(import.meta.url)}`, import.meta.url), {
      processes: maxProcesses,
      heapMb: maxHeapMb,
      idleMs: IDLE_MS,
    })
  }

  /**
   * Extracts one page in a child process.
   *
   * @param body - at most 20 MiB. It is copied.
   * @throws ASOF_EXTRACT_TIMEOUT - the page needs more time than `timeoutMs` or more memory than a process has.
   * @throws ASOF_EXTRACT_FAILED - a broken or protected document, or no process could be started.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - a package that reads this type of document is not installed.
   * @throws ASOF_EXTRACT_TOO_LARGE
   * @throws ASOF_UNSUPPORTED_TYPE
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; or `body` is neither a string nor bytes.
   * @throws ASOF_CLOSED - after {@link close}.
   * @throws the reason of `options.signal`
   */
  async run(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      throw invalidOption('body', `must be a string or bytes, not ${shown(body)}`)
    const { timeoutMs: given, signal, ...rest } = readRunOptions(options)
    if (given !== undefined && !(given > 0))
      throw invalidOption('timeoutMs', 'must be a number of milliseconds above 0')
    const timeoutMs = given ?? extractTimeoutMs(kindOfBody(body, rest))
    try {
      return await this.#processes.run({ body, options: rest }, timeoutMs, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof TaskFailure)) throw error
      throw stoppedError(error, { url: options.url, timeoutMs, heapMb: this.#heapMb })
    }
  }

  /** Waits for pages being extracted, refuses those that wait, and ends the processes. Idempotent. */
  async close(): Promise<void> {
    await this.#processes.close()
  }
}

let shared: ExtractPool | undefined

/**
 * Extracts one page in a pool of two child processes that the whole process shares; see {@link ExtractPool.run}. A script that
 * only calls this ends by itself.
 *
 * @param options.timeoutMs - default 5,000; for documents 30,000.
 */
export function extract(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
  shared ??= new ExtractPool()
  return shared.run(body, options)
}
