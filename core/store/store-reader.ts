import { AsofError, codeOf, messageOf } from '@asof/extract/errors'
import { LRUCache } from 'lru-cache'
import { byteString, bytesOf } from '../bytes/byte-string.ts'
import { type ChunkSource, Stream } from '../segment/streams.ts'
import type { TermVector } from '../segment/term-vector.ts'
import { REPAIR_HINT, verifiedValue } from './integrity/checksum.ts'
import { diskTrouble } from './integrity/disk-trouble.ts'
import { bodyKey, chunkKey, documentKey } from './keys.ts'
import { BodyPackReader } from './records/body-pack.ts'
import { type BodyParts, type DocumentHead, decodeHead, decodeTermVector } from './records/documents.ts'
import { PageText, TextPiece } from './records/page-text.ts'

/**
 * Upper bounds for the streams of a segment and the chunks of a stream. With them, segment, stream and chunk form one
 * number as cache key.
 */
const STREAMS = 8
const MAX_CHUNKS = 2 ** 26
/** Shares of the cache for document records, without and with their term vectors. */
const HEAD_SHARE = 2 / 11
const RECORD_SHARE = 1 / 11
/**
 * Shares of the cache for texts and for chunks of positions. There are many of both, and they are large. They would displace the chunks of
 * dictionaries and short posting lists, which every search needs and which have the rest of the cache. They would also displace each other,
 * and a text costs ten times as much to read again for each byte, because it is decompressed and decoded.
 */
const TEXT_SHARE = 3 / 11
const POSITIONS_SHARE = 2 / 11
/** Measured overhead of a cached value, bytes. */
const HEAD_OVERHEAD_BYTES = 240
const RECORD_OVERHEAD_BYTES = 100
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
   * Returns the document record of a capture without its term vector. Records never change.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  head(captureId: number): DocumentHead | undefined
  /**
   * Returns the term vector in the document record of a capture.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  termVector(captureId: number): TermVector | undefined
  /**
   * Returns the body of a capture in the index. It never changes.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  body(captureId: number): BodyParts | undefined
  /**
   * Returns the plain text of a capture. It never changes.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  text(captureId: number): PageText | undefined
  /**
   * Returns what the body of a capture has besides the plain text, see `encodeBody`. It never changes.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  rest(captureId: number): Uint8Array | undefined
  /** Returns the chunks of one segment. */
  chunks(segment: number): ChunkSource
}

/**
 * The number of reads of records and chunks that the cache of a thread answered, and the number that went to the database. Only that
 * thread changes the numbers. Every thread may read them.
 */
export class CacheCounts {
  readonly memory: SharedArrayBuffer
  readonly #counts: Float64Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.memory = memory
    this.#counts = new Float64Array(memory)
  }

  get hits(): number {
    return this.#counts[0]!
  }

  get misses(): number {
    return this.#counts[1]!
  }

  hit(): void {
    this.#counts[0]!++
  }

  miss(): void {
    this.#counts[1]!++
  }
}

/** Reads an open LevelDB folder, on any thread. Caches chunks and document records. */
export class StoreReader implements StoredValues {
  readonly #counts: CacheCounts
  readonly #database: RawValues
  readonly #cacheBytes: number
  #caches: Caches
  #recent: { captureId: number; body: BodyParts } | undefined

