import { mkdir, realpath } from 'node:fs/promises'
import { AsofError } from '@asof/extract/errors'
import PQueue from 'p-queue'
import { closeTree } from '../folders/private-folder.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { Backup } from './backup/backup.ts'
import { BackupThread } from './backup/backup-thread.ts'
import { type Database, encodings } from './database.ts'
import { failpoint } from './failpoint.ts'
import { ChecksumBuffer, verifiedValue } from './integrity/checksum.ts'
import { CommitWatermark } from './integrity/commit-watermark.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'
import { checkIntegrity } from './integrity/integrity-check.ts'
import { Reserve } from './integrity/reserve.ts'
import { writeVerifiedTables } from './integrity/verified-tables.ts'
import {
  allSegments,
  allSupersessions,
  BEYOND_ALL,
  firstNumberOfKey,
  justBelow,
  type KeyRange,
  segmentRange,
  supersessionRange,
} from './keys.ts'
import { OpeningSpace, openWith, sizeOf } from './opening.ts'
import type { Operation, Store } from './store.ts'
import { CacheCounts, readError, StoreReader } from './store-reader.ts'
import { StoreReads } from './store-reads.ts'

/** Space that an operation takes in the log besides its key and value. */
const OPERATION_BYTES = 32
/** Number of operations passed to LevelDB before yielding to the event loop. */
const OPERATIONS_AT_ONCE = 512
/**
 * Number of keys that one write deletes when a segment is cleared. It is small because commits wait for such a write.
 */
const KEYS_CLEARED_AT_ONCE = 512

/**
 * Real paths of the folders that this thread has open. Opening a folder twice must fail, but LevelDB's lock does not
 * prevent it within a process: both would share a database or, if the paths are spelled differently, damage it.
 */
const openLocations = new Set<string>()

/** Returns an upper bound for the number of bytes that a batch adds to the log. */
export function batchBytesOf(operations: readonly Operation[]): number {
  let bytes = 0
  for (const operation of operations)
    bytes += OPERATION_BYTES + operation.key.length + (operation.type === 'put' ? operation.value.length : 0)
  return bytes
}

export interface StoreOptions {
  /** Size of the cache for values, bytes. */
  cacheBytes: number
  /** Maximum memory for mapped files, bytes: 64 MiB (default) to 1000 MiB, the limits that LevelDB can respect. */
  mappedBytes?: number
}

/** A LevelDB folder. Its batches are synced. */
export class FolderStore extends StoreReads implements Store {
  readonly isLasting = true
  readonly location: string
  #database: Database
  readonly #options: StoreOptions
  readonly #acknowledged: CommitWatermark
  readonly #reserve: Reserve
  #opening: OpeningSpace
  readonly cacheCounts = new CacheCounts()
  #reader: StoreReader
  #mustReopen = false
  /** Runs one write at a time, so that no write succeeds after a failed one. */
  readonly #writes = new PQueue({ concurrency: 1 })

  private constructor(
    location: string,
    { database, reserve, opening }: { database: Database; reserve: Reserve; opening: OpeningSpace },
    options: StoreOptions,
  ) {
    super()
    this.location = location
    this.#database = database
    this.#options = options
    this.#reserve = reserve
    this.#opening = opening
    this.#acknowledged = new CommitWatermark(location)
    this.#reader = new StoreReader(database, options.cacheBytes, this.cacheCounts)
  }

