import { ServiceError } from '../contract/errors.ts'
import { type CallsOfClient, greediest, groupOf } from './client-group.ts'

/** The running and waiting calls of one client. */
interface Client extends CallsOfClient {
  /** Calls that may still be refused, newest last. */
  readonly calls: AbortController[]
  /** Number of calls that have not ended, including refused ones. */
  underWay: number
}

/**
 * Limits the number of running and waiting calls. At the limit, a new call replaces the newest call of the client that
 * has the most, so that no client keeps others out. A replaced call leaves the `FairQueue` in which it waits; if it
 * runs already, it may still be answered.
 */
export class CallsUnderWay {
  readonly #most: number
  readonly #mostOfClient: number
  readonly #clients = new Map<string | undefined, Client>()
  #count = 0

  /** @param most - maximum number of calls, of which one client may have half. */
  constructor(most: number) {
    this.#most = most
    this.#mostOfClient = Math.max(1, Math.floor(most / 2))
  }

  /** Number of calls that have not ended, including those of disconnected callers. */
  get count(): number {
    return this.#count
  }

  /**
   * Runs a call.
   *
   * @param client - the network or organization for which the call counts. Calls without a client have no limit of
   *   their own.
   * @param work - gets a signal that aborts when `signal` does, or when another client's call replaces this one.
   * @throws ServiceError overloaded - the limit is reached and this client has the most calls, or the limit of one
   *   client is reached.
   */
  async run<T>(
    client: string | undefined,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const own = this.#clients.get(client) ?? {
      group: client === undefined ? undefined : groupOf(client),
      calls: [],
      underWay: 0,
    }
    if (client !== undefined && own.underWay >= this.#mostOfClient) throw refusal()
    if (this.#count >= this.#most) this.#makeRoom(own)
    const call = new AbortController()
    const abort = () => call.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    this.#clients.set(client, own)
    own.calls.push(call)
    own.underWay += 1
    this.#count += 1
    try {
      return await work(call.signal)
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#count -= 1
      own.underWay -= 1
      const at = own.calls.indexOf(call)
      if (at >= 0) own.calls.splice(at, 1)
      if (own.underWay === 0) this.#clients.delete(client)
    }
  }

  /**
   * Refuses one call to make room.
   *
   * @throws ServiceError overloaded - no client has more calls than the newcomer.
   */
  #makeRoom(newcomer: Client): void {
    const dropped = greediest(this.#clients.values(), newcomer)?.calls.pop()
    if (!dropped) throw refusal()
    dropped.abort(refusal())
  }
}

function refusal(): ServiceError {
  return new ServiceError('overloaded', 'Too many requests are being answered right now.', { retryAfterSeconds: 1 })
}
