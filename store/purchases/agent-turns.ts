import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import { ServiceError } from '../../service/index.ts'
import type { PurchaseLedger } from './purchase-ledger.ts'

/** How long a call waits for a purchase of the same agent on another server, ms. */
const LOCK_WAIT_MS = 20_000
const LOCK_POLL_MS = 50

/** Runs the purchases of each agent one after another, on all servers, so that a repeated call waits for the first one. */
export class AgentTurns {
  readonly #ledger: Pick<PurchaseLedger, 'lock' | 'unlock'>
  /** The purchases of this process, by agent. */
  readonly #queues = new Map<string, PQueue>()

  constructor(ledger: Pick<PurchaseLedger, 'lock' | 'unlock'>) {
    this.#ledger = ledger
  }

  /**
   * Runs a purchase after all earlier ones of its agent.
   *
   * @param purchase - calls `answer` with its result, and may continue after that.
   * @returns the result.
   * @throws the error of the purchase, if it fails before it has a result.
   * @throws ServiceError payments_unavailable - another server has a purchase of the agent under way. Nothing was done.
   */
  async run<T>(agent: string, purchase: (answer: (result: T) => void) => Promise<void>): Promise<T> {
    const result = Promise.withResolvers<T>()
    void this.#queued(agent, async () => {
      const waitsUntil = performance.now() + LOCK_WAIT_MS
      while (!(await this.#ledger.lock(agent))) {
        if (performance.now() > waitsUntil) throw purchaseUnderWay()
        await sleep(LOCK_POLL_MS)
      }
      await this.#unlocking(agent, () => purchase(result.resolve))
    }).catch(result.reject)
    return await result.promise
  }

  /** Runs work on the purchases of an agent, unless a purchase of the agent runs on this server or another one. */
  async runIfFree(agent: string, work: () => Promise<void>): Promise<void> {
    if (this.#queues.has(agent)) return
    await this.#queued(agent, async () => {
      if (await this.#ledger.lock(agent)) await this.#unlocking(agent, work)
    })
  }

  async #unlocking(agent: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } finally {
      await this.#ledger.unlock(agent)
    }
  }

  async #queued(agent: string, work: () => Promise<void>): Promise<void> {
    const queue = this.#queues.get(agent) ?? new PQueue({ concurrency: 1 })
    this.#queues.set(agent, queue)
    try {
      await queue.add(work)
    } finally {
      if (queue.size === 0 && queue.pending === 0) this.#queues.delete(agent)
    }
  }
}

function purchaseUnderWay(): ServiceError {
  const text = 'Another purchase of this agent is under way. Repeat the call later: nothing more is charged for it.'
  return new ServiceError('payments_unavailable', text, {
    retryAfterSeconds: 5,
    facts: { code: 'settlement_pending' },
  })
}
