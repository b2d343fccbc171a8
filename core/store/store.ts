import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { LRUCache } from 'lru-cache'
import { AsofError } from '../errors.ts'
import type { ChunkSource } from '../segment/streams.ts'
import {
  allSegments,
  allSupersessions,
  chunkKey,
  everything,
  type KeyRange,
  segmentOfKey,
  segmentRange,
  supersessionRange,
} from './keys.ts'

/** One write of an atomic batch. */
export type Operation = { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

export type Database = ClassicLevel<Uint8Array, Uint8Array>

/** Room that opening needs besides the log it replays. */
const ROOM_BYTES = 1024 * 1024
/** Written to prove that there is room, and removed. LevelDB pays no heed to a file of this name. */
const ROOM_FILE = 'room.tmp'

const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const

/**
 * Settings of LevelDB. Values are packed or compressed already, so it need not try; larger files and buffers than its
 * defaults mean fewer compactions for values of tens of kilobytes. `multithreading` lets the merge worker share it.
 */
const levelOptions = {
  ...encodings,
  compression: false,
  writeBufferSize: 16 * 1024 * 1024,
  cacheSize: 16 * 1024 * 1024,
  maxFileSize: 16 * 1024 * 1024,
  blockSize: 16 * 1024,
  multithreading: true,
}

/**
 * Locations that this thread holds open, as real paths. LevelDB's own lock does not refuse a second opening in the same
 * process: it would share the first, or by another spelling of the path even harm it.
 */
const openLocations = new Set<string>()

/** Opens the LevelDB folder; a second opening in the same process (a worker) shares the first. */
export async function openDatabase(location: string): Promise<Database> {
  const database: Database = new ClassicLevel(location, levelOptions)
  try {
    await database.open(levelOptions)
  } catch (error) {
    throw openError(location, error)
  }
  return database
}

function openError(location: string, error: unknown): AsofError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'LEVEL_LOCKED')
    return new AsofError('ASOF_STORE_LOCKED', `${location} is in use by another process: stop it, or use its socket`, {
      cause,
    })
  if (code === 'LEVEL_CORRUPTION')
    return new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged: ${messageOf(cause)}`, { cause })
  return new AsofError('ASOF_STORE_READ', `${location} can't be opened: ${messageOf(cause)}`, { cause })
}

