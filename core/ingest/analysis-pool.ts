import { availableParallelism } from 'node:os'
import { AsofError } from '../errors.ts'
import { stoppedError } from '../extract/extract-limits.ts'
import { LimitedWorkers } from '../threads/limited-workers.ts'
import { TaskFailure } from '../threads/task-failure.ts'
import { workerFile } from '../threads/worker-file.ts'
import type { PoolTask } from './analysis-worker.ts'
import { type AnalysisFailure, type AnalysisResult, analyze } from './analyze.ts'
import { buffersOf } from './analyzed-group.ts'
import { type BuiltSegment, buildSegment, type SegmentPlan } from './build-segment.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/** Groups of plain text with up to this many characters are analyzed in place: a thread would cost more than it saves. */
const IN_PLACE_CHARS = 16 * 1024
/** Commits with up to this many bytes of postings are built in place. */
const IN_PLACE_BYTES = 128 * 1024

/** Limits of an analysis. */
export interface AnalysisLimits {
  /**
   * Timeout for the extraction of one capture, and again for its analysis. Default 20,000: long enough for the largest
   * page on a busy machine.
   */
  captureTimeoutMs: number
  /**
   * Heap of a thread, MiB. Default 2048: the largest body, if all its terms are distinct, takes three quarters of that.
   * V8 may abort the whole process at this limit, so the size limit of bodies must keep a thread below it.
   */
  heapMb: number
}

const defaultLimits: AnalysisLimits = { captureTimeoutMs: 20_000, heapMb: 2048 }

/** Limits the young generation, which V8 would let grow far beyond what short-lived objects of an analysis need. */
const YOUNG_HEAP_MB = 16
/** Shorter than the time after which an index counts as idle, because merges then need the memory of idle threads. */
const IDLE_MS = 2_500

/**
 * Extracts and analyzes captures on worker threads, so that no page can hang the engine or exhaust its memory. Also builds
 * the segments of commits there, to keep the engine's thread free.
 */
export class AnalysisPool {
  readonly threads = Math.min(4, availableParallelism())
  readonly #limits: AnalysisLimits
  readonly #workers: LimitedWorkers<PoolTask>

  /** @throws ASOF_WORKER_FAILED - a bundler left out the file that the threads run. */
  constructor(limits: Partial<AnalysisLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    this.#workers = new LimitedWorkers(workerFile('analysis-worker', import.meta.url), {
      threads: this.threads,
      keptThreads: 1,
      heapMb: this.#limits.heapMb,
      youngHeapMb: YOUNG_HEAP_MB,
      idleMs: IDLE_MS,
    })
  }

  /**
   * Analyzes a group. A capture that fails, hangs or exhausts memory is reported as a failure and does not affect the others.
   *
   * @returns one result for the whole group, or one for each capture if the group had to be split.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  async run(captures: PreparedCapture[]): Promise<AnalysisResult[]> {
    if (isSmallText(captures)) return [analyze(captures)]
    try {
      return [await this.#task(captures)]
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      // The current capture caused the failure. The others are analyzed one by one.
      return Promise.all(
        captures.map((capture, index) =>
          index === error.step && error.reason !== 'error' ? this.#failed(capture, error) : this.#alone(capture),
        ),
      )
    }
  }

  /**
   * Builds the segment of a commit. Takes over the buffers of its postings.
   *
   * @throws ASOF_STORE_WRITE - it could not be built.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  async build(plan: SegmentPlan): Promise<BuiltSegment> {
    const buffers = plan.groups.flatMap(buffersOf)
    if (buffers.reduce((total, { byteLength }) => total + byteLength, 0) <= IN_PLACE_BYTES) return buildSegment(plan)
    try {
      // Goes before waiting analyses, because it frees the memory of analyzed captures, which is more than that of others.
      return await this.#workers.run<BuiltSegment>({ build: plan }, { priority: 1, transfer: buffers })
    } catch (cause) {
      if (!(cause instanceof TaskFailure)) throw cause
      throw new AsofError(
        'ASOF_STORE_WRITE',
        'the segment of a commit could not be built: the thread that builds it failed',
        { cause },
      )
    }
  }

  /** Ends idle threads to free their memory. The next task has to start a thread, which takes half a second. */
  shrinkIdle(): void {
    this.#workers.shrinkIdle()
  }

  /** Ends the threads at once. */
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
