import { mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import PQueue from 'p-queue'
import { AsofError } from '../errors.ts'
import type { ChunkSource } from '../segment/streams.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { failpoint } from './failpoint.ts'
import { ChecksumBuffer, REPAIR_HINT, verifiedValue } from './integrity/checksum.ts'
import { CommitWatermark } from './integrity/commit-watermark.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'
import { checkIntegrity, lockedError } from './integrity/integrity-check.ts'
import { Reserve } from './integrity/reserve.ts'
import { writeVerifiedTables } from './integrity/verified-tables.ts'
import {
  allSegments,
  allSupersessions,
  BEYOND_ALL,
  justBelow,
  type KeyRange,
  segmentOfKey,
  segmentRange,
  supersessionRange,
} from './keys.ts'
import { readError, type StoredValues, StoreReader } from './store-reader.ts'

/** One write of an atomic batch. */
export type Operation = { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

export type Database = ClassicLevel<Uint8Array, Uint8Array>

/** Space that opening takes besides that of the log, which LevelDB writes anew as a table. */
const OPENING_BYTES = 1024 * 1024
/** Space of an operation in the log besides its key and value. */
const OPERATION_BYTES = 32
/** Operations of a batch between two turns of the event loop. */
const OPERATIONS_AT_ONCE = 512
/** Keys of a cleared segment deleted in one write: what a commit may have to wait for. */
const KEYS_CLEARED_AT_ONCE = 512

const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const

const FILE_BYTES = 1024 * 1024
/** LevelDB's bounds on the files it keeps open, besides ten for other things; of more it maps none. */
const LEAST_OPEN = 64
const MOST_OPEN = 1000
const OTHER_FILES = 10
/** The least that {@link databaseOptions} can keep to. */
const LEAST_MAPPED_BYTES = LEAST_OPEN * FILE_BYTES

/**
 * Settings of LevelDB. Values are packed or compressed already, so it need not try; larger buffers than its default mean
 * fewer compactions for values of tens of kilobytes. `multithreading` lets other threads share it.
 *
 * @param mappedBytes - LevelDB maps the files it has open, so that their number times their size bounds the resident
 *   memory that an index of any size takes of it. A value in a file that is not open costs some 30 µs more.
 */
export function databaseOptions(mappedBytes = LEAST_MAPPED_BYTES) {
  const open = Math.min(MOST_OPEN, Math.max(LEAST_OPEN, Math.floor(mappedBytes / FILE_BYTES)))
  return {
    ...encodings,
    compression: false,
    writeBufferSize: 16 * 1024 * 1024,
    cacheSize: 16 * 1024 * 1024,
    maxFileSize: FILE_BYTES,
    maxOpenFiles: open + OTHER_FILES,
    blockSize: 16 * 1024,
    multithreading: true,
  }
}

/**
 * Locations that this thread holds open, as real paths. LevelDB's own lock does not refuse a second opening in the same
 * process: it would share the first, or by another spelling of the path even harm it.
 */
const openLocations = new Set<string>()

/** Opens the LevelDB folder; a second opening in the same process (a worker) shares the first, and its settings. */
export async function openDatabase(location: string, mappedBytes?: number): Promise<Database> {
  const options = databaseOptions(mappedBytes)
  const database: Database = new ClassicLevel(location, options)
  try {
    await database.open(options)
  } catch (error) {
    throw openError(location, error)
  }
  return database
}

/** Opens the database, and if there is no space for that, does so with the space of the reserve. */
async function openWith(reserve: Reserve, location: string, mappedBytes: number | undefined): Promise<Database> {
  try {
    return await openDatabase(location, mappedBytes)
  } catch (error) {
    // What LevelDB reports of a full disk is the text of the system's error, in its language.
    if (!(error instanceof AsofError && error.code === 'ASOF_STORE_READ') || !(await reserve.release())) throw error
    return await openDatabase(location, mappedBytes)
  }
}

/** Bytes of a batch in the log, or more. */
export function bytesOf(operations: readonly Operation[]): number {
  let bytes = 0
  for (const operation of operations)
    bytes += OPERATION_BYTES + operation.key.length + (operation.type === 'put' ? operation.value.length : 0)
  return bytes
}

function openError(location: string, error: unknown): AsofError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'LEVEL_LOCKED') return lockedError(location, cause)
  if (code === 'LEVEL_CORRUPTION')
    return new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged; ${REPAIR_HINT}`, { cause })
  return new AsofError('ASOF_STORE_READ', `${location} can't be opened: ${diskTrouble(cause)}`, { cause })
}

export interface StoreOptions {
  /** The most that is kept so as not to be read again. */
  cacheBytes: number
  /** The most that mapped files may take, from 128 MiB on, which is the default, to some 2 GB. */
  mappedBytes?: number
}

/**
 * The LevelDB folder: reads, atomic synced batches, and the chunks of segments through a cache. It knows keys and
 * bytes; what they mean is its callers' affair.
 */
export class Store implements StoredValues {
  readonly location: string
  #database: Database
  readonly #options: StoreOptions
  readonly #acknowledged: CommitWatermark
  readonly #reserve: Reserve
  /** Bytes in LevelDB's log, or more. */
  #logBytes = 0
  #reader: StoreReader
  #mustReopen = false
  /** One write at a time, so that none can succeed after one that failed. */
  readonly #writes = new PQueue({ concurrency: 1 })

  private constructor(location: string, database: Database, reserve: Reserve, options: StoreOptions) {
    this.location = location
    this.#database = database
    this.#options = options
    this.#reserve = reserve
    this.#acknowledged = new CommitWatermark(location)
    this.#reader = new StoreReader(database, options.cacheBytes)
  }