function readError(error: unknown): AsofError {
  if (error instanceof AsofError) return error
  const isCorrupt = error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION'
  return new AsofError(
    isCorrupt ? 'ASOF_STORE_CORRUPT' : 'ASOF_STORE_READ',
    `the store can't be read: ${messageOf(error)}`,
    {
      cause: error,
    },
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The LevelDB folder: reads, atomic synced batches, and the chunks of segments through a cache. It knows keys and
 * bytes; what they mean is its callers' affair.
 */
export class Store {
  readonly location: string
  #database: Database
  readonly #chunks: LRUCache<string, Uint8Array>
  #mustReopen = false
  /** Settles when the last write asked for is over. */
  #lastWrite: Promise<unknown> = Promise.resolve()

  private constructor(location: string, database: Database, chunkCacheBytes: number) {
    this.location = location
    this.#database = database
    this.#chunks = new LRUCache({ maxSize: chunkCacheBytes, sizeCalculation: chunk => chunk.length + 64 })
  }

  /**
   * @throws ASOF_STORE_LOCKED, ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  static async open(location: string, options: { chunkCacheBytes: number }): Promise<Store> {
    try {
      await mkdir(location, { recursive: true })
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', `${location} can't be created: ${messageOf(cause)}`, { cause })
    }
    const real = await realpath(location)
    if (openLocations.has(real)) throw new AsofError('ASOF_STORE_LOCKED', `${location} is already open in this process`)
    openLocations.add(real)
    try {
      await rm(join(real, ROOM_FILE), { force: true })
      return new Store(real, await openDatabase(real), options.chunkCacheBytes)
    } catch (error) {
      openLocations.delete(real)
      throw error
    }
  }

  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  get(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#database.getSync(key)
    } catch (error) {
      throw readError(error)
    }
  }

  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  async getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    try {
      return await this.#database.getMany(keys)
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
      for (let entry = await iterator.next(); entry !== undefined; entry = await iterator.next()) yield entry
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
    return this.#write(() => this.#database.batch(operations, { ...encodings, sync: true }))
  }

  /** One write at a time, so that none can succeed behind one that failed. */
  #write(change: () => Promise<void>): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      if (this.#mustReopen) throw new AsofError('ASOF_STORE_WRITE', 'the store must be reopened after a failed write')
      try {
        await change()
      } catch (cause) {
        this.#mustReopen = true
        throw new AsofError('ASOF_STORE_WRITE', `the store could not write: ${messageOf(cause)}`, { cause })
      }
    })
    // The failure is its caller's; the next write only waits.
    this.#lastWrite = write.catch(() => {})
    return write
  }

  /** True after a failed write, until {@link reopen}. */
  get mustReopen(): boolean {
    return this.#mustReopen
  }

  /**
   * Opens the folder anew, with a new log. No other thread may hold it open.
   *
   * @param reload - what to read anew before the store counts as sound again.
   * @throws ASOF_STORE_WRITE - it can't be reopened now (the disk is still full, say); this may be tried again. Until
   *   then what was committed can be read, unless the disk filled up in the very moment of reopening.
   */
  async reopen(reload: () => Promise<void>): Promise<void> {
    try {
      await this.#lastWrite
      await this.#proveRoom()
      await this.#database.close()
      this.#database = await openDatabase(this.location)
      this.#chunks.clear()
      this.#mustReopen = false
      await reload()
    } catch (cause) {
      this.#mustReopen = true
      throw new AsofError('ASOF_STORE_WRITE', `the store can't be reopened after a failed write: ${messageOf(cause)}`, {
        cause,
      })
    }
  }

  /** Writes as much as opening will: LevelDB, once closed, can't be opened on a full disk, not even to be read. */
  async #proveRoom(): Promise<void> {
    let bytes = ROOM_BYTES
    for (const name of await readdir(this.location))
      if (name.endsWith('.log')) bytes += (await stat(join(this.location, name))).size
    const file = join(this.location, ROOM_FILE)
    try {
      const handle = await open(file, 'w')
      try {
        const block = randomBytes(ROOM_BYTES)
        for (let written = 0; written < bytes; written += block.length) await handle.writeFile(block)
        await handle.sync()
      } finally {
        await handle.close()
      }
    } finally {
      await rm(file, { force: true })
    }
  }

  /** The chunks of one segment. */
  chunks(segment: number): ChunkSource {
    return {
      get: (stream, chunk) => {
        const name = `${segment}/${stream}/${chunk}`
        const cached = this.#chunks.get(name)
        if (cached) return cached
        const bytes = this.get(chunkKey(segment, stream, chunk))
        if (!bytes)
          throw new AsofError('ASOF_STORE_CORRUPT', `segment ${segment} lacks chunk ${chunk} of stream ${stream}`)
        this.#chunks.set(name, bytes)
        return bytes
      },
    }
  }

  /** Deletes what is left of a segment that the manifest no longer names. Not atomic: it may be called again. */
  clearSegment(segment: number): Promise<void> {
    return this.#write(async () => {
      await this.#database.clear(segmentRange(segment))
      await this.#database.clear(supersessionRange(segment))
    })
  }

  /** Rewrites the folder's files so that nothing deleted is left in them. */
  compact(): Promise<void> {
    return this.#write(() => this.#database.compactRange(everything.gte, everything.lt, encodings))
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
    this.#chunks.clear()
    await this.#lastWrite
    await this.#database.close()
    openLocations.delete(this.location)
  }
}
