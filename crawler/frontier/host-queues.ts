import type { FrontierDatabase } from './frontier-database.ts'
import { decodeQueueKey, frontierKeys as keys } from './frontier-record.ts'

/** A URL in the queue of its host. */
export type Queued = readonly [key: string, url: string]

/** Number of URLs that are read ahead, a little more than a worker visits before it goes to another host. */
const READ_AT_ONCE = 24
const KEPT_AHEAD = 2 * READ_AT_ONCE
const AFTER_ALL_KEYS = '\uffff'

/**
 * The next URLs of each host, read ahead from disk, and the URLs in flight. URLs in flight are known only here, so
 * after a crash there are none.
 */
export class HostQueues {
  readonly #db: FrontierDatabase
  /** Resolves when all URLs queued so far are on disk. */
  readonly #written: () => Promise<void>
  /** The keys of URLs in flight, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /**
   * For each host, the first URLs of its queue without those in flight, in order. Some may have left the queue since.
   */
  readonly #ahead = new Map<string, Queued[]>()
  /**
   * For each host, a key at or before the first key of its queue. Reading from there on skips keys that were deleted,
   * through which LevelDB would otherwise step one by one.
   */
  readonly #low = new Map<string, string>()
  /** Hosts whose queue is being read, and for each the smallest key that was added meanwhile. */
  readonly #arrived = new Map<string, string>()

  constructor(db: FrontierDatabase, written: () => Promise<void>) {
    this.#db = db
    this.#written = written
  }

  /** Returns the first URL of a host that was read ahead. The caller must check that it is still queued. */
  peek(host: string): Queued | undefined {
    return this.#ahead.get(host)?.[0]
  }

  /** Drops the URL that {@link peek} returns. */
  skip(host: string): void {
    this.#ahead.get(host)?.shift()
  }

  /** Marks the URL that {@link peek} returns as in flight, until {@link release}. */
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

  /** Records that a URL was queued. If its key sorts among those that were read ahead, it is added to them. */
  added(host: string, key: string, url: string): void {
    const low = this.#low.get(host)
    if (low !== undefined && key < low) this.#low.set(host, key)
    const arrived = this.#arrived.get(host)
    if (arrived !== undefined && key < arrived) this.#arrived.set(host, key)
    const ahead = this.#ahead.get(host)
    const last = ahead?.at(-1)
    // A key after those that were read ahead is read from disk later.
    if (!ahead || !last || key > last[0]) return
    ahead.splice(
      ahead.findIndex(([other]) => key < other),
      0,
      [key, url],
    )
    if (ahead.length > KEPT_AHEAD) ahead.pop()
  }

  /** Reads the next URLs of a host from disk. Returns false if there are none besides those in flight. */
  async read(host: string): Promise<boolean> {
    const range = keys.queueHostRange(host)
    for (;;) {
      this.#arrived.set(host, AFTER_ALL_KEYS)
      await this.#written()
      const inFlight = this.#inFlight.get(host)
      const limit = (inFlight?.size ?? 0) + READ_AT_ONCE
      const read = await this.#db.iterator({ ...range, gte: this.#low.get(host) ?? range.gte, limit }).all()
      const ahead = (read as [string, string][]).filter(([key]) => !inFlight?.has(key))
      const last = ahead.at(-1)?.[0] ?? ''
      const arrived = this.#arrived.get(host)
      this.#arrived.delete(host)
      // A key that was added during the read may be missing among the keys that were read. Then the read is repeated.
      if (arrived === undefined || (arrived !== AFTER_ALL_KEYS && (last === '' || arrived < last))) continue
      this.#ahead.set(host, ahead)
      if (ahead.length === 0) this.#low.delete(host)
      return ahead.length > 0
    }
  }

  /** Drops what was read ahead for a host, but not its URLs in flight. */
  forget(host: string): void {
    this.#low.delete(host)
    this.#ahead.delete(host)
  }
}
