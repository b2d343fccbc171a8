import type { FrontierDatabase } from './frontier-database.ts'
import { decodeQueueKey, frontierKeys as keys } from './frontier-record.ts'

/** A URL with its key in its host's queue. */
export type Queued = readonly [key: string, url: string]

/** URLs read at a time: a little more than a worker fetches before it leaves a host. */
const readAtOnce = 24
const keptAhead = 2 * readAtOnce
const afterAllKeys = '\uffff'

/**
 * The next URLs of each host, read ahead from the queues on disk, and the URLs in flight: those that were taken and are
 * not settled. Only this object knows which URLs are in flight, so after a crash no URL is in flight.
 */
export class HostQueues {
  readonly #db: FrontierDatabase
  /** Resolves when all URLs queued so far are on disk. */
  readonly #written: () => Promise<void>
  /** Keys in flight, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** The beginning of each host's queue, without URLs in flight. No URL is missing, but some may have left the queue since. */
  readonly #ahead = new Map<string, Queued[]>()
  /** A lower bound of each host's first key, so that a seek does not pass over the tombstones of deleted keys. */
  readonly #low = new Map<string, string>()
  /** Hosts whose queues are being read, with the smallest key that was added meanwhile. */
  readonly #arrived = new Map<string, string>()

  constructor(db: FrontierDatabase, written: () => Promise<void>) {
    this.#db = db
    this.#written = written
  }

  /** Returns the first URL of what was read ahead on a host. The caller must check that it is still queued. */
  peek(host: string): Queued | undefined {
    return this.#ahead.get(host)?.[0]
  }

  /** Drops the URL that {@link peek} returns. */
  skip(host: string): void {
    this.#ahead.get(host)?.shift()
  }

  /** Marks the URL that {@link peek} returns as in flight, until {@link release}. */
  take(host: string): void {
    const first = this.#ahead.get(host)?.shift()
    if (!first) return
    this.#low.set(host, first[0])
    const inFlight = this.#inFlight.get(host)
    if (inFlight) inFlight.add(first[0])
    else this.#inFlight.set(host, new Set([first[0]]))
  }

  /** True if the URL with a key is in flight. */
  isInFlight(key: string): boolean {
    return this.#inFlight.get(decodeQueueKey(key).host)?.has(key) ?? false
  }

  /** Marks the URL with a key as no longer in flight. */
  release(key: string): void {
    const { host } = decodeQueueKey(key)
    const inFlight = this.#inFlight.get(host)
    inFlight?.delete(key)
    if (inFlight?.size === 0) this.#inFlight.delete(host)
  }

  /** To be called when a URL has been queued: enters it among those read ahead if it belongs there. */
  added(host: string, key: string, url: string): void {
    const low = this.#low.get(host)
    if (low !== undefined && key < low) this.#low.set(host, key)
    const arrived = this.#arrived.get(host)
    if (arrived !== undefined && key < arrived) this.#arrived.set(host, key)
    const ahead = this.#ahead.get(host)
    const last = ahead?.at(-1)
    // A URL that sorts behind those read ahead will be read from disk.
    if (!ahead || !last || key > last[0]) return
    ahead.splice(
      ahead.findIndex(([other]) => key < other),
      0,
      [key, url],
    )
    if (ahead.length > keptAhead) ahead.pop()
  }

  /** Reads ahead on a host when all URLs read ahead have been taken. Returns false if its queue holds only URLs in flight. */
  async read(host: string): Promise<boolean> {
    const range = keys.queueHostRange(host)
    for (;;) {
      this.#arrived.set(host, afterAllKeys)
      await this.#written()
      const inFlight = this.#inFlight.get(host)
      const limit = (inFlight?.size ?? 0) + readAtOnce
      const read = await this.#db.iterator({ ...range, gte: this.#low.get(host) ?? range.gte, limit }).all()
      const ahead = (read as [string, string][]).filter(([key]) => !inFlight?.has(key))
      const last = ahead.at(-1)?.[0] ?? ''
      const arrived = this.#arrived.get(host)
      this.#arrived.delete(host)
      // A key that was added meanwhile and sorts among those read, or is the only one, was missed: read again.
      if (arrived === undefined || (arrived !== afterAllKeys && (last === '' || arrived < last))) continue
      this.#ahead.set(host, ahead)
      if (ahead.length === 0) this.#low.delete(host)
      return ahead.length > 0
    }
  }

  /** Drops what is cached about a host's queue. */
  forget(host: string): void {
    this.#low.delete(host)
    this.#ahead.delete(host)
  }
}
