import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { AsofError } from '@asof/core'
import { FolderView } from '@asof/core/internal'
import type { ClassicLevel } from 'classic-level'
import { openRecordDatabase } from './database.ts'

const CHECKSUM_CHARS = 8

function checksum(key: string, json: string): string {
  return crc32(json, crc32(key)).toString(16).padStart(CHECKSUM_CHARS, '0')
}

/**
 * Returns the kind of a record, which is its key up to the first slash. Error messages may contain only this part,
 * because the rest can be the hash of a secret.
 */
function kindOf(key: string): string {
  return key.split('/', 1)[0] ?? ''
}

/**
 * Encodes a record as JSON, after a CRC-32 of its key and JSON. It is needed because LevelDB does not verify checksums
 * when it reads.
 */
export function encodeRecord(key: string, record: unknown): string {
  const json = JSON.stringify(record)
  return checksum(key, json) + json
}

/**
 * Decodes a record that {@link encodeRecord} encoded for the same key.
 *
 * @throws ASOF_STORE_CORRUPT - the checksum does not match.
 */
export function decodeRecord(key: string, stored: string): unknown {
  const json = stored.slice(CHECKSUM_CHARS)
  if (stored.slice(0, CHECKSUM_CHARS) === checksum(key, json)) return JSON.parse(json) as unknown
  throw new AsofError(
    'ASOF_STORE_CORRUPT',
    `the checksum of a record (${kindOf(key)}) does not match; restore a backup`,
  )
}

const FORMAT = 1
/** Number of entries read from LevelDB at a time. */
const READ_BATCH = 1_000

/** Keys of the journal's own records. */
const keys = {
  format: 'format',
  /** The number of the last commit, which shows after a failed write whether the commit reached the disk. */
  commit: 'commit',
}

/** A record to store under a key. Undefined deletes the record. */
export type Write = readonly [key: string, record: unknown]

/** The keys between two others, both excluded. */
export interface RecordRange {
  gt: string
  lt: string
}

/** Returns the range of all keys `<prefix>/…`. With `after`, only those after `<prefix>/<after>`. */
export function rangeUnder(prefix: string, after = ''): RecordRange {
  // '0' is the character after '/'.
  return { gt: `${prefix}/${after}`, lt: `${prefix}0` }
}

interface ListOptions {
  /** Maximum number of records. */
  limit: number
  /** True for the last records, in descending order. */
  reverse?: boolean
}

type LevelSnapshot = ReturnType<ClassicLevel['snapshot']>

/** The records of a journal as they were at one instant. */
export interface JournalSnapshot {
  /** Returns the record under a key, see {@link Journal.read}. */
  read(key: string): unknown
  /** Returns the records of a range, see {@link Journal.list}. */
  list(range: RecordRange, options: ListOptions): Promise<unknown[]>
  /** Copies the records to a new folder, which is private. Verifies their checksums. */
  copyTo(dir: string): Promise<void>
  close(): Promise<void>
}

/**
 * A LevelDB of checksummed records. Commits that arrive during a synced write share the next one, which is atomic
 * ("group commit"). Commits reach the disk in order.
 */
export class Journal {
  readonly #onLoss: () => void
  readonly #what: string
  readonly #database: ClassicLevel<string, string>
  /** The view that is open in place of the folder, if the journal is only examined. */
  readonly #view: FolderView | undefined
  #commits: number
  /** Records that wait to be written, as they are encoded. Undefined deletes a record. */
  #pending = new Map<string, string | undefined>()
  /** Settles when the records that are waiting now have been written. */
  #pendingWrite = Promise.withResolvers<void>()
  #flushing: Promise<void> | undefined
  /**
   * False from a failed write until the database is open again, because LevelDB's log may end with an incomplete
   * record.
   */
  #usable = true
  #reopening: Promise<void> | undefined

  private constructor(database: ClassicLevel<string, string>, onLoss: () => void, what: string, view?: FolderView) {
    this.#database = database
    this.#view = view
    this.#onLoss = onLoss
    this.#what = what
    this.#commits = (this.read(keys.commit) as number | undefined) ?? 0
  }

