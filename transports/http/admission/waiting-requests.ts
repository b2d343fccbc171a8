import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { LimitStanding } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import { clientOf } from '../request/service-call.ts'

/** How long and how many requests may wait. */
export interface WaitingLimits {
  /** Maximum time that one request waits in all, milliseconds. */
  longestMs: number
  /** Maximum number of waiting requests. */
  waiting: number
  /** Maximum number of waiting requests of one client. */
  waitingPerClient: number
}

const waitingLimits: WaitingLimits = { longestMs: 10_000, waiting: 256, waitingPerClient: 32 }

/** Resolves after a number of milliseconds, and rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<unknown>

const sleepUnlessGone: Sleep = (ms, signal) => sleep(ms, undefined, { signal })

/** The refusals that pass by themselves: a rate limit of the caller (429), and a limit of the work under way (503). */
function isPassing(failure: unknown): failure is ServiceError {
  return failure instanceof ServiceError && (failure.kind === 'rate_limited' || failure.kind === 'overloaded')
}

/**
 * Lets requests wait that a limit refuses for the moment, for routes whose clients would not repeat them. Each try counts for the caller's own
 * share, so that others are not delayed. A refusal is sent after all if it asks for a longer wait than the request has left, if too many requests wait,
 * or if the client has left.
 */
export class WaitingRequests {
  readonly #limits: WaitingLimits
  readonly #sleep: Sleep
  /** Number of waiting requests by client. */
  readonly #waiting = new Map<string, number>()
  /** When the wait of a request ends, by `performance.now()`. */
  readonly #deadlines = new WeakMap<FastifyRequest, number>()
  #count = 0

  constructor(limits: WaitingLimits = waitingLimits, sleep: Sleep = sleepUnlessGone) {
    this.#limits = limits
    this.#sleep = sleep
  }

  /** Number of requests that wait now. */
  get count(): number {
    return this.#count
  }

  /**
   * Does the work of a request, and does it again as long as a limit refuses it. Work that was refused must have had no effect.
   *
   * @throws what `work` throws; of several refusals the last one.
   */
  async answer<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await work()
      } catch (failure) {
        if (!isPassing(failure) || !(await this.#waitFor(request, failure))) throw failure
      }
  }

  /** Counts a request for a rate limit, and counts it again as long as the limit refuses it. Returns the last state of the limit. */
  async admit(request: FastifyRequest, count: () => Promise<LimitStanding>): Promise<LimitStanding> {
    for (;;) {
      const standing = await count()
      if (!isPassing(standing.refusal) || !(await this.#waitFor(request, standing.refusal))) return standing
    }
  }

  /** Waits for the time that a refusal asks for. Returns false if the request must not wait, or its client has left. */
  async #waitFor(request: FastifyRequest, { retryAfterSeconds = 1 }: ServiceError): Promise<boolean> {
    const { longestMs, waiting, waitingPerClient } = this.#limits
    const now = performance.now()
    const deadline = this.#deadlines.get(request) ?? now + longestMs
    this.#deadlines.set(request, deadline)
    const waitMs = retryAfterSeconds * 1_000
    const client = clientOf(request)
    const own = this.#waiting.get(client) ?? 0
    const { socket } = request.raw
    const mayWait = now + waitMs <= deadline && this.#count < waiting && own < waitingPerClient && !socket.destroyed
    if (!mayWait) return false
    const gone = new AbortController()
    const leave = () => gone.abort()
    socket.once('close', leave)
    this.#add(client, 1)
    try {
      await this.#sleep(waitMs, gone.signal)
      return true
    } catch (failure) {
      if (!gone.signal.aborted) throw failure
      return false
    } finally {
      socket.off('close', leave)
      this.#add(client, -1)
    }
  }

  #add(client: string, change: number): void {
    this.#count += change
    const own = (this.#waiting.get(client) ?? 0) + change
    if (own === 0) this.#waiting.delete(client)
    else this.#waiting.set(client, own)
  }
}
