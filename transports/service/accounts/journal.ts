import { mkdir } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AsofError } from '@asof/core'
import { ClassicLevel } from 'classic-level'
import { sealRecord, unsealRecord } from './sealed-record.ts'
import { type KeyRange, storeKeys } from './store-keys.ts'

const FORMAT = 1
/** Entries read at a time where all are. */
const READ_AT_A_TIME = 1_000

type Database = ClassicLevel<string, string>

/** A record to be kept under a key, or `undefined` to delete it. */
export type Write = readonly [key: string, record: unknown]

async function openDatabase(dir: string, what: string): Promise<Database> {
  const database: Database = new ClassicLevel(dir, { keyEncoding: 'utf8', valueEncoding: 'utf8' })
  try {
    await database.open()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.cause : undefined
    if (reason instanceof Error && 'code' in reason && reason.code === 'LEVEL_LOCKED') {
      throw new AsofError('ASOF_STORE_LOCKED', `${dir} is in use by another process`, { cause })
    }
    throw new AsofError('ASOF_STORE_READ', `${dir}: ${what} can't be opened`, { cause })
  }
  return database
}

/**
 * A LevelDB of sealed records, with group commit: what is handed over while a synced write is under way goes into the next
 * one, together and atomically. Commits reach the disk in the order in which they were made.
 */
export class Journal {
  readonly #onLoss: () => void
  readonly #what: string
  #database: Database
  #commits: number
  #pending = new Map<string, unknown>()
  #arrival = Promise.withResolvers<void>()
  #flushing: Promise<void> | undefined
  /** False from a failed write on until the database was reopened: LevelDB may have left a torn record in its log. */
  #sound = true
  #reopening: Promise<void> | undefined

  private constructor(database: Database, onLoss: () => void, what: string) {
    this.#database = database
    this.#onLoss = onLoss
    this.#what = what
    this.#commits = (this.read(storeKeys.commit) as number | undefined) ?? 0
  }

  /**
   * Opens the journal in a folder, which is created.
   *
   * @param onLoss - called when a write failed: what was handed over and not yet acknowledged may be gone.
   * @param what - its name in error messages.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_NEWER | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, onLoss: () => void, what = 'the accounts'): Promise<Journal> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const database = await openDatabase(dir, what)
    try {
      const journal = new Journal(database, onLoss, what)
      const format = journal.read(storeKeys.format)
      if (format === undefined) await journal.commit([[storeKeys.format, FORMAT]])
      else if (Number(format) > FORMAT) {
        throw new AsofError('ASOF_STORE_NEWER', `${dir} was written by a newer version (format ${format} of ${what})`)
      }
      return journal
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /**
   * The record under a key, as of the last commit that reached the disk.
   *
   * @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  read(key: string): unknown {
    this.assertSound()
    let stored: string | undefined
    try {
      stored = this.#database.getSync(key)
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', `${this.#what} can't be read`, { cause })
    }
    return stored === undefined ? undefined : unsealRecord(key, stored)
  }

  /**
   * The records of a range, in the order of their keys; all of one moment.
   *
   * @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  async list(range: KeyRange, options: { limit: number; reverse?: boolean }): Promise<unknown[]> {
    this.assertSound()
    const entries = await this.#database
      .iterator({ ...range, ...options })
      .all()
      .catch((cause: unknown) => {
        throw new AsofError('ASOF_STORE_READ', `${this.#what} can't be read`, { cause })
      })
    return entries.map(([key, stored]) => unsealRecord(key, stored))
  }

  /** Every key, in order, with what reads its record. */
  async *records(): AsyncGenerator<[key: string, read: () => unknown]> {
    const iterator = this.#database.iterator()
    try {
      for (
        let some = await iterator.nextv(READ_AT_A_TIME);
        some.length > 0;
        some = await iterator.nextv(READ_AT_A_TIME)
      )
        for (const [key, stored] of some) yield [key, () => unsealRecord(key, stored)]
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', "the accounts can't be read", { cause })
    } finally {
      await iterator.close()
    }
  }

  /**
   * Hands records over, all or none of which will be kept; on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - they were not kept, or it can't be told yet because the disk fails altogether.
   */
  commit(writes: Iterable<Write>): Promise<void> {
    this.assertSound()
    for (const [key, record] of writes) this.#pending.set(key, record)
    const { promise } = this.#arrival
    this.#flushing ??= this.#flush()
    return promise
  }

  /** @throws ASOF_STORE_WRITE - a write failed and the database is not reopened yet; asking makes it try. */
  assertSound(): void {
    if (this.#sound) return
    void this.#reopen()
    throw new AsofError('ASOF_STORE_WRITE', `${this.#what} are being reopened after a failed write; try again`)
  }

  /** Copies all records, as of one moment, into a new folder. */
  async copyTo(dir: string): Promise<void> {
    this.assertSound()
    const iterator = this.#database.iterator()
    const target = await openDatabase(dir, this.#what)
    try {
      let entries = await iterator.nextv(READ_AT_A_TIME)
      for (; entries.length > 0; entries = await iterator.nextv(READ_AT_A_TIME)) {
        for (const [key, stored] of entries) unsealRecord(key, stored)
        await target.batch(
          entries.map(([key, value]) => ({ type: 'put', key, value })),
          { sync: true },
        )
      }
    } finally {
      await iterator.close()
      await target.close()
    }
  }

  /** Waits for what was handed over. */
  async close(): Promise<void> {
    await this.#flushing
    await this.#reopening
    await this.#database.close()
  }

  async #flush(): Promise<void> {
    // Calls that are answered in the same turn of the event loop share the first write too.
    await nextTurn()
    while (this.#pending.size > 0) {
      const writes = this.#pending
      const arrival = this.#arrival
      this.#pending = new Map()
      this.#arrival = Promise.withResolvers()
      try {
        await this.#write(writes)
        arrival.resolve()
      } catch (cause) {
        await this.#recover(cause, arrival)
      }
    }
    this.#flushing = undefined
  }

  async #write(writes: ReadonlyMap<string, unknown>): Promise<void> {
    this.#commits += 1
    const batch = this.#database.batch()
    batch.put(storeKeys.commit, sealRecord(storeKeys.commit, this.#commits))
    for (const [key, record] of writes) {
      if (record === undefined) batch.del(key)
      else batch.put(key, sealRecord(key, record))
    }
    await batch.write({ sync: true })
  }

  /** Finds out what became of a failed write; what was handed over since builds on it, and goes with it. */
  async #recover(cause: unknown, arrival: PromiseWithResolvers<void>): Promise<void> {
    const failure = new AsofError('ASOF_STORE_WRITE', `${this.#what} can't be written`, { cause })
    const behind = this.#arrival
    this.#pending = new Map()
    this.#arrival = Promise.withResolvers()
    this.#sound = false
    // Nobody may wait for what was handed over behind the failed write.
    behind.promise.catch(() => {})
    behind.reject(failure)
    const tried = this.#commits
    await this.#reopen()
    if (this.#sound && this.#commits === tried) arrival.resolve()
    else arrival.reject(failure)
  }

  #reopen(): Promise<void> {
    this.#reopening ??= this.#openAnew().finally(() => {
      this.#reopening = undefined
    })
    return this.#reopening
  }

  async #openAnew(): Promise<void> {
    try {
      await this.#database.close()
      await this.#database.open()
      this.#sound = true
      this.#commits = (this.read(storeKeys.commit) as number | undefined) ?? 0
      this.#onLoss()
    } catch {
      // Still failing: whoever asks next makes it try again, and is told so by assertSound.
      this.#sound = false
    }
  }
}
