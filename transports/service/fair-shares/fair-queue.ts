import { ServiceError } from '../contract/errors.ts'
import { RecentTime } from './recent-time.ts'

export interface QueueLimits {
  /** Maximum number of running calls. */
  running: number
  /** Maximum number of running calls of one client. */
  runningPerClient: number
  /** Maximum number of waiting calls. */
  waiting: number
  /** Maximum number of waiting calls of one client. */
  waitingPerClient: number
  /**
   * Starts a call that waited in a later turn of the event loop. Set it for calls that keep the main thread busy, so that
   * other work runs between two of them. Default false.
   */
  inTurns?: boolean
  /**
   * A client is slow if its recent calls took more milliseconds than this (see `RecentTime`). All slow clients together never
   * use the last free place, so they delay each other but no quick client. Default: no client is slow.
   */
  slowMs?: number
}

interface WaitingCall {
  start: () => void
  refuse: (error: unknown) => void
}

/** The running and waiting calls of one client. */
interface Share {
  readonly client: string | undefined
  running: number
  /** Maximum number of running calls. */
  most: number
  readonly waiting: WaitingCall[]
}

/**
 * Runs a limited number of calls at a time and queues the others, so that no client can use all places. A place that becomes
 * free goes to the waiting client with the fewest running calls; clients with equally many take turns.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #busy: string
  /** Clients with a running or waiting call. The key is the client. */
  readonly #shares = new Map<string | undefined, Share>()
  /** Clients with a waiting call that may start when a place is free, in the order of their turns. */
  readonly #ready = new Set<Share>()
  readonly #recent = new RecentTime()
  #running = 0
  #waiting = 0
  /** Starts waiting calls in the next turn of the event loop. */
  #turn: NodeJS.Immediate | undefined

  /** @param busy - why a call is rejected, for the error message: "pages are being fetched live". */
  constructor(limits: QueueLimits, busy: string) {
    this.#limits = limits
    this.#busy = busy
  }

  /**
   * Runs a call when it is the client's turn; immediately if a place is free.
   *
   * @param client - the network or organization to which the call counts. Calls without a client share one share, which may
   *   use all places.
   * @param signal - removes the call from the queue while it waits. It does not end a running call.
   * @throws ServiceError overloaded - the client has too many waiting calls, or the queue is full. If it is full, the newest
   *   call of the client with the most waiting calls is rejected.
   * @throws the reason of `signal`
   */
  async run<T>(client: string | undefined, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const share = this.#shareOf(client)
    try {
      const isFree = this.#running < this.#limits.running && share.running < share.most
      if (isFree && this.#ready.size === 0 && !this.#mustWaitForSlow(share)) this.#take(share)
      else {
        const turn = this.#wait(share, signal)
        // All ready clients may be slow, and then the free place belongs to this client.
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
      if (this.#limits.slowMs !== undefined) this.#recent.add(client ?? '', performance.now() - began)
      this.#running -= 1
      share.running -= 1
      this.#noteReady(share)
      this.#forgetIdle(client, share)
      if (this.#ready.size > 0) this.#startWaiting()
    }
  }

  #shareOf(client: string | undefined): Share {
    const known = this.#shares.get(client)
    if (known) return known
    const { running, runningPerClient } = this.#limits
    const share = { client, running: 0, most: client === undefined ? running : runningPerClient, waiting: [] }
    this.#shares.set(client, share)
    return share
  }

  #forgetIdle(client: string | undefined, share: Share): void {
    // If this share was idle before, the client may have another share by now.
    if (share.running === 0 && share.waiting.length === 0 && this.#shares.get(client) === share)
      this.#shares.delete(client)
  }

  #take(share: Share): void {
    this.#running += 1
    share.running += 1
  }

  /** Adds a call to the queue. Resolves when it has a place. */
  async #wait(share: Share, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitingPerClient } = this.#limits
    if (share.waiting.length >= waitingPerClient) throw this.#refusal()
    if (this.#waiting >= waiting) this.#makeRoom(share)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const call: WaitingCall = { start: resolve, refuse: reject }
    const leave = () => {
      this.#remove(share, share.waiting.indexOf(call))
      reject(signal?.reason)
    }
    share.waiting.push(call)
    this.#waiting += 1
    this.#noteReady(share)
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
    let longest = newcomer
    for (const share of this.#shares.values()) if (share.waiting.length > longest.waiting.length + 1) longest = share
    const dropped = longest.waiting.at(-1)
    if (longest === newcomer || !dropped) throw this.#refusal()
    this.#remove(longest, longest.waiting.length - 1)
    dropped.refuse(this.#refusal())
  }

  #remove(share: Share, index: number): void {
    if (index < 0) return
    share.waiting.splice(index, 1)
    this.#waiting -= 1
    this.#noteReady(share)
  }

  #noteReady(share: Share): void {
    if (share.waiting.length === 0 || share.running >= share.most) this.#ready.delete(share)
    else this.#ready.add(share)
  }

  #startWaiting(): void {
    if (this.#limits.inTurns) {
      this.#turn ??= setImmediate(() => {
        this.#turn = undefined
        this.#startNext()
      })
    } else this.#startNext()
  }

  #startNext(): void {
    while (this.#running < this.#limits.running) {
      const share = this.#nextShare()
      const call = share?.waiting.shift()
      if (!share || !call) return
      this.#waiting -= 1
      this.#take(share)
      // Moves the client to the end of the order.
      this.#ready.delete(share)
      this.#noteReady(share)
      call.start()
    }
  }

  #nextShare(): Share | undefined {
    let next: Share | undefined
    for (const share of this.#ready) {
      if (this.#mustWaitForSlow(share)) continue
      if (share.running === 0) return share
      if (!next || share.running < next.running) next = share
    }
    return next
  }

  /** Returns true if the client is slow and must wait until a call of a slow client ends. */
  #mustWaitForSlow(share: Share): boolean {
    if (!this.#isSlow(share)) return false
    let running = 0
    for (const other of this.#shares.values()) if (other.running > 0 && this.#isSlow(other)) running += other.running
    return running >= Math.max(1, this.#limits.running - 1)
  }

  #isSlow({ client }: Share): boolean {
    const { slowMs } = this.#limits
    return slowMs !== undefined && this.#recent.of(client ?? '') > slowMs
  }

  #refusal(): ServiceError {
    return new ServiceError('overloaded', `Too many ${this.#busy} right now.`, { retryAfterSeconds: 1 })
  }
}
