import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { type CallsOfClient, greediest, groupOf } from './client-group.ts'

/** Maximum number of clients whose time is remembered. The least recently used one is dropped first. */
const CLIENTS = 10_000

export interface RecentTimeSettings {
  /** Time of each call that does not count, ms. A client with many quick calls is then never slow. Default 500. */
  quickMs?: number
  /**
   * Time after which a call counts only half, ms. Default 60,000. It is longer than any wait in the queue, so that
   * waiting does not make a slow client quick.
   */
  halfLifeMs?: number
}

/**
 * The time that the recent calls of each client took: the sum of their milliseconds beyond `quickMs`, halved every
 * `halfLifeMs`.
 */
export class RecentTime {
  readonly #quickMs: number
  readonly #halfLifeMs: number
  // With `max` the cache would reserve memory for all clients at once, which takes milliseconds for each queue.
  readonly #clients = new LRUCache<string, { milliseconds: number; at: number }>({
    maxSize: CLIENTS,
    sizeCalculation: () => 1,
  })

  constructor({ quickMs = 500, halfLifeMs = 60_000 }: RecentTimeSettings = {}) {
    this.#quickMs = quickMs
    this.#halfLifeMs = halfLifeMs
  }

  /** Counts a call that has just ended. */
  add(client: string, milliseconds: number): void {
    if (milliseconds <= this.#quickMs) return
    this.#clients.set(client, { milliseconds: this.of(client) + milliseconds - this.#quickMs, at: performance.now() })
  }

  /** Returns the recent time of a client, ms; 0 for an unknown client. */
  of(client: string): number {
    const known = this.#clients.get(client)
    return known ? known.milliseconds * 2 ** ((known.at - performance.now()) / this.#halfLifeMs) : 0
  }
}

export interface QueueLimits {
  /** Maximum number of running calls. */
  running: number
  /** Maximum number of running calls of one client, and of one group of clients. */
  runningPerClient: number
  /** Maximum number of waiting calls. */
  waiting: number
  /** Maximum number of waiting calls of one client. */
  waitingPerClient: number
  /**
   * True to start each waiting call in a later turn of the event loop. It is for calls that keep the main thread busy,
   * so that other work runs between them. Default false.
   */
  inTurns?: boolean
  /**
   * Recent time from which a client is slow, ms, see `RecentTime`. All slow clients together never use the last free
   * place, so they delay only each other. Default: no client is slow.
   */
  slowMs?: number
}

/** The caller for whom work is done. */
export interface ClientCall {
  /** The organization, agent or network whose shares this work uses. Default: no share limits it. */
  client?: string | undefined
  /** Ends the work, for example when the caller disconnects. It then throws the reason of the signal. */
  signal?: AbortSignal | undefined
}

/** A call whose answer may have links to the server. */
export interface LinkedCall extends ClientCall {
  /** The address of the server, without a trailing slash. Default: links are relative to it. */
  base?: string | undefined
}

interface WaitingCall {
  start: () => void
  refuse: (error: unknown) => void
}

/** The running calls of a group of clients, see `groupOf`. */
interface Group {
  /** Undefined for calls without a client. */
  readonly name: string | undefined
  running: number
  /** Maximum number of running calls. */
  readonly most: number
  /** Number of clients with a running or waiting call. */
  clients: number
}

/** The running and waiting calls of one client. */
interface Share extends CallsOfClient {
  readonly client: string | undefined
  readonly shared: Group
  running: number
  /**
   * The client with the lowest number is next. A client moves to the end when it comes, and when one of its calls ends.
   */
  turn: number
  /** The waiting calls of the client. */
  readonly calls: WaitingCall[]
}

/**
 * Two clients count as equally fast if the running times of their recent calls are both below this, milliseconds, or if one
 * is less than twice the other.
 */
const SAME_TIME_MS = 100

/**
 * Runs a limited number of calls at a time and queues the others, so that no client can use all places.
 *
 * A free place goes to the waiting group with the fewest running calls. If several have equally few, it goes to the one
 * whose recent calls took the least time. Within the group, it goes to the client with the fewest running calls.
 * Otherwise equal clients take turns. So a client with few or quick calls need not wait for the many calls of others.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #busy: string
  /** Clients with running or waiting calls. */
  readonly #shares = new Map<string | undefined, Share>()
  readonly #groups = new Map<string | undefined, Group>()
  /** Clients with waiting calls. */
  readonly #ready = new Set<Share>()
  /** Recent time of all calls, by group. */
  readonly #time = new RecentTime({ halfLifeMs: 10_000, quickMs: 0 })
  /** Recent time of slow calls, by group. */
  readonly #slowTime = new RecentTime()
  #running = 0
  #waiting = 0
  #lastTurn = 0
  /** The timer that starts waiting calls in the next turn of the event loop. */
  #next: NodeJS.Immediate | undefined

  /** @param busy - the reason in error messages, such as "pages are being fetched live". */
  constructor(limits: QueueLimits, busy: string) {
    this.#limits = limits
    this.#busy = busy
  }

  /**
   * Runs a call when it is the client's turn, or at once if a place is free.
   *
   * @param client - the network or organization for which the call counts. All calls without a client count as one
   *   client, which may use all places.
   * @param signal - removes the call from the queue. A running call is not affected.
   * @throws ServiceError overloaded - the client has too many waiting calls, or the queue is full. If it is full, the
   *   newest call of the client with the most waiting calls is rejected.
   * @throws the reason of `signal`
   */
  async run<T>(client: string | undefined, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const share = this.#shareOf(client)
    try {
      const isFree = this.#running < this.#limits.running && share.shared.running < share.shared.most
      if (isFree && !this.#mustWaitForSlow(share) && !this.#nextShare()) this.#take(share)
      else {
        const turn = this.#wait(share, signal)
        if (isFree) this.#startWaiting()
        await turn
      }
    } catch (refusal) {
      this.#forgetIdle(client, share)
      throw refusal
    }
    const began = performance.now()
    try {
      return await call()
    } finally {
      const took = performance.now() - began
      this.#time.add(share.group ?? '', took)
      if (this.#limits.slowMs !== undefined) this.#slowTime.add(share.group ?? '', took)
      this.#running -= 1
      share.running -= 1
      share.shared.running -= 1
      share.turn = ++this.#lastTurn
      this.#forgetIdle(client, share)
      if (this.#ready.size > 0) this.#startWaiting()
    }
  }

  #shareOf(client: string | undefined): Share {
    const known = this.#shares.get(client)
    if (known) return known
    const shared = this.#groupOf(client === undefined ? undefined : groupOf(client))
    shared.clients += 1
    const share: Share = { client, group: shared.name, shared, running: 0, turn: ++this.#lastTurn, calls: [] }
    this.#shares.set(client, share)
    return share
  }

  #groupOf(name: string | undefined): Group {
    const known = this.#groups.get(name)
    if (known) return known
    const { running, runningPerClient } = this.#limits
    const group = { name, running: 0, most: name === undefined ? running : runningPerClient, clients: 0 }
    this.#groups.set(name, group)
    return group
  }

  #forgetIdle(client: string | undefined, share: Share): void {
    // The client may have got a new share while this one was idle.
    if (share.running > 0 || share.calls.length > 0 || this.#shares.get(client) !== share) return
    this.#shares.delete(client)
    share.shared.clients -= 1
    if (share.shared.clients === 0) this.#groups.delete(share.group)
  }

  #take(share: Share): void {
    this.#running += 1
    share.running += 1
    share.shared.running += 1
  }

  /** Adds a call to the queue. Resolves when it has a place. */
  async #wait(share: Share, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitingPerClient } = this.#limits
    if (share.calls.length >= waitingPerClient) throw this.#refusal()
    if (this.#waiting >= waiting) this.#makeRoom(share)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const call: WaitingCall = { start: resolve, refuse: reject }
    const leave = () => {
      this.#remove(share, share.calls.indexOf(call))
      reject(signal?.reason)
    }
    share.calls.push(call)
    this.#waiting += 1
    this.#ready.add(share)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /**
   * Rejects the newest call of the client with the most waiting calls.
   *
   * @throws ServiceError overloaded - the newcomer has the most waiting calls.
   */
  #makeRoom(newcomer: Share): void {
    const longest = greediest(this.#shares.values(), newcomer)
    const dropped = longest?.calls.at(-1)
    if (!longest || !dropped) throw this.#refusal()
    this.#remove(longest, longest.calls.length - 1)
    dropped.refuse(this.#refusal())
  }

  #remove(share: Share, index: number): void {
    if (index < 0) return
    share.calls.splice(index, 1)
    this.#waiting -= 1
    if (share.calls.length === 0) this.#ready.delete(share)
  }

  #startWaiting(): void {
    if (this.#limits.inTurns) {
      this.#next ??= setImmediate(() => {
        this.#next = undefined
        this.#startNext()
      })
    } else this.#startNext()
  }

  #startNext(): void {
    while (this.#running < this.#limits.running) {
      const share = this.#nextShare()
      const call = share?.calls.shift()
      if (!share || !call) return
      this.#waiting -= 1
      this.#take(share)
      if (share.calls.length === 0) this.#ready.delete(share)
      call.start()
    }
  }

  #nextShare(): Share | undefined {
    let next: Share | undefined
    for (const share of this.#ready) {
      if (share.shared.running >= share.shared.most || this.#mustWaitForSlow(share)) continue
      if (!next || this.#comesBefore(share, next)) next = share
    }
    return next
  }

  #comesBefore(share: Share, other: Share): boolean {
    const order =
      share.shared === other.shared
        ? share.running - other.running
        : share.shared.running - other.shared.running || this.#timeLevel(share) - this.#timeLevel(other)
    return (order || share.turn - other.turn) < 0
  }

  /** Returns the recent time of the group as a power of two, so that small differences do not count. */
  #timeLevel({ group }: Share): number {
    return Math.floor(Math.log2(1 + this.#time.of(group ?? '') / SAME_TIME_MS))
  }

  /** True if the client is slow and must wait until a call of a slow client ends. */
  #mustWaitForSlow(share: Share): boolean {
    if (!this.#isSlow(share)) return false
    let running = 0
    for (const other of this.#shares.values()) if (other.running > 0 && this.#isSlow(other)) running += other.running
    return running >= Math.max(1, this.#limits.running - 1)
  }

  #isSlow({ group }: Share): boolean {
    const { slowMs } = this.#limits
    return slowMs !== undefined && this.#slowTime.of(group ?? '') > slowMs
  }

  #refusal(): ServiceError {
    return new ServiceError('overloaded', `Too many ${this.#busy} right now.`, { retryAfterSeconds: 1 })
  }
}
