import { AsofError } from '@asof/core'
import type { FrontierDatabase } from './frontier-database.ts'

/** Takes the place of the value of a key that will be deleted. */
const erased = Symbol('erased')

/**
 * Group commit for the database of a frontier. {@link get} returns a new value at once. The value goes to disk in one atomic
 * batch with all other values that were put while the previous batch was being written. Values that are put without an
 * `await` between them are always in the same batch.
 */
export class GroupedWrites {
  readonly #db: FrontierDatabase
  readonly #counters: () => Iterable<readonly [key: string, value: unknown]>
  /** The next batch. */
  #gathered = new Map<string, unknown>()
  /** The batch that is being written. */
  #sent: ReadonlyMap<string, unknown> | undefined
  /** Resolves when the next batch is on disk. Absent until a caller waits for it. */
  #next: Promise<void> | undefined
  /** Resolves when the newest batch that a caller waits for is on disk. */
  #last: Promise<void> = Promise.resolve()

  /** @param counters - entries that are written with every batch, because they must agree with the other entries. */
  constructor(db: FrontierDatabase, counters: () => Iterable<readonly [key: string, value: unknown]>) {
    this.#db = db
    this.#counters = counters
  }

  /** Returns the current value of a key, on disk or not; `undefined` if there is none. The caller must not change the value. */
  get(key: string): unknown {
    const value = this.#gathered.get(key) ?? this.#sent?.get(key)
    // A synchronous read of one small value is mostly served from a cache and costs less than a switch of threads.
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
   * Resolves when all values that were put before the call are on disk.
   *
   * @throws ASOF_STORE_WRITE - the batch could not be written; none of its values is on disk.
   */
  written(): Promise<void> {
    if (this.#gathered.size === 0) return this.#last
    if (!this.#next) {
      // The callers that wait for the previous batch get its failure.
      this.#next = this.#last.catch(() => {}).then(() => this.#send())
      this.#last = this.#next
      // The callers that wait get the failure. Without this line it would be an unhandled rejection when no caller waits.
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
