import { AsofError } from '@asof/core'
import type { FrontierDatabase } from './frontier-database.ts'

/** In place of the value of a key that is to be erased. */
const erased = Symbol('erased')

/**
 * Group commit for a frontier's database. What is put is seen by {@link get} at once; it goes to disk in one atomic batch
 * with all else that was put while the batch before was on its way. What is put without waiting in between is never split.
 */
export class GroupedWrites {
  readonly #db: FrontierDatabase
  readonly #counters: () => Iterable<readonly [key: string, value: unknown]>
  #gathered = new Map<string, unknown>()
  #sent: ReadonlyMap<string, unknown> | undefined
  /** When the batch that is being gathered is on disk; absent until somebody asks. */
  #next: Promise<void> | undefined
  /** The batch that was gathered last. */
  #last: Promise<void> = Promise.resolve()

  /** @param counters - what goes into every batch, because it must agree with the rest. */
  constructor(db: FrontierDatabase, counters: () => Iterable<readonly [key: string, value: unknown]>) {
    this.#db = db
    this.#counters = counters
  }

  /** The value of a key, written or about to be; `undefined` when there is none. It may not be changed. */
  get(key: string): unknown {
    const value = this.#gathered.get(key) ?? this.#sent?.get(key)
    // One small value, mostly from a cache: handing it to another thread and back costs more than reading it here.
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
   * Resolves when all that was put before is on disk.
   *
   * @throws ASOF_STORE_WRITE - it is not, nor is anything else of its batch.
   */
  written(): Promise<void> {
    if (this.#gathered.size === 0) return this.#last
    if (!this.#next) {
      // Whoever put something into the batch before gets its error; this one is another matter.
      this.#next = this.#last.catch(() => {}).then(() => this.#send())
      this.#last = this.#next
      // Told to whoever waits, now or later; nobody has to.
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
