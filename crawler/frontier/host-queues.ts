import type { FrontierDatabase } from './frontier-database.ts'
import { decodeQueueKey, frontierKeys as keys } from './frontier-record.ts'

/** A URL's place in its host's queue. */
export type Queued = readonly [key: string, url: string]

/** URLs read at a time: a little more than what is fetched while a host is worked on. */
const readAtOnce = 24
const keptAhead = 2 * readAtOnce
const afterAllKeys = '\uffff'

/**
 * What comes next on each host, read from the queues on disk a little ahead; and which of it is in flight, that is, was
 * handed out and is not settled. Only this knows what is in flight: a process that ends takes it along.
 */
export class HostQueues {
  readonly #db: FrontierDatabase
  /** Resolves when what was queued so far is on disk. */
  readonly #written: () => Promise<void>
  /** Keys in flight, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** The beginning of a host's queue without what was in flight: whole, but some of it may have left the queue since. */
  readonly #ahead = new Map<string, Queued[]>()
  /** A key at or below a host's first, so that a seek does not wade through what was deleted before it. */
  readonly #low = new Map<string, string>()
  /** Hosts whose queues are being read, and the first key that came to each meanwhile. */
  readonly #arrived = new Map<string, string>()

  constructor(db: FrontierDatabase, written: () => Promise<void>) {
    this.#db = db
    this.#written = written
  }

  /** The first of what was read ahead on a host, if there is any left. Whether it is still queued the caller knows. */
  peek(host: string): Queued | undefined {
    return this.#ahead.get(host)?.[0]
  }

  /** Drops what {@link peek} shows. */
  skip(host: string): void {
    this.#ahead.get(host)?.shift()
  }

  /** Takes what {@link peek} shows into flight, until it is {@link land}ed. */
  take(host: string): void {
    const first = this.#ahead.get(host)?.shift()
    if (!first) return
    this.#low.set(host, first[0])
    const flying = this.#inFlight.get(host)
    if (flying) flying.add(first[0])
    else this.#inFlight.set(host, new Set([first[0]]))
  }

  /** Whether the URL at a place is in flight. */
  flies(key: string): boolean {
    return this.#inFlight.get(decodeQueueKey(key).host)?.has(key) ?? false
  }

  land(key: string): void {
    const { host } = decodeQueueKey(key)
    const flying = this.#inFlight.get(host)
    flying?.delete(key)
    if (flying?.size === 0) this.#inFlight.delete(host)
  }

  /** Takes note of a URL that has been queued. */
  added(host: string, key: string, url: string): void {
    const low = this.#low.get(host)
    if (low !== undefined && key < low) this.#low.set(host, key)
    const arrived = this.#arrived.get(host)
    if (arrived !== undefined && key < arrived) this.#arrived.set(host, key)
    const ahead = this.#ahead.get(host)
    const last = ahead?.at(-1)
    // What comes behind the last one read is found when it is read.
    if (!ahead || !last || key > last[0]) return
    ahead.splice(
      ahead.findIndex(([other]) => key < other),
      0,
      [key, url],
    )
    if (ahead.length > keptAhead) ahead.pop()
  }

  /** Reads ahead on a host of which nothing is left. Returns whether there is anything but what flies. */
  async read(host: string): Promise<boolean> {
    const range = keys.queueHostRange(host)
    for (;;) {
      this.#arrived.set(host, afterAllKeys)
      await this.#written()
      const flying = this.#inFlight.get(host)
      const limit = (flying?.size ?? 0) + readAtOnce
      const read = await this.#db.iterator({ ...range, gte: this.#low.get(host) ?? range.gte, limit }).all()
      const ahead = (read as [string, string][]).filter(([key]) => !flying?.has(key))
      const last = ahead.at(-1)?.[0] ?? ''
      const arrived = this.#arrived.get(host)
      this.#arrived.delete(host)
      // What came meanwhile and belongs among them, or is all there is, was not read.
      if (arrived === undefined || (arrived !== afterAllKeys && (last === '' || arrived < last))) continue
      this.#ahead.set(host, ahead)
      if (ahead.length === 0) this.#low.delete(host)
      return ahead.length > 0
    }
  }

  /** Drops what is remembered about a host's queue only for speed. */
  forget(host: string): void {
    this.#low.delete(host)
    this.#ahead.delete(host)
  }
}