  /** @param cacheBytes - the size of the cache, bytes. */
  constructor(database: RawValues, cacheBytes: number, counts: CacheCounts = new CacheCounts()) {
    this.#database = database
    this.#counts = counts
    this.#cacheBytes = cacheBytes
    this.#caches = emptyCaches(cacheBytes)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      const stored = this.#database.getSync(key)
      return stored && verifiedValue(key, stored)
    } catch (error) {
      throw readError(error)
    }
  }

  head(captureId: number): DocumentHead | undefined {
    const cached = this.#caches.heads.get(captureId)
    this.#count(cached)
    if (cached) return cached
    const record = this.#caches.records.get(captureId)
    const bytes = record === undefined ? this.get(documentKey(captureId)) : bytesOf(record)
    if (!bytes) return undefined
    const head = decodeHead(bytes)
    this.#caches.heads.set(captureId, head)
    return head
  }

  termVector(captureId: number): TermVector | undefined {
    const cached = this.#caches.records.get(captureId)
    this.#count(cached)
    if (cached !== undefined) return decodeTermVector(bytesOf(cached))
    const bytes = this.get(documentKey(captureId))
    if (!bytes) return undefined
    this.#caches.records.set(captureId, byteString(bytes))
    return decodeTermVector(bytes)
  }

  body(captureId: number): BodyParts | undefined {
    const head = this.head(captureId)
    if (!head) return undefined
    const number = captureId - head.afterPack
    const stored = this.get(bodyKey(number))
    if (!stored) return undefined
    return new BodyPackReader(number, stored).body(captureId)
  }

  text(captureId: number): PageText | undefined {
    const name = nameOfText(captureId)
    const cached = this.#caches.texts.get(name)
    this.#count(cached)
    if (cached instanceof PageText) return cached
    const body = this.#recentBody(captureId)
    if (!body) return undefined
    const text = new PageText(body, index => this.#piece(captureId, index))
    this.#caches.texts.set(name, text)
    return text
  }

  rest(captureId: number): Uint8Array | undefined {
    const name = nameOfRest(captureId)
    const cached = this.#caches.texts.get(name)
    this.#count(cached)
    if (cached instanceof Uint8Array) return cached
    const body = this.#recentBody(captureId)
    if (!body) return undefined
    // A copy, because the parts of all bodies of a pack share one memory.
    const rest = body.rest().slice()
    this.#caches.texts.set(name, rest)
    return rest
  }

  #piece(captureId: number, index: number): TextPiece {
    const name = nameOfPiece(captureId, index)
    const cached = this.#caches.texts.get(name)
    this.#count(cached)
    if (cached instanceof TextPiece) return cached
    const body = this.#recentBody(captureId)
    if (!body) throw new AsofError('ASOF_STORE_CORRUPT', `the body of capture ${captureId} is missing; ${REPAIR_HINT}`)
    const piece = new TextPiece(body.piece(index))
    this.#caches.texts.set(name, piece)
    return piece
  }

  /** Returns a body. Keeps the last one, because several pieces of a text are read one after the other. */
  #recentBody(captureId: number): BodyParts | undefined {
    if (this.#recent?.captureId === captureId) return this.#recent.body
    const body = this.body(captureId)
    if (body) this.#recent = { captureId, body }
    return body
  }

  chunks(segment: number): ChunkSource {
    return {
      get: (stream, chunk, isOnce = false) => {
        const chunks = stream === Stream.positions ? this.#caches.positions : this.#caches.chunks
        const name = (segment * STREAMS + stream) * MAX_CHUNKS + chunk
        const cached = chunks.get(name)
        this.#count(cached)
        if (cached) return cached
        const bytes = this.get(chunkKey(segment, stream, chunk))
        if (!bytes)
          throw new AsofError(
            'ASOF_STORE_CORRUPT',
            `segment ${segment} lacks chunk ${chunk} of stream ${stream}; ${REPAIR_HINT}`,
          )
        if (!isOnce) chunks.set(name, bytes)
        return bytes
      },
    }
  }

  #count(cached: unknown): void {
    if (cached === undefined) this.#counts.miss()
    else this.#counts.hit()
  }

  /** Empties the cache. @param share - the share of its bytes that it may take from now on. Default: all. */
  clear(share = 1): void {
    this.#caches = emptyCaches(this.#cacheBytes * share)
    this.#recent = undefined
  }
}

interface Caches {
  readonly chunks: LRUCache<number, Uint8Array>
  readonly positions: LRUCache<number, Uint8Array>
  /** Texts by {@link nameOfText}, pieces of long texts by {@link nameOfPiece}, and the rest of bodies by {@link nameOfRest}. */
  readonly texts: LRUCache<number, PageText | TextPiece | Uint8Array>
  /** Document records without their term vectors, by capture. They are small, so that those of many results fit. */
  readonly heads: LRUCache<number, DocumentHead>
  /** Whole document records by capture, byte strings. Only re-ranking reads them. */
  readonly records: LRUCache<number, string>
}

function emptyCaches(bytes: number): Caches {
  const headBytes = Math.ceil(bytes * HEAD_SHARE)
  const recordBytes = Math.ceil(bytes * RECORD_SHARE)
  const textBytes = Math.ceil(bytes * TEXT_SHARE)
  const positionBytes = Math.ceil(bytes * POSITIONS_SHARE)
  const chunkBytes = Math.max(1, Math.floor(bytes) - headBytes - recordBytes - textBytes - positionBytes)
  const sizeCalculation = (chunk: Uint8Array): number => chunk.length + CHUNK_OVERHEAD_BYTES
  return {
    chunks: new LRUCache({ maxSize: chunkBytes, sizeCalculation }),
    positions: new LRUCache({ maxSize: positionBytes, sizeCalculation }),
    texts: new LRUCache({
      maxSize: textBytes,
      sizeCalculation: text => (text instanceof Uint8Array ? sizeCalculation(text) : text.bytes),
    }),
    heads: new LRUCache({
      maxSize: headBytes,
      sizeCalculation: ({ texts }) => texts.url.length + texts.title.length + texts.values.length + HEAD_OVERHEAD_BYTES,
    }),
    records: new LRUCache({
      maxSize: recordBytes,
      sizeCalculation: record => record.length + RECORD_OVERHEAD_BYTES,
    }),
  }
}

/** More than the number of pieces of any text. */
const MAX_PIECES = 2 ** 16

/** Returns the name of a text in the cache. */
function nameOfText(captureId: number): number {
  return captureId * MAX_PIECES
}

function nameOfRest(captureId: number): number {
  return nameOfText(captureId) + MAX_PIECES - 1
}

function nameOfPiece(captureId: number, index: number): number {
  return nameOfText(captureId) + 1 + index
}

/** Matches LevelDB's message for a file that is missing or too short. */
const lostFile = /^IO error: .*\.(?:ldb|sst): (?:No such file or directory|Invalid argument)$/

/** Converts the error of a read to an AsofError. */
export function readError(error: unknown): AsofError {
  if (error instanceof AsofError) return error
  const reason = messageOf(error)
  if (codeOf(error) === 'LEVEL_CORRUPTION' || lostFile.test(reason))
    return new AsofError('ASOF_STORE_CORRUPT', `the store is damaged; ${REPAIR_HINT}`, { cause: error })
  return new AsofError('ASOF_STORE_READ', `the store can't be read: ${diskTrouble(error)}`, { cause: error })
}
