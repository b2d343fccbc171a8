import { AsofError } from '@asof/core'
import type { FrontierDatabase } from './frontier-database.ts'

/** The value of a key that is to be deleted. */
const erased = Symbol('erased')

/**
 * Group commit for a frontier's database. A value that is put is visible to {@link get} at once. It goes to disk in one
 * atomic batch with all other values that were put while the previous batch was being written. Values that are put without
 * an `await` in between are never split over two batches.
 */
export class GroupedWrites {
  readonly #db: FrontierDatabase
  readonly #counters: () => Iterable<readonly [key: string, value: unknown]>
  /** The next batch. */
  #gathered = new Map<string, unknown>()
  /** The batch that is being written. */
  #sent: ReadonlyMap<string, unknown> | undefined
  /** Resolves when the next batch is on disk; absent until somebody waits for it. */
  #next: Promise<void> | undefined
  /** Resolves when the newest batch that somebody waits for is on disk. */
  #last: Promise<void> = Promise.resolve()

  /** @param counters - entries that go into every batch, because they must agree with the rest. */
  constructor(db: FrontierDatabase, counters: () => Iterable<readonly [key: string, value: unknown]>) {
    this.#db = db
    this.#counters = counters
  }

  /** Returns the value of a key, written or about to be written; `undefined` if there is none. Callers must not change it. */
  get(key: string): unknown {
    const value = this.#gathered.get(key) ?? this.#sent?.get(key)
    // Reading one small value, mostly from a cache, costs less here than on another thread.
    if (value === undefined) return this.#db.getSync(key)
    return value === erased ? undefined : value
  }

  has(key: string): boolean {
    const value = this.#gathered.get(key) ?? this.#sent?.get(key)
    if (value === undefined) return this.#db.getSync<string, string>(key, { valueEncoding: 'utf8' }) !== undefined
    return value !== erased
  }

  put(key: string, value: unknown): void {
    this.#gathered.set(key, value)
  }

  erase(key: string): void {
    this.#gathered.set(key, erased)
  }

  /**
   * Resolves when all values that were put before are on disk.
   *
   * @throws ASOF_STORE_WRITE - the batch could not be written; nothing of it is on disk.
   */
  written(): Promise<void> {
    if (this.#gathered.size === 0) return this.#last
    if (!this.#next) {
      // The failure of the previous batch goes to those who wait for that one.
      this.#next = this.#last.catch(() => {}).then(() => this.#send())
      this.#last = this.#next
      // Those who wait get the failure; without this line it would be an unhandled rejection if nobody does.
      this.#last.catch(() => {})
    }
    return this.#next
  }

  async #send(): Promise<void> {
    const batch = this.#gathered
    for (const [key, value] of this.#counters()) if (!batch.has(key)) batch.set(key, value)
    this.#gathered = new Map()
    this.#next = undefined
    this.#sent = batch
    try {
      await this.#db.batch(
        Array.from(batch, ([key, value]) => (value === erased ? { type: 'del', key } : { type: 'put', key, value })),
      )
    } catch (cause) {
      throw new AsofError('ASOF_STORE_WRITE', 'the crawl frontier could not be written', { cause })
    } finally {
      this.#sent = undefined
    }
  }
}
