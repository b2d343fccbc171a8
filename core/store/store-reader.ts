import { LRUCache } from 'lru-cache'
import { AsofError } from '../errors.ts'
import type { ChunkSource } from '../segment/streams.ts'
import { REPAIR_HINT, verifiedValue } from './integrity/checksum.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'
import { bodyKey, chunkKey, documentKey } from './keys.ts'
import { BodyPackReader } from './records/body-pack.ts'
import { type BodyParts, encodedParts, StoredDocument } from './records/documents.ts'

/**
 * Upper bounds for the streams of a segment and the chunks of a stream. With them, segment, stream and chunk form one
 * number as cache key.
 */
const STREAMS = 8
const MAX_CHUNKS = 2 ** 26
/** Share of the cache for document records. */
const DOCUMENT_SHARE = 2 / 11
/** Share of the cache for bodies, because reading one means decompressing a pack of several. */
const BODY_SHARE = 1 / 11
/** Memory that a cached record with its decoded texts, and a cached chunk, takes besides its bytes. Measured. */
const DOCUMENT_OVERHEAD_BYTES = 280
const CHUNK_OVERHEAD_BYTES = 300

/** Reads stored bytes, which are values followed by checksums. */
interface RawValues {
  getSync(key: Uint8Array): Uint8Array | undefined
}

/** Reads verified values and the chunks of segments. */
export interface StoredValues {
  /**
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  get(key: Uint8Array): Uint8Array | undefined
  /**
   * Returns the document record of a capture. Records never change.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  document(captureId: number): StoredDocument | undefined
  /**
   * Returns the body of a capture in the index. It never changes.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  body(captureId: number): BodyParts | undefined
  /** Returns the chunks of one segment. */
  chunks(segment: number): ChunkSource
}

/** Reads an open LevelDB folder, on any thread. Caches chunks and document records. */
export class StoreReader implements StoredValues {
  readonly #database: RawValues
  readonly #chunks: LRUCache<number, Uint8Array>
  /** Document records by capture. */
  readonly #documents: LRUCache<number, StoredDocument>
  /** Bodies as `encodeBody` wrote them, by capture. */
  readonly #bodies: LRUCache<number, Uint8Array>

  /** @param cacheBytes - the size of the cache, bytes. */
  constructor(database: RawValues, cacheBytes: number) {
    this.#database = database
    const documentBytes = Math.ceil(cacheBytes * DOCUMENT_SHARE)
    this.#documents = new LRUCache({
      maxSize: documentBytes,
      sizeCalculation: record => record.length + DOCUMENT_OVERHEAD_BYTES,
    })
    const bodyBytes = Math.ceil(cacheBytes * BODY_SHARE)
    this.#bodies = new LRUCache({
      maxSize: bodyBytes,
      sizeCalculation: body => body.length + CHUNK_OVERHEAD_BYTES,
    })
    this.#chunks = new LRUCache({
      maxSize: Math.max(1, cacheBytes - documentBytes - bodyBytes),
      sizeCalculation: chunk => chunk.length + CHUNK_OVERHEAD_BYTES,
    })
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      const stored = this.#database.getSync(key)
      return stored && verifiedValue(key, stored)
    } catch (error) {
      throw readError(error)
    }
  }

  document(captureId: number): StoredDocument | undefined {
    const cached = this.#documents.get(captureId)
    if (cached !== undefined) return cached
    const bytes = this.get(documentKey(captureId))
    if (!bytes) return undefined
    const record = new StoredDocument(bytes)
    this.#documents.set(captureId, record)
    return record
  }

  body(captureId: number): BodyParts | undefined {
    const cached = this.#bodies.get(captureId)
    if (cached) return encodedParts(cached)
    const record = this.document(captureId)
    if (record === undefined) return undefined
    const number = record.packOf(captureId)
    const stored = this.get(bodyKey(number))
    if (!stored) return undefined
    const pack = new BodyPackReader(number, stored)
    if (pack.isLong) return pack.body(captureId)
    const body = pack.encoded(captureId)
    if (!body) return undefined
    this.#bodies.set(captureId, body)
    return encodedParts(body)
  }

  chunks(segment: number): ChunkSource {
    return {
      get: (stream, chunk) => {
        const name = (segment * STREAMS + stream) * MAX_CHUNKS + chunk
        const cached = this.#chunks.get(name)
        if (cached) return cached
        const bytes = this.get(chunkKey(segment, stream, chunk))
        if (!bytes)
          throw new AsofError(
            'ASOF_STORE_CORRUPT',
            `segment ${segment} lacks chunk ${chunk} of stream ${stream}; ${REPAIR_HINT}`,
          )
        this.#chunks.set(name, bytes)
        return bytes
      },
    }
  }

  /** Empties the cache. */
  clear(): void {
    this.#chunks.clear()
    this.#documents.clear()
    this.#bodies.clear()
  }
}

/** Matches LevelDB's message for a file that is missing or too short. */
const lostFile = /^IO error: .*\.(?:ldb|sst): (?:No such file or directory|Invalid argument)$/

/** Converts the error of a read to an AsofError. */
export function readError(error: unknown): AsofError {
  if (error instanceof AsofError) return error
  const reason = error instanceof Error ? error.message : String(error)
  if ((error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION') || lostFile.test(reason))
    return new AsofError('ASOF_STORE_CORRUPT', `the store is damaged; ${REPAIR_HINT}`, { cause: error })
  return new AsofError('ASOF_STORE_READ', `the store can't be read: ${diskTrouble(error)}`, { cause: error })
}