  /**
   * Opens the folder, which is created when missing. On a full disk the store can be read; it can be written to once there
   * is space again.
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
      return new Store(real, await openWith(reserve, real, options.mappedBytes), reserve, options)
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

  document(captureId: number): Uint8Array | undefined {
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
   * Writes a batch: all of it or nothing, on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - whether the batch reached the disk shows only after {@link reopen}, which must come
   *   before the next commit: LevelDB may have left a torn record in its log, behind which later writes would be lost.
   */
  commit(operations: Operation[]): Promise<void> {
    return this.#write(() => this.#batch(operations), bytesOf(operations))
  }

  /** Hands operations over a few at a time: LevelDB copies them, and there may be tens of megabytes. */
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

  /** The generation of the last commit known to have been acknowledged before the store was opened; 0: none. */
  get acknowledgedGeneration(): number {
    return this.#acknowledged.generation
  }

  /** Notes that a commit, which is on disk, is about to be acknowledged. */
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
   * Keeps as much space on disk as opening takes once the log has grown by `bytes`.
   *
   * @throws ASOF_STORE_WRITE - there is not that much space; nothing was written.
   */
  async #holdReserve(bytes: number): Promise<void> {
    if (OPENING_BYTES + this.#logBytes + bytes > this.#reserve.bytes) this.#logBytes = await this.#measuredLog()
    try {
      await this.#reserve.hold(OPENING_BYTES + this.#logBytes + bytes)
    } catch (cause) {
      // What LevelDB writes in the background may have failed as well, which it does not forget until it is opened again.
      this.#mustReopen = true
      throw new AsofError('ASOF_STORE_WRITE', `the store could not write: ${diskTrouble(cause)}`, { cause })
    }
    this.#logBytes += bytes
  }

  async #measuredLog(): Promise<number> {
    let bytes = 0
    for (const name of await readdir(this.location)) {
      // A log may be deleted meanwhile: LevelDB writes tables in the background.
      if (name.endsWith('.log')) bytes += (await stat(join(this.location, name)).catch(() => undefined))?.size ?? 0
    }
    return bytes
  }

  /** True after a failed write, until {@link reopen}. */
  get mustReopen(): boolean {
    return this.#mustReopen
  }

  /**
   * Opens the folder anew, with a new log. No other thread may hold it open.
   *
   * @param reload - what to read anew before the store counts as sound again.
   * @throws ASOF_STORE_WRITE - it cannot be reopened now; this may be tried again.
   */
  async reopen(reload: () => Promise<void>): Promise<void> {
    try {
      await this.#writes.onIdle()
      // Only with space to open again: until then what was committed can be read.
      await this.#holdReserve(0)
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

  /** The chunks of one segment. */
  chunks(segment: number): ChunkSource {
    return this.#reader.chunks(segment)
  }

  /** Forgets the cached chunks: other threads read the segments from now on. */
  clearCache(): void {
    this.#reader.clear()
  }

  /**
   * Runs a write that another thread makes through its own hold on the folder, while nothing else writes.
   *
   * @param bytes - how many the write adds to the log at most.
   * @throws ASOF_STORE_WRITE - as {@link commit} does, when `change` rejects.
   */
  exclusively(change: () => Promise<void>, bytes: number): Promise<void> {
    return this.#write(change, bytes)
  }

  /**
   * Deletes what is left of a segment that the manifest no longer names, a little at a time, so that commits get in
   * between. Not atomic: it may be called again.
   */
  async clearSegment(segment: number): Promise<void> {
    for (const range of [segmentRange(segment), supersessionRange(segment)]) await this.#clear(range)
  }

  async #clear(range: KeyRange): Promise<void> {
    const iterator = this.#database.keys(range)
    try {
      for (let keys = await this.#nextKeys(iterator); keys.length > 0; keys = await this.#nextKeys(iterator)) {
        const operations = keys.map(key => ({ type: 'del' as const, key }))
        // Unsynced: what a crash brings back is deleted at the next opening.
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
   * Rewrites the files that hold anything of a range, so that nothing deleted or overwritten is left of it in them.
   * Beside writes and reads, not among them: LevelDB compacts in a thread of its own and lets commits go first.
   *
   * It compacts a range into the lowest level that holds some of it, and leaves alone what lies there already: also a
   * file to which a value and its deletion came together. So the memory table is written out first, and then two
   * deletions of nothing, which make a file above that spans the range.
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

  /** Gives up what opening would not take now. */
  async #shrinkReserve(): Promise<void> {
    this.#logBytes = await this.#measuredLog()
    await this.#reserve.shrink(OPENING_BYTES + this.#logBytes)
  }

  /** Segments with any chunk or supersession in the store, whether the manifest names them or not. */
  async segmentsPresent(): Promise<Set<number>> {
    const present = new Set<number>()
    for (const [range, after] of [
      [allSegments, segmentRange],
      [allSupersessions, supersessionRange],
    ] as const) {
      const iterator = this.#database.keys(range)
      try {
        for (let key = await iterator.next(); key !== undefined; key = await iterator.next()) {
          const segment = segmentOfKey(key)
          present.add(segment)
          iterator.seek(after(segment).lt)
        }
      } finally {
        await iterator.close()
      }
    }
    return present
  }

  /** Bytes of the folder on disk. */
  async bytesOnDisk(): Promise<number> {
    let total = 0
    for (const name of await readdir(this.location)) {
      // A file may go between the listing and the look: LevelDB compacts in the background.
      const file = await stat(join(this.location, name)).catch(() => undefined)
      total += file?.size ?? 0
    }
    return total
  }

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