  /**
   * Opens the folder, or creates it. On a full disk the store can be read, but not written.
   *
   * @throws ASOF_STORE_LOCKED, ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  static async open(location: string, options: StoreOptions): Promise<FolderStore> {
    try {
      await mkdir(location, { recursive: true, mode: 0o700 })
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', `${location} can't be created: ${diskTrouble(cause)}`, { cause })
    }
    const real = await realpath(location)
    if (openLocations.has(real)) throw new AsofError('ASOF_STORE_LOCKED', `${location} is already open in this process`)
    openLocations.add(real)
    try {
      await checkIntegrity(real)
      const reserve = await Reserve.of(real)
      const database = await openWith(reserve, real, options.mappedBytes)
      return new FolderStore(real, { database, reserve, opening: await OpeningSpace.of(real) }, options)
    } catch (error) {
      openLocations.delete(real)
      throw error
    }
  }

  protected override get reader(): StoreReader {
    return this.#reader
  }

  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  async getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    try {
      const stored = await this.#database.getMany(keys)
      return stored.map((value, i) => value && verifiedValue(keys[i]!, value))
    } catch (error) {
      throw readError(error)
    }
  }

  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  async *iterate(range: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    const iterator = this.#database.iterator(range)
    try {
      for (let entry = await iterator.next(); entry !== undefined; entry = await iterator.next())
        yield [entry[0], verifiedValue(entry[0], entry[1])]
    } catch (error) {
      throw readError(error)
    } finally {
      await iterator.close()
    }
  }

  /**
   * Writes a batch atomically. When the promise resolves, the batch is on disk.
   *
   * @throws ASOF_STORE_WRITE - the batch may or may not be on disk. LevelDB would lose later writes after an incomplete
   *   record in its log, so {@link reopen} must be called before the next commit.
   */
  commit(operations: Operation[]): Promise<void> {
    return this.#write(() => this.#batch(operations), batchBytesOf(operations))
  }

