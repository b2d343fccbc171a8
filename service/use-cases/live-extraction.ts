import { ExtractPool } from '@asof/core'
import { FairQueue } from '../fair-shares/fair-queue.ts'
import type { ExtractLivePage } from './live-page.ts'

/** Number of processes that extract pages fetched live. */
const PROCESSES = 2

/** Clients whose recent pages took longer than this, milliseconds, leave a process free for others, see `FairQueue`. */
const SLOW_MS = 3_000

/** Pages that may wait for a process: as many as are fetched live at a time, see `limitLiveReads`. */
const queued = { waiting: 32, waitingPerClient: 8 } as const

/**
 * Extracts pages fetched live, in separate processes, so that live fetches and crawls never wait for each other. A single
 * client never occupies all processes, and neither do all clients with slow pages together. So a slow page delays no client
 * with quick pages.
 */
export class LiveExtraction {
  readonly #pool: ExtractPool
  readonly #queue: FairQueue

  /** @param processes - at most this many run at a time, 1 to 64. Default 2. @throws ASOF_INVALID_OPTION */
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
