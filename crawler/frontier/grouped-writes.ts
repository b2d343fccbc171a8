import { AsofError } from '@asof/core'
import type { FrontierDatabase } from './frontier-database.ts'

/** Marks a key that will be deleted. */
const erased = Symbol('erased')

/**
 * Joins writes to a frontier's database into atomic batches ("group commit"). Values that are put while one batch is
 * being written go into the next one. Values that are put without an `await` in between are in the same batch.
 * {@link get} returns new values at once.
 */
export class GroupedWrites {
  readonly #db: FrontierDatabase
  readonly #counters: () => Iterable<readonly [key: string, value: unknown]>
  /** The values of the next batch. */
  #gathered = new Map<string, unknown>()
  /** The values of the batch that is being written. */
  #sent: ReadonlyMap<string, unknown> | undefined
  /** Resolves when the next batch is on disk. Undefined until a caller waits for it. */
  #next: Promise<void> | undefined
  /** Resolves when the last batch that a caller waits for is on disk. */
  #last: Promise<void> = Promise.resolve()

  /** @param counters - returns entries to write with every batch, because they must agree with the others. */
  constructor(db: FrontierDatabase, counters: () => Iterable<readonly [key: string, value: unknown]>) {
    this.#db = db
    this.#counters = counters
  }

  /**
   * Returns the current value of a key, even if it is not on disk yet; undefined if there is none. The caller must not
   * change the value.
   */
  get(key: string): unknown {
    const value = this.#gathered.get(key) ?? this.#sent?.get(key)
    // A synchronous read of a small value, mostly from a cache, costs less than a switch to another thread.
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
   * Resolves when all values put so far are on disk.
   *
   * @throws ASOF_STORE_WRITE - a batch could not be written; none of its values is on disk.
   */
  written(): Promise<void> {
    if (this.#gathered.size === 0) return this.#last
    if (!this.#next) {
      // A failure of the batch before is thrown to those who wait for that batch.
      this.#next = this.#last.catch(() => {}).then(() => this.#send())
      this.#last = this.#next
      // Callers that wait get the failure. This handler only prevents an unhandled rejection.
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
