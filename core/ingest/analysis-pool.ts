import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { AsofError } from '../errors.ts'
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
  /** Of a group; when it passes, its captures are tried one by one to find the one that hangs. Default 30,000. */
  groupTimeoutMs: number
  /** Of one capture. Default 20,000. */
  captureTimeoutMs: number
  /**
   * Heap of a thread, MiB. Default 2048: the largest body, all of it distinct terms, takes three quarters of that.
   * V8 may abort the whole process at this limit, so it is the bound on bodies that must keep a thread below it.
   */
  heapMb: number
}

const defaultLimits: AnalysisLimits = { groupTimeoutMs: 30_000, captureTimeoutMs: 20_000, heapMb: 2048 }

/** V8 lets a young generation grow far beyond what short-lived analysis needs, in every thread. */
const YOUNG_HEAP_MB = 16

/**
 * Extraction and analysis in worker threads, so that no page can hang or exhaust the engine; and the building of
 * batches, so that the thread of the engine is free.
 */
export class AnalysisPool {
  readonly threads = Math.min(4, availableParallelism())
  #pool: Piscina<PoolTask, unknown> | undefined
  /** One task per thread at a time, so that a task's time limit counts its own work alone. */
  readonly #queue = new PQueue({ concurrency: this.threads })
  readonly #limits: AnalysisLimits
  #closed = false

  constructor(limits: Partial<AnalysisLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /**
   * Analyses a group. A capture that fails, hangs or exhausts memory is among the failures; the others are not harmed.
   *
   * @throws ASOF_CLOSED
   */
  async run(captures: PreparedCapture[]): Promise<AnalysisResult[]> {
    if (isSmallText(captures)) return [analyze(captures)]
    try {
      return [await this.#task(captures, this.#limits.groupTimeoutMs)]
    } catch (error) {
      if (this.#closed) throw closedError(error)
      // Some capture hung or exhausted its thread: one by one, each gets its own verdict.
      return Promise.all(captures.map(capture => this.#alone(capture)))
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
      return await this.#queue.add(
        () => this.#started().run({ build: plan }, { transferList: buffers }) as Promise<BuiltBatch>,
        { priority: 1 },
      )
    } catch (cause) {
      if (this.#closed) throw closedError(cause)
      throw new AsofError('ASOF_STORE_WRITE', `a batch could not be built: ${messageOf(cause)}`, { cause })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#pool?.destroy()
    this.#pool = undefined
  }

  async #alone(capture: PreparedCapture): Promise<AnalysisResult> {
    const { captureTimeoutMs } = this.#limits
    try {
      return await this.#task([capture], captureTimeoutMs)
    } catch (error) {
      if (this.#closed) throw closedError(error)
      const timedOut = error instanceof Error && error.name === 'AbortError'
      const failure: AnalysisFailure = timedOut
        ? { index: 0, code: 'ASOF_EXTRACT_TIMEOUT', message: `extraction took over ${captureTimeoutMs} ms` }
        : { index: 0, code: 'ASOF_EXTRACT_FAILED', message: `extraction failed: ${messageOf(error)}` }
      return { ...analyze([]), failures: [failure] }
    }
  }

  #task(captures: PreparedCapture[], timeoutMs: number): Promise<AnalysisResult> {
    return this.#queue.add(async () => {
      if (this.#closed) throw closedError()
      const abort = new AbortController()
      const timer = setTimeout(() => abort.abort(), timeoutMs)
      try {
        return (await this.#started().run({ analyze: captures }, { signal: abort.signal })) as AnalysisResult
      } finally {
        clearTimeout(timer)
      }
    })
  }

  #started(): Piscina<PoolTask, unknown> {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(new URL(`./analysis-worker${extname(import.meta.url)}`, import.meta.url)),
      minThreads: 1,
      maxThreads: this.threads,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    return this.#pool
  }
}

/** The failure of an analysis as the caller of `add` sees it. */
export function failureError({ code, message }: AnalysisFailure): AsofError {
  return new AsofError(code, message)
}

function closedError(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'the engine is closed', { cause })
}

function isSmallText(captures: readonly PreparedCapture[]): boolean {
  let chars = 0
  for (const { kind, body } of captures) {
    if (kind === 'html') return false
    chars += body.length
  }
  return chars <= IN_PLACE_CHARS
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