  /** Passes operations to LevelDB in portions. LevelDB copies them, and a batch may have tens of megabytes. */
  async #batch(operations: readonly Operation[]): Promise<void> {
    const batch = this.#database.batch()
    const sealer = new ChecksumBuffer()
    try {
      for (const [i, operation] of operations.entries()) {
        if (i % OPERATIONS_AT_ONCE === OPERATIONS_AT_ONCE - 1) await yieldToEventLoop()
        if (operation.type === 'del') batch.del(operation.key)
        else batch.put(operation.key, sealer.checksummed(operation.key, operation.value))
      }
      await batch.write({ sync: true })
    } finally {
      await batch.close()
    }
  }

  get acknowledgedGeneration(): number {
    return this.#acknowledged.generation
  }

  acknowledge(generation: number): void {
    this.#acknowledged.note(generation)
  }

  #write(change: () => Promise<void>, bytes: number): Promise<void> {
    return this.#writes.add(async () => {
      this.#expectWritable()
      await this.#holdReserve(bytes)
      try {
        failpoint('write-1-begin')
        await change()
        failpoint('write-2-end')
      } catch (cause) {
        this.#mustReopen = true
        const asRead = readError(cause)
        if (asRead.code === 'ASOF_STORE_CORRUPT') throw asRead
        throw new AsofError('ASOF_STORE_WRITE', `the store could not write: ${diskTrouble(cause)}`, { cause })
      }
    })
  }

  #expectWritable(): void {
    if (this.#mustReopen) throw new AsofError('ASOF_STORE_WRITE', 'the store must be reopened after a failed write')
  }

  /**
   * Reserves the disk space that later openings need if the log grows by `bytes`.
   *
   * @throws ASOF_STORE_WRITE - there is not enough space; nothing was written.
   */
  async #holdReserve(bytes: number): Promise<void> {
    this.#opening.grow(bytes)
    if (this.#opening.all > this.#reserve.bytes) {
      // The bound may be too high, because LevelDB sometimes begins a new log.
      this.#opening = await OpeningSpace.of(this.location)
      this.#opening.grow(bytes)
    }
    try {
      await this.#reserve.hold(this.#opening.all)
    } catch (cause) {
      // Background writes of LevelDB may have failed too. LevelDB then fails until it is reopened.
      this.#mustReopen = true
      throw new AsofError('ASOF_STORE_WRITE', `the store could not write: ${diskTrouble(cause)}`, { cause })
    }
  }

  get mustReopen(): boolean {
    return this.#mustReopen
  }

  /** Opens the folder again, with a new log. */
  async reopen(reload: () => Promise<void>): Promise<void> {
    try {
      await this.#writes.onIdle()
      // The folder is closed only if there is space to open it again. Until then committed values can be read. This
      // opening uses a part of the reserve; the rest is for later openings.
      this.#opening = await OpeningSpace.of(this.location)
      await this.#reserve.hold(this.#opening.all)
      await this.#reserve.shrink(this.#opening.later)
      await this.#database.close()
      failpoint('recover-3-closed')
      this.#database = await openWith(this.#reserve, this.location, this.#options.mappedBytes)
      this.#reader = new StoreReader(this.#database, this.#options.cacheBytes, this.cacheCounts)
      this.#mustReopen = false
      await reload()
      this.#expectWritable()
    } catch (cause) {
      this.#mustReopen = true
      throw new AsofError(
        'ASOF_STORE_WRITE',
        `the store can't be reopened after a failed write: ${diskTrouble(cause)}`,
        {
          cause,
        },
      )
    }
  }

  /**
   * Runs a write of another thread, which has its own handle of the folder. No other write runs meanwhile.
   *
   * @param bytes - maximum number of bytes that the write adds to the log.
   * @throws ASOF_STORE_WRITE - `change` rejected; see {@link commit}.
   */
  exclusively(change: () => Promise<void>, bytes: number): Promise<void> {
    return this.#write(change, bytes)
  }

  /** Deletes in small writes, so that commits need not wait long. */
  async clearSegment(segment: number): Promise<void> {
    for (const range of [segmentRange(segment), supersessionRange(segment)]) await this.#clear(range)
  }

  async #clear(range: KeyRange): Promise<void> {
    const iterator = this.#database.keys(range)
    try {
      for (let keys = await this.#nextKeys(iterator); keys.length > 0; keys = await this.#nextKeys(iterator)) {
        const operations = keys.map(key => ({ type: 'del' as const, key }))
        // These deletions are not synced. If a crash undoes them, the next opening repeats them.
        await this.#write(() => this.#database.batch(operations, encodings), batchBytesOf(operations))
      }
    } finally {
      await iterator.close()
    }
  }

  async #nextKeys(iterator: { nextv(size: number): Promise<Uint8Array[]> }): Promise<Uint8Array[]> {
    try {
      return await iterator.nextv(KEYS_CLEARED_AT_ONCE)
    } catch (error) {
      throw readError(error)
    }
  }

  /**
   * Rewrites the files with keys of a range, without the values that were deleted or overwritten.
   *
   * LevelDB compacts a range only into the lowest level with keys of the range, and does not rewrite the files of that
   * level. So this method first writes out the memtable. Then it deletes two keys that do not exist, which creates a
   * file on a higher level that spans the whole range.
   *
   * @throws ASOF_STORE_READ - the store was closed meanwhile.
   * @throws ASOF_STORE_WRITE
   */
  async compact({ gte, lt }: KeyRange): Promise<void> {
    const edges = [justBelow(gte), justBelow(lt)]
    try {
      await this.#database.compactRange(BEYOND_ALL, BEYOND_ALL, encodings)
      const deletions = edges.map(key => ({ type: 'del' as const, key }))
      await this.#write(() => this.#database.batch(deletions, encodings), batchBytesOf(deletions))
      await this.#shrinkReserve()
      await this.#database.compactRange(gte, lt, encodings)
    } catch (error) {
      throw readError(error)
    }
  }

  /** Shrinks the reserve to the space that openings need now. */
  async #shrinkReserve(): Promise<void> {
    this.#opening = await OpeningSpace.of(this.location)
    await this.#reserve.shrink(this.#opening.all)
  }

  async segmentsPresent(): Promise<Set<number>> {
    const present = new Set<number>()
    for (const [range, after] of [
      [allSegments, segmentRange],
      [allSupersessions, supersessionRange],
    ] as const) {
      const iterator = this.#database.keys(range)
      try {
        for (let key = await iterator.next(); key !== undefined; key = await iterator.next()) {
          const segment = firstNumberOfKey(key)
          present.add(segment)
          iterator.seek(after(segment).lt)
        }
      } finally {
        await iterator.close()
      }
    }
    return present
  }

  bytes(): Promise<number> {
    return sizeOf(this.location, /^/)
  }

  backup(target: string, signals: SharedArrayBuffer, onProgress?: (copiedBytes: number) => void): Promise<Backup> {
    return BackupThread.begin({ location: this.location, target, signals }, onProgress)
  }

  async close(): Promise<void> {
    this.clearCache()
    await this.#writes.onIdle()
    await this.#database.close()
    await this.#shrinkReserve()
    this.#acknowledged.close()
    // LevelDB created its files with the umask of the process. This changes their modes, and so the identities that are recorded next.
    await closeTree(this.location)
    await writeVerifiedTables(this.location)
    openLocations.delete(this.location)
  }
}
