import { LRUCache } from 'lru-cache'
import { AsofError } from '../errors.ts'
import type { ChunkSource } from '../segment/streams.ts'
import { REPAIR_HINT, unsealed } from './checksum.ts'
import { chunkKey } from './keys.ts'

/** Streams of a segment, and chunks of a stream, that a cached chunk's number has room for. */
const STREAMS = 8
const MAX_CHUNKS = 2 ** 26

/** Gives what is stored, as the database has it. */
interface RawValues {
  getSync(key: Uint8Array): Uint8Array | undefined
}

/** What answers are read from: single values, and the chunks of segments. */
export interface StoredValues {
  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  get(key: Uint8Array): Uint8Array | undefined
  /** The chunks of one segment. */
  chunks(segment: number): ChunkSource
}

/** Reads one opening of the LevelDB folder, on any thread, with a cache of chunks. */
export class StoreReader implements StoredValues {
  readonly #database: RawValues
  readonly #chunks: LRUCache<number, Uint8Array>

  /** @param chunkCacheBytes - the most that cached chunks may take. */
  constructor(database: RawValues, chunkCacheBytes: number) {
    this.#database = database
    this.#chunks = new LRUCache({ maxSize: chunkCacheBytes, sizeCalculation: chunk => chunk.length + 64 })
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      const stored = this.#database.getSync(key)
      return stored && unsealed(key, stored)
    } catch (error) {
      throw readError(error)
    }
  }

  chunks(segment: number): ChunkSource {
    return {
      get: (stream, chunk) => {
        const name = (segment * STREAMS + stream) * MAX_CHUNKS + chunk
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

  /** Forgets the cached chunks. */
  clear(): void {
    this.#chunks.clear()
  }
}

/** What LevelDB says where a file is missing, or shorter than it was. */
const lostFile = /^IO error: .*\.(?:ldb|sst): (?:No such file or directory|Invalid argument)$/

/** A failed read as an error with a code. */
export function readError(error: unknown): AsofError {
  if (error instanceof AsofError) return error
  const reason = error instanceof Error ? error.message : String(error)
  if ((error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION') || lostFile.test(reason))
    return new AsofError('ASOF_STORE_CORRUPT', `the store is damaged: ${reason}; ${REPAIR_HINT}`, { cause: error })
  return new AsofError('ASOF_STORE_READ', `the store can't be read: ${reason}`, { cause: error })
}