  /**
   * Opens the journal in a folder. Creates the folder if necessary.
   *
   * @param onLoss - called after a failed write. Commits that were not acknowledged may be lost, so memory that depends
   *   on them must be read again.
   * @param what - the content of the journal for error messages.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, onLoss: () => void, what = 'the records'): Promise<Journal> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const database = await openRecordDatabase(dir, what)
    try {
      const journal = new Journal(database, onLoss, what)
      const format = journal.read(keys.format)
      if (format === undefined) await journal.commit([[keys.format, FORMAT]])
      else if (Number(format) > FORMAT) {
        throw new AsofError('ASOF_STORE_FORMAT', `${dir} was written by a newer version (format ${format} of ${what})`)
      }
      return journal
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /**
   * Opens the journal of a folder to examine it. Writes nothing into the folder.
   *
   * @throws ASOF_STORE_CORRUPT - there is no journal.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_READ
   */
  static async openExisting(dir: string, what: string): Promise<Journal> {
    if (!existsSync(join(dir, 'CURRENT')))
      throw new AsofError('ASOF_STORE_CORRUPT', `${dir} has no database: ${what} are lost; restore a backup`)
    const view = await FolderView.of(dir)
    let database: ClassicLevel<string, string> | undefined
    try {
      database = await openRecordDatabase(dir, what, { createIfMissing: false, location: view.location })
      return new Journal(database, () => {}, what, view)
    } catch (error) {
      await database?.close()
      await view.close()
      throw error
    }
  }

  /**
   * Returns the record under a key as of the last commit on disk; undefined if there is none.
   *
   * @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_STORE_WRITE - the database is being reopened after a failed write.
   */
  read(key: string): unknown {
    return this.#read(key)
  }

