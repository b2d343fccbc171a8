import { ExtractPool } from '@asof/core'
import { FairQueue } from '../fair-shares/fair-queue.ts'
import type { ExtractLivePage } from './live-page.ts'

/** Number of processes that extract pages fetched live. */
const PROCESSES = 2

/**
 * A client is slow if its recent extractions together took longer than this, milliseconds. Slow clients never occupy the last
 * free process.
 */
const SLOW_MS = 3_000

/** Limits of pages that wait for a process. `waiting` equals the number of live fetches that may run at a time. */
const queued = { waiting: 32, waitingPerClient: 8 } as const

/**
 * Extracts pages fetched live, in separate processes, so that live fetches and crawls never wait for each other. Neither one
 * client alone nor all clients with slow pages together can occupy all processes. So a slow page does not delay clients with
 * quick pages.
 */
export class LiveExtraction {
  readonly #pool: ExtractPool
  readonly #queue: FairQueue

  /** @param processes - number of processes, 1 to 64. Default 2. @throws ASOF_INVALID_OPTION */
  constructor(processes: number = PROCESSES) {
    this.#pool = new ExtractPool({ maxProcesses: processes })
    const runningPerClient = Math.max(1, processes - 1)
    this.#queue = new FairQueue(
      { running: processes, runningPerClient, slowMs: SLOW_MS, ...queued },
      'pages are being extracted',
    )
  }

  /**
   * Extracts one page for a client.
   *
   * @throws ServiceError overloaded - the queue is full.
   * @throws what `ExtractPool.run` throws; the reason of the signal.
   */
  readonly extract: ExtractLivePage = (body, options, { client, signal } = {}) =>
    this.#queue.run(client, () => this.#pool.run(body, { ...options, signal }), signal)

  /** Waits for running extractions, rejects waiting ones, and ends the processes. Idempotent. */
  async close(): Promise<void> {
    await this.#pool.close()
  }
}
