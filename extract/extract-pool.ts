import { invalidOption, optionsReader } from './errors/options.ts'
import { extractTimeoutMs, stoppedError } from './extract-limits.ts'
import type { ExtractTask } from './extract-process.ts'
import { type ExtractedPage, type ExtractOptions, extractOptionKinds } from './extracted-page.ts'
import { kindOfBody } from './kind-of-body.ts'
import { LimitedProcesses } from './processes/limited-processes.ts'
import { TaskFailure } from './processes/task-failure.ts'
import { workerFile } from './processes/worker-file.ts'

const DEFAULT_PROCESSES = 2
const DEFAULT_HEAP_MB = 768
const MIN_HEAP_MB = 64
const IDLE_MS = 10_000

/** The processes of an {@link ExtractPool}. */
export interface ExtractPoolOptions {
  /** Number of processes, 1 to 64. Default: 2. */
  maxProcesses?: number
  /** Heap limit of each process in MiB, at least 64. Default: 768. */
  maxHeapMb?: number
}

/** The options of {@link extract}: those of {@link ExtractOptions}, a time limit and a signal. */
export interface ExtractRunOptions extends ExtractOptions {
  /**
   * Time limit for the page, milliseconds. Waiting for a process and starting it do not count. Default: 5,000, and
   * 30,000 for PDF, EPUB and Office documents.
   */
  timeoutMs?: number
  /** Aborts the extraction. */
  signal?: AbortSignal
}

const readPoolOptions = optionsReader<ExtractPoolOptions>({ maxProcesses: 'number', maxHeapMb: 'number' })

const readRunOptions = optionsReader<ExtractRunOptions>(
  { ...extractOptionKinds, timeoutMs: 'number', signal: 'signal' },
  { required: ['url'] },
)

/**
 * Extracts pages in child processes, with a time limit and a heap limit for each page. So no page can crash or block
 * the calling process. Processes start when needed and end after 10 s without work. An idle process does not keep the
 * calling process alive.
 */
export class ExtractPool {
  readonly #processes: LimitedProcesses<ExtractTask, ExtractedPage>
  readonly #heapMb: number

  /**
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type or out of range.
   * @throws ASOF_WORKER_FAILED - a bundler left out the file that the processes run.
   */
  constructor(options?: ExtractPoolOptions) {
    const { maxProcesses = DEFAULT_PROCESSES, maxHeapMb = DEFAULT_HEAP_MB } = readPoolOptions(options)
    if (!Number.isInteger(maxProcesses) || maxProcesses < 1 || maxProcesses > 64)
      throw invalidOption('maxProcesses', 'must be a whole number from 1 to 64')
    if (!Number.isInteger(maxHeapMb) || maxHeapMb < MIN_HEAP_MB)
      throw invalidOption('maxHeapMb', `must be a whole number of at least ${MIN_HEAP_MB}`)
    this.#heapMb = maxHeapMb
    this.#processes = new LimitedProcesses(workerFile('extract-process', import.meta.url), {
      processes: maxProcesses,
      heapMb: maxHeapMb,
      idleMs: IDLE_MS,
    })
  }

  /**
   * Extracts one page in a child process.
   *
   * @param body - at most 20 MiB. It is copied.
   * @throws ASOF_EXTRACT_TIMEOUT - the page exceeded the time limit or the heap limit.
   * @throws ASOF_EXTRACT_FAILED - the document is damaged or protected.
   * @throws ASOF_WORKER_FAILED - no process could be started.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - the package for this type of document is not installed.
   * @throws ASOF_EXTRACT_TOO_LARGE
   * @throws ASOF_UNSUPPORTED_TYPE
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; a wrong rule of `fields`; or `body` is neither a string nor bytes.
   * @throws ASOF_CLOSED - after {@link close}.
   * @throws the reason of `options.signal`
   */
  async run(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
    const { timeoutMs: given, signal, ...rest } = readRunOptions(options)
    if (given !== undefined && !(given > 0))
      throw invalidOption('timeoutMs', 'must be a number of milliseconds greater than 0')
    // Loaded at the first call with rules, because it needs the parser of selectors.
    if (rest.fields) (await import('./page-fields/parsed-once.ts')).parsedOnce(rest.fields)
    const timeoutMs = given ?? extractTimeoutMs(kindOfBody(body, rest))
    try {
      return await this.#processes.run({ body, options: rest }, timeoutMs, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof TaskFailure)) throw error
      throw stoppedError(error, { url: options.url, timeoutMs, heapMb: this.#heapMb })
    }
  }

  /** Lets running extractions finish, rejects waiting ones, and ends the processes. May be called again. */
  async close(): Promise<void> {
    await this.#processes.close()
  }
}

let shared: ExtractPool | undefined

/**
 * Extracts one page in a pool of two child processes that all callers share, see {@link ExtractPool.run}. The pool need
 * not be closed before the calling process can end.
 *
 * @param options.timeoutMs - default: 5,000, and 30,000 for documents.
 */
export async function extract(body: Uint8Array | string, options: ExtractRunOptions): Promise<ExtractedPage> {
  shared ??= new ExtractPool()
  return shared.run(body, options)
}
