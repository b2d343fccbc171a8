import { mkdir, realpath } from 'node:fs/promises'
import PQueue from 'p-queue'
import { AsofError } from '../errors.ts'
import type { ChunkSource } from '../segment/streams.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
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
import { readError, type StoredValues, StoreReader } from './store-reader.ts'

/** One operation of an atomic batch. */
export type Operation = { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

/** Space of an operation in the log, besides its key and value. */
const OPERATION_BYTES = 32
/** Number of operations of a batch that are passed to LevelDB before other work gets its turn. */
const OPERATIONS_AT_ONCE = 512
/** Number of keys that one write deletes when a segment is cleared. A commit may have to wait for such a write. */
const KEYS_CLEARED_AT_ONCE = 512

/**
 * The folders that this thread has open, as real paths. LevelDB's lock does not prevent a second opening in the same process. A second
 * opening would share the first or, if the path is spelled differently, harm it.
 */
const openLocations = new Set<string>()

/** Returns an upper bound on the bytes that a batch adds to the log. */
export function bytesOf(operations: readonly Operation[]): number {
  let bytes = 0
  for (const operation of operations)
    bytes += OPERATION_BYTES + operation.key.length + (operation.type === 'put' ? operation.value.length : 0)
  return bytes
}

export interface StoreOptions {
  /** Size of the cache of values, bytes. */
  cacheBytes: number
  /** Maximum memory for mapped files, bytes. LevelDB can keep a limit from 64 MiB, the default, to 1000 MiB. */
  mappedBytes?: number
}

/**
 * The LevelDB folder: reads, atomic synced batches, and the chunks of segments through a cache. It handles keys and bytes. Its callers
 * know their meaning.
 */
export class Store implements StoredValues {
  readonly location: string
  #database: Database
  readonly #options: StoreOptions
  readonly #acknowledged: CommitWatermark
  readonly #reserve: Reserve
  #opening: OpeningSpace
  #reader: StoreReader
  #mustReopen = false
  /** Runs one write at a time, so that no write can succeed after one that failed. */
  readonly #writes = new PQueue({ concurrency: 1 })

  private constructor(
    location: string,
    { database, reserve, opening }: { database: Database; reserve: Reserve; opening: OpeningSpace },
    options: StoreOptions,
  ) {
    this.location = location
    this.#database = database
    this.#options = options
    this.#reserve = reserve
    this.#opening = opening
    this.#acknowledged = new CommitWatermark(location)
    this.#reader = new StoreReader(database, options.cacheBytes)
  }

  /**
   * Opens the folder, or creates it. On a full disk the store can be read. It can be written to when there is space again.
   *
   * @throws ASOF_STORE_LOCKED, ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  static async open(location: string, options: StoreOptions): Promise<Store> {
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
      return new Store(real, { database, reserve, opening: await OpeningSpace.of(real) }, options)
    } catch (error) {
      openLocations.delete(real)
      throw error
    }
  }

  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(key)
  }

  document(captureId: number): string | undefined {
    return this.#reader.document(captureId)
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
   * Yields the keys and values of a range, in ascending order.
   *
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
   * Writes a batch atomically. The batch is on disk when the promise resolves.
   *
   * @throws ASOF_STORE_WRITE - the batch may be on disk or not. Only {@link reopen} shows it, and it must be called before the next commit:
   *   LevelDB may have left an incomplete record in its log, and would lose the writes after it.
   */
  commit(operations: Operation[]): Promise<void> {
    return this.#write(() => this.#batch(operations), bytesOf(operations))
  }

  /** Passes the operations to LevelDB some at a time, because LevelDB copies them, and they may have tens of megabytes. */
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

  /** The generation of the last commit that was acknowledged before the store was opened; 0 if unknown. */
  get acknowledgedGeneration(): number {
    return this.#acknowledged.generation
  }

  /** Records that a commit is on disk and is about to be acknowledged. */
  acknowledge(generation: number): void {
    this.#acknowledged.note(generation)
  }

  #write(change: () => Promise<void>, bytes: number): Promise<void> {
    return this.#writes.add(async () => {
      if (this.#mustReopen) throw new AsofError('ASOF_STORE_WRITE', 'the store must be reopened after a failed write')
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

  /**
   * Reserves the space on disk that openings will need after the log has grown by `bytes`.
   *
   * @throws ASOF_STORE_WRITE - there is not enough space; nothing was written.
   */
  async #holdReserve(bytes: number): Promise<void> {
    this.#opening.grow(bytes)
    if (this.#opening.all > this.#reserve.bytes) {
      // The log may be shorter than the bound, because LevelDB sometimes begins a new one.
      this.#opening = await OpeningSpace.of(this.location)
      this.#opening.grow(bytes)
    }
    try {
      await this.#reserve.hold(this.#opening.all)
    } catch (cause) {
      // LevelDB's own writes in the background may also have failed. Then LevelDB fails until it is opened again.
      this.#mustReopen = true
      throw new AsofError('ASOF_STORE_WRITE', `the store could not write: ${diskTrouble(cause)}`, { cause })
    }
  }

  /** True after a failed write, until {@link reopen}. */
  get mustReopen(): boolean {
    return this.#mustReopen
  }

  /**
   * Opens the folder again, with a new log. No other thread may have it open.
   *
   * @param reload - called before the store accepts writes again. It must reload everything that was read from the store.
   * @throws ASOF_STORE_WRITE - the folder cannot be reopened now. It may be tried again later.
   */
  async reopen(reload: () => Promise<void>): Promise<void> {
    try {
      await this.#writes.onIdle()
      // The folder is closed only if there is space to open it again. Until then the committed values can be read. Opening uses a part of the
      // reserve. The rest of the reserve is for the next process.
      this.#opening = await OpeningSpace.of(this.location)
      await this.#reserve.hold(this.#opening.all)
      await this.#reserve.shrink(this.#opening.later)
      await this.#database.close()
      failpoint('recover-3-closed')
      this.#database = await openWith(this.#reserve, this.location, this.#options.mappedBytes)
      this.#reader = new StoreReader(this.#database, this.#options.cacheBytes)
      this.#mustReopen = false
      await reload()
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

  /** Returns the chunks of one segment. */
  chunks(segment: number): ChunkSource {
    return this.#reader.chunks(segment)
  }

  /** Empties the cache, because other threads read the segments from now on. */
  clearCache(): void {
    this.#reader.clear()
  }

  /**
   * Runs a write that another thread makes through its own handle of the folder. No other write runs meanwhile.
   *
   * @param bytes - maximum number of bytes that the write adds to the log.
   * @throws ASOF_STORE_WRITE - `change` rejected; see {@link commit}.
   */
  exclusively(change: () => Promise<void>, bytes: number): Promise<void> {
    return this.#write(change, bytes)
  }

  /**
   * Deletes the values of a segment that the manifest no longer names, some at a time, so that commits need not wait. It is not atomic. It
   * may be called again.
   */
  async clearSegment(segment: number): Promise<void> {
    for (const range of [segmentRange(segment), supersessionRange(segment)]) await this.#clear(range)
  }

  async #clear(range: KeyRange): Promise<void> {
    const iterator = this.#database.keys(range)
    try {
      for (let keys = await this.#nextKeys(iterator); keys.length > 0; keys = await this.#nextKeys(iterator)) {
        const operations = keys.map(key => ({ type: 'del' as const, key }))
        // The write is not synced. If values reappear after a crash, the next opening of the index deletes them.
        await this.#write(() => this.#database.batch(operations, encodings), bytesOf(operations))
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
   * Rewrites the files with values of a range, so that they no longer have any deleted or overwritten values of it. Reads and writes
   * continue meanwhile: LevelDB compacts in a thread of its own, and commits take precedence.
   *
   * LevelDB compacts a range into the lowest level with keys of the range. It does not rewrite the files of that level, even one that has a
   * value and its deletion. So this method first writes out the memtable. Then it deletes two keys that do not exist, which makes a file
   * on a higher level that spans the range.
   *
   * @throws ASOF_STORE_READ - the store was closed meanwhile.
   * @throws ASOF_STORE_WRITE
   */
  async compact({ gte, lt }: KeyRange): Promise<void> {
    const edges = [justBelow(gte), justBelow(lt)]
    try {
      await this.#database.compactRange(BEYOND_ALL, BEYOND_ALL, encodings)
      const deletions = edges.map(key => ({ type: 'del' as const, key }))
      await this.#write(() => this.#database.batch(deletions, encodings), bytesOf(deletions))
      await this.#shrinkReserve()
      await this.#database.compactRange(gte, lt, encodings)
    } catch (error) {
      throw readError(error)
    }
  }

  /** Shrinks the reserve to the space that an opening needs now. */
  async #shrinkReserve(): Promise<void> {
    this.#opening = await OpeningSpace.of(this.location)
    await this.#reserve.shrink(this.#opening.all)
  }

  /** Returns the segments with a chunk or supersession in the store, including those that the manifest does not name. */
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

  /** Returns the size of the folder on disk, bytes. */
  bytesOnDisk(): Promise<number> {
    return sizeOf(this.location, /^/)
  }

  /** Waits for the writes, then closes the folder. */
  async close(): Promise<void> {
    this.#reader.clear()
    await this.#writes.onIdle()
    await this.#database.close()
    await this.#shrinkReserve()
    await writeVerifiedTables(this.location)
    this.#acknowledged.close()
    openLocations.delete(this.location)
  }
}
