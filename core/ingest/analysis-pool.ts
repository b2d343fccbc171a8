import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { AsofError } from '../errors.ts'
import { stoppedError } from '../extract/extract-limits.ts'
import { LimitedWorkers } from '../threads/limited-workers.ts'
import { TaskFailure } from '../threads/task-failure.ts'
import type { PoolTask } from './analysis-worker.ts'
import { type AnalysisFailure, type AnalysisResult, analyze } from './analyze.ts'
import { buffersOf } from './analyzed-group.ts'
import { type BatchPlan, type BuiltBatch, buildBatch } from './build-batch.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** Plain text up to this many characters is analysed in place: a thread would cost more than it saves. */
const IN_PLACE_CHARS = 16 * 1024
/** A batch with up to this many bytes of postings is built in place. */
const IN_PLACE_BYTES = 128 * 1024

/** What an analysis may take. */
export interface AnalysisLimits {
  /**
   * Of the extraction of one capture, and again of its analysis. Default 20,000: nobody waits for one page of a batch,
   * and the largest must not fail where the machine is busy.
   */
  captureTimeoutMs: number
  /**
   * Heap of a thread, MiB. Default 2048: the largest body, all of it distinct terms, takes three quarters of that.
   * V8 may abort the whole process at this limit, so it is the bound on bodies that must keep a thread below it.
   */
  heapMb: number
}

const defaultLimits: AnalysisLimits = { captureTimeoutMs: 20_000, heapMb: 2048 }

/** V8 lets a young generation grow far beyond what short-lived analysis needs, in every thread. */
const YOUNG_HEAP_MB = 16
/** Shorter than what it takes an index to count as at rest: what merges then needs the memory of idle threads. */
const IDLE_MS = 2_500

/**
 * Extraction and analysis in worker threads, so that no page can hang or exhaust the engine; and the building of
 * batches, so that the thread of the engine is free.
 */
export class AnalysisPool {
  readonly threads = Math.min(4, availableParallelism())
  readonly #limits: AnalysisLimits
  readonly #workers: LimitedWorkers<PoolTask>

  constructor(limits: Partial<AnalysisLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    this.#workers = new LimitedWorkers(new URL(`./analysis-worker${extname(import.meta.url)}`, import.meta.url), {
      threads: this.threads,
      keptThreads: 1,
      heapMb: this.#limits.heapMb,
      youngHeapMb: YOUNG_HEAP_MB,
      idleMs: IDLE_MS,
    })
  }

  /**
   * Analyses a group. A capture that fails, hangs or exhausts memory is among the failures; the others are not harmed.
   *
   * @returns one result for all, or one for each where the group had to be taken apart.
   * @throws ASOF_CLOSED
   */
  async run(captures: PreparedCapture[]): Promise<AnalysisResult[]> {
    if (isSmallText(captures)) return [analyze(captures)]
    try {
      return [await this.#task(captures)]
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      // One by one, each gets its own verdict; the one that was in hand has it.
      return Promise.all(
        captures.map((capture, index) =>
          index === error.step && error.reason !== 'error' ? this.#failed(capture, error) : this.#alone(capture),
        ),
      )
    }
  }

  /**
   * Builds the segment of a batch. The buffers of its postings are used up.
   *
   * @throws ASOF_STORE_WRITE - it could not be built.
   * @throws ASOF_CLOSED
   */
  async build(plan: BatchPlan): Promise<BuiltBatch> {
    const buffers = plan.groups.flatMap(buffersOf)
    if (buffers.reduce((total, { byteLength }) => total + byteLength, 0) <= IN_PLACE_BYTES) return buildBatch(plan)
    try {
      // Before the analyses that wait: what is analysed already takes more memory than what is not.
      return await this.#workers.run<BuiltBatch>({ build: plan }, { priority: 1, transfer: buffers })
    } catch (cause) {
      if (!(cause instanceof TaskFailure)) throw cause
      throw new AsofError('ASOF_STORE_WRITE', 'a batch could not be built: the thread that builds it failed', { cause })
    }
  }

  /** Gives back the memory of the thread that stays, unless there is something to do. The next takes half a second to start. */
  rest(): void {
    this.#workers.rest()
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    await this.#workers.abort()
  }

  async #alone(capture: PreparedCapture): Promise<AnalysisResult> {
    try {
      return await this.#task([capture])
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      return this.#failed(capture, error)
    }
  }

  #failed({ url }: PreparedCapture, failure: TaskFailure): AnalysisResult {
    const { code, message } = stoppedError(failure, {
      url,
      timeoutMs: this.#limits.captureTimeoutMs,
      heapMb: this.#limits.heapMb,
    })
    return { ...analyze([]), failures: [{ index: 0, code, message }] }
  }

  #task(captures: PreparedCapture[]): Promise<AnalysisResult> {
    return this.#workers.run({ analyze: captures, captureTimeoutMs: this.#limits.captureTimeoutMs })
  }
}

/** The failure of an analysis as the caller of `add` sees it. */
export function failureError({ code, message }: AnalysisFailure): AsofError {
  return new AsofError(code, message)
}

function isSmallText(captures: readonly PreparedCapture[]): boolean {
  let chars = 0
  for (const { kind, body } of captures) {
    if (kind === 'html') return false
    chars += body.length
  }
  return chars <= IN_PLACE_CHARS
}
