import type { FrontierDatabase } from './frontier-database.ts'
import { decodeQueueKey, frontierKeys as keys } from './frontier-record.ts'

/** A URL in the queue of its host, with its key. */
export type Queued = readonly [key: string, url: string]

/** Number of URLs that are read ahead: a little more than a worker visits before it leaves a host. */
const readAtOnce = 24
const keptAhead = 2 * readAtOnce
const afterAllKeys = '\uffff'

/**
 * The next URLs of each host, read ahead from the queues on disk, and the URLs in flight. Only this object knows which URLs
 * are in flight, so after a crash no URL is in flight.
 */
export class HostQueues {
  readonly #db: FrontierDatabase
  /** Returns a promise that resolves when all URLs queued so far are on disk. */
  readonly #written: () => Promise<void>
  /** The keys of the URLs in flight, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** The start of the queue of each host, without the URLs in flight. It has no gap, but some of its URLs may have left the queue. */
  readonly #ahead = new Map<string, Queued[]>()
  /** A lower bound of the first key of each host. With it, a seek does not pass over the tombstones that LevelDB has for deleted keys. */
  readonly #low = new Map<string, string>()
  /** The hosts whose queues are being read, with the smallest key that was added since the read began. */
  readonly #arrived = new Map<string, string>()

  constructor(db: FrontierDatabase, written: () => Promise<void>) {
    this.#db = db
    this.#written = written
  }

  /** Returns the first URL that was read ahead on a host. The caller must check that the URL is still in the queue. */
  peek(host: string): Queued | undefined {
    return this.#ahead.get(host)?.[0]
  }

  /** Drops the URL that {@link peek} returns. */
  skip(host: string): void {
    this.#ahead.get(host)?.shift()
  }

  /** Marks the URL that {@link peek} returns as in flight until {@link release}. */
  markInFlight(host: string): void {
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

  /** Records that a URL was queued. It joins the URLs read ahead if its key sorts before the last of them. */
  added(host: string, key: string, url: string): void {
    const low = this.#low.get(host)
    if (low !== undefined && key < low) this.#low.set(host, key)
    const arrived = this.#arrived.get(host)
    if (arrived !== undefined && key < arrived) this.#arrived.set(host, key)
    const ahead = this.#ahead.get(host)
    const last = ahead?.at(-1)
    // A key that sorts after those read ahead will be read from disk later.
    if (!ahead || !last || key > last[0]) return
    ahead.splice(
      ahead.findIndex(([other]) => key < other),
      0,
      [key, url],
    )
    if (ahead.length > keptAhead) ahead.pop()
  }

  /** Reads ahead on a host that has no URLs read ahead. Returns false if the queue holds no other URLs than those in flight. */
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
      // The read may have missed a key that was added meanwhile, if that key sorts among the keys read or is the only one. Read again.
      if (arrived === undefined || (arrived !== afterAllKeys && (last === '' || arrived < last))) continue
      this.#ahead.set(host, ahead)
      if (ahead.length === 0) this.#low.delete(host)
      return ahead.length > 0
    }
  }

  /** Drops what memory holds about the queue of a host, except its URLs in flight. */
  forget(host: string): void {
    this.#low.delete(host)
    this.#ahead.delete(host)
  }
}