  #read(key: string, snapshot?: LevelSnapshot): unknown {
    this.assertUsable()
    let stored: string | undefined
    try {
      stored = this.#database.getSync(key, { snapshot })
    } catch (cause) {
      throw this.#readFailure(cause)
    }
    return stored === undefined ? undefined : decodeRecord(key, stored)
  }

  /**
   * Returns the records of a range in key order, from one snapshot.
   *
   * @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_STORE_WRITE - the database is being reopened after a failed write.
   */
  list(range: RecordRange, options: ListOptions): Promise<unknown[]> {
    return this.#list(range, options)
  }

  async #list(range: RecordRange, options: ListOptions, snapshot?: LevelSnapshot): Promise<unknown[]> {
    this.assertUsable()
    const entries = await this.#database
      .iterator({ ...range, ...options, snapshot })
      .all()
      .catch((cause: unknown) => {
        throw this.#readFailure(cause)
      })
    return entries.map(([key, stored]) => decodeRecord(key, stored))
  }

  /**
   * Yields every key in order, with a function that decodes its record and may throw ASOF_STORE_CORRUPT.
   *
   * @param range - the keys to yield. Default: all.
   */
  async *records(range: Partial<RecordRange> = {}): AsyncGenerator<[key: string, read: () => unknown]> {
    const iterator = this.#database.iterator(range)
    try {
      let entries = await iterator.nextv(READ_BATCH)
      for (; entries.length > 0; entries = await iterator.nextv(READ_BATCH))
        for (const [key, stored] of entries) yield [key, () => decodeRecord(key, stored)]
    } catch (cause) {
      throw this.#readFailure(cause)
    } finally {
      await iterator.close()
    }
  }

  /**
   * Stores and deletes records, either all or none. They are on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was stored; or the disk fails completely, and it is not known yet.
   * @throws TypeError - JSON cannot have one of the records. Nothing was stored.
   */
  commit(writes: Iterable<Write>): Promise<void> {
    this.assertUsable()
    // Encoded here, so that a record that cannot be encoded fails no other commit of the same write.
    const encoded = Array.from(writes, ([key, record]) => ({
      key,
      text: record === undefined ? undefined : encodeRecord(key, record),
    }))
    for (const { key, text } of encoded) this.#pending.set(key, text)
    const { promise } = this.#pendingWrite
    this.#flushing ??= this.#flush()
    return promise
  }

  /**
   * Throws while the database is being reopened after a failed write. Tries to reopen it if no attempt is running.
   *
   * @throws ASOF_STORE_WRITE
   */
  assertUsable(): void {
    if (this.#usable) return
    void this.#reopen()
    throw new AsofError('ASOF_STORE_WRITE', `${this.#what} are being reopened after a failed write; try again`)
  }

  /**
   * Takes a snapshot of all records, as of the last commit on disk. Must be closed.
   *
   * @throws ASOF_STORE_WRITE - the database is being reopened after a failed write.
   */
  snapshot(): JournalSnapshot {
    this.assertUsable()
    const snapshot = this.#database.snapshot()
    return {
      read: key => this.#read(key, snapshot),
      list: (range, options) => this.#list(range, options, snapshot),
      copyTo: dir => this.#copyTo(dir, snapshot),
      close: () => snapshot.close(),
    }
  }

  async #copyTo(dir: string, snapshot: LevelSnapshot): Promise<void> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const iterator = this.#database.iterator({ snapshot })
    const target = await openRecordDatabase(dir, this.#what)
    try {
      let entries = await iterator.nextv(READ_BATCH)
      for (; entries.length > 0; entries = await iterator.nextv(READ_BATCH)) {
        for (const [key, stored] of entries) decodeRecord(key, stored)
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

  /** Waits for pending commits, then closes the database. */
  async close(): Promise<void> {
    await this.#flushing
    await this.#reopening
    await this.#database.close()
    await this.#view?.close()
  }

  #readFailure(cause: unknown): AsofError {
    return new AsofError('ASOF_STORE_READ', `${this.#what} can't be read`, { cause })
  }

  async #flush(): Promise<void> {
    // Commits of the current turn of the event loop can still join the first write.
    await nextTurn()
    while (this.#pending.size > 0) {
      const writes = this.#pending
      const write = this.#pendingWrite
      this.#pending = new Map()
      this.#pendingWrite = Promise.withResolvers()
      try {
        await this.#write(writes)
        write.resolve()
      } catch (cause) {
        await this.#recover(cause, write)
      }
    }
    this.#flushing = undefined
  }

  async #write(writes: ReadonlyMap<string, string | undefined>): Promise<void> {
    this.#commits += 1
    const batch = this.#database.batch()
    batch.put(keys.commit, encodeRecord(keys.commit, this.#commits))
    for (const [key, text] of writes) {
      if (text === undefined) batch.del(key)
      else batch.put(key, text)
    }
    await batch.write({ sync: true })
  }

  /**
   * Reopens the database to find out whether a failed write reached the disk. Commits that arrived since are rejected
   * too, because they may depend on that write.
   */
  async #recover(cause: unknown, write: PromiseWithResolvers<void>): Promise<void> {
    const failure = new AsofError('ASOF_STORE_WRITE', `${this.#what} can't be written`, { cause })
    const later = this.#pendingWrite
    this.#pending = new Map()
    this.#pendingWrite = Promise.withResolvers()
    this.#usable = false
    // There may be no caller that handles this rejection.
    later.promise.catch(() => {})
    later.reject(failure)
    const tried = this.#commits
    await this.#reopen()
    if (this.#usable && this.#commits === tried) write.resolve()
    else write.reject(failure)
  }

  #reopen(): Promise<void> {
    this.#reopening ??= this.#closeAndOpen().finally(() => {
      this.#reopening = undefined
    })
    return this.#reopening
  }

  async #closeAndOpen(): Promise<void> {
    try {
      await this.#database.close()
      await this.#database.open()
      this.#usable = true
      this.#commits = (this.read(keys.commit) as number | undefined) ?? 0
      this.#onLoss()
    } catch {
      // The next call of assertUsable tries again.
      this.#usable = false
    }
  }
}
