import { availableParallelism } from 'node:os'
import { AsofError } from '@asof/extract/errors'
import { stoppedError } from '@asof/extract/internal'
import { TaskFailure, workerFile } from '@asof/extract/processes'
import { LimitedWorkers } from '../threads/limited-workers.ts'
import type { PoolTask } from './analysis-worker.ts'
import { type AnalysisResult, analyze } from './analyze.ts'
import { type BuiltCommit, buffersOfPlan, buildCommit, type CommitPlan } from './build-commit.ts'
import type { PreparedCapture } from './prepared-capture.ts'

/**
 * Groups of plain text with up to this many UTF-16 units are analyzed on the calling thread, because sending them to
 * another would take longer.
 */
const IN_PLACE_CHARS = 16 * 1024
/** Commits with up to this many bytes of postings and bodies are built on the calling thread. */
const IN_PLACE_BYTES = 128 * 1024

/** Limits of an analysis. */
export interface AnalysisLimits {
  /**
   * Timeout for the extraction of one capture, and again for its analysis, milliseconds. Default 20,000, enough for the
   * largest page on a busy machine.
   */
  captureTimeoutMs: number
  /**
   * Heap limit of a thread, MiB. Default 2048. The largest body takes three quarters of it if all its terms are
   * distinct. V8 may abort the whole process at this limit, so the size limit of bodies must keep every thread below
   * it.
   */
  heapMb: number
  /**
   * Time after which an idle thread ends, milliseconds. Default 2,500: an index on disk counts as idle a little later, and then merges need
   * the memory.
   */
  idleMs: number
}

const defaultLimits: AnalysisLimits = { captureTimeoutMs: 20_000, heapMb: 2048, idleMs: 2_500 }

/** Limit of V8's young generation. V8 would let it grow far beyond what an analysis needs. */
const YOUNG_HEAP_MB = 16

/**
 * Extracts and analyzes captures on worker threads, so that no page can block the engine or exhaust its memory. Also
 * builds the segments of commits there, so that the calling thread stays responsive.
 */
export class AnalysisPool {
  readonly threads = Math.min(4, availableParallelism())
  readonly #analyzer: number
  readonly #limits: AnalysisLimits
  readonly #workers: LimitedWorkers<PoolTask>

  /**
   * @param analyzer - the number of the analyzer of the index.
   * @throws ASOF_WORKER_FAILED - a bundler left out the file that the threads run.
   */
  constructor(analyzer: number, limits: Partial<AnalysisLimits> = {}) {
    this.#analyzer = analyzer
    this.#limits = { ...defaultLimits, ...limits }
    this.#workers = new LimitedWorkers(workerFile('analysis-worker', import.meta.url), {
      threads: this.threads,
      keptThreads: 1,
      heapMb: this.#limits.heapMb,
      youngHeapMb: YOUNG_HEAP_MB,
      idleMs: this.#limits.idleMs,
    })
  }

  /**
   * Analyzes a group. A capture that fails, times out or exhausts memory is reported as a failure and does not affect
   * the others.
   *
   * @returns one result for the whole group, or one for each capture if the group had to be split.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  async run(captures: PreparedCapture[]): Promise<AnalysisResult[]> {
    if (isSmallText(captures)) return [analyze(captures, this.#analyzer)]
    try {
      return [await this.#task(captures)]
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      // The capture at `error.step` caused the failure. The others are analyzed again, one by one.
      return Promise.all(
        captures.map((capture, index) =>
          index === error.step && error.reason !== 'error' ? this.#failed(capture, error) : this.#alone(capture),
        ),
      )
    }
  }

  /**
   * Builds the segment and the packs of bodies of a commit. The buffers of its groups cannot be used afterwards.
   *
   * @throws ASOF_STORE_WRITE - the segment could not be built.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  async build(plan: CommitPlan): Promise<BuiltCommit> {
    const buffers = buffersOfPlan(plan)
    if (buffers.reduce((total, { byteLength }) => total + byteLength, 0) <= IN_PLACE_BYTES) return buildCommit(plan)
    try {
      // A build runs before waiting analyses, because it frees the memory of the captures that were analyzed.
      return await this.#workers.run<BuiltCommit>({ build: plan }, { priority: 1, transfer: buffers })
    } catch (cause) {
      if (!(cause instanceof TaskFailure)) throw cause
      throw new AsofError(
        'ASOF_STORE_WRITE',
        'the segment of a commit could not be built: the thread that builds it failed',
        { cause },
      )
    }
  }

  /** Ends idle threads to free their memory. Starting a thread again takes half a second. */
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
    return { ...analyze([], this.#analyzer), failures: [{ index: 0, code, message }] }
  }

  #task(captures: PreparedCapture[]): Promise<AnalysisResult> {
    return this.#workers.run({
      analyze: captures,
      analyzer: this.#analyzer,
      captureTimeoutMs: this.#limits.captureTimeoutMs,
    })
  }
}

function isSmallText(captures: readonly PreparedCapture[]): boolean {
  let chars = 0
  for (const { kind, body } of captures) {
    if (kind === 'html') return false
    chars += body.length
  }
  return chars <= IN_PLACE_CHARS
}
