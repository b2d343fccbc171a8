import { AsofError } from '@asof/extract/errors'
import { release } from '../bytes/memory.ts'

/**
 * The byte streams that a segment consists of. A stream is cut into numbered chunks, which the store keeps as values.
 * The numbers of streams are part of the stored format.
 */
export const Stream = {
  index: 0,
  dictionary: 1,
  postings: 2,
  positions: 3,
  columns: 4,
  longPostings: 5,
  standing: 6,
  termFilter: 7,
} as const
export type StreamId = (typeof Stream)[keyof typeof Stream]

/** The streams that are addressed by byte offset. */
export type ByteStreamId =
  | typeof Stream.postings
  | typeof Stream.longPostings
  | typeof Stream.positions
  | typeof Stream.standing

/** Number of bytes from which a posting list is long. */
export const LONG_LIST_BYTES = 16 * 1024

/** The stream with a posting list of this many bytes. */
export function postingsStream(bytes: number): ByteStreamId {
  return bytes < LONG_LIST_BYTES ? Stream.postings : Stream.longPostings
}

/**
 * Number of bytes in one chunk of a byte-addressed stream. A further read takes as long as reading 10 KB more, so long posting lists and
 * next-word signatures, which are read as a whole, have large chunks. A chunk of short lists is small, because a query needs only one of them.
 */
export function chunkBytes(stream: ByteStreamId): number {
  if (stream === Stream.longPostings) return 32 * 1024
  return stream === Stream.positions ? 16 * 1024 : 4 * 1024
}

/** Receives the chunks of a segment that is being written. Chunks of one stream arrive in ascending order, each once. */
export interface ChunkSink {
  /** @param bytes - a buffer that the sink may keep. */
  put(stream: StreamId, chunk: number, bytes: Uint8Array<ArrayBuffer>): void
}

/** Reads the chunks of a written segment. A chunk may become invalid when another chunk of the same stream is read. */
export interface ChunkSource {
  /**
   * @param isOnce - true if no cache has to keep the chunk, because the caller keeps what it needs. Default: false.
   * @throws ASOF_STORE_CORRUPT - the chunk is missing.
   */
  get(stream: StreamId, chunk: number, isOnce?: boolean): Uint8Array
}

/** Returns a source for one stream that keeps the last chunk, because most reads need the same chunk as the read before. */
export function keepingLast(source: ChunkSource): ChunkSource {
  let number = -1
  let bytes = new Uint8Array(0) as Uint8Array
  return {
    get(stream, chunk) {
      if (chunk !== number) {
        bytes = source.get(stream, chunk)
        number = chunk
      }
      return bytes
    },
  }
}

const zero = Uint8Array.of(0)

/** Appends to a byte-addressed stream and passes on full chunks. */
export class ChunkedWriter {
  readonly #sink: ChunkSink
  readonly #stream: ByteStreamId
  readonly #chunk: Uint8Array
  #filled = 0
  #number = 0
  /** Number of bytes written so far, which is the address of the next one. */
  length = 0

  constructor(sink: ChunkSink, stream: ByteStreamId) {
    this.#sink = sink
    this.#stream = stream
    this.#chunk = new Uint8Array(chunkBytes(stream))
  }

  /** @param length - number of bytes to write, from the start of `bytes`. Default: all. */
  write(bytes: Uint8Array, length = bytes.length): void {
    this.length += length
    let at = 0
    while (at < length) {
      const taken = Math.min(length - at, this.#chunk.length - this.#filled)
      copy(bytes, at, at + taken, this.#chunk, this.#filled)
      this.#filled += taken
      at += taken
      if (this.#filled === this.#chunk.length) this.#flush()
    }
  }

  /** Pads with zeros up to a multiple of `unit` bytes. */
  align(unit: number): void {
    while (this.length % unit !== 0) this.write(zero)
  }

  /** Passes on the last chunk. */
  finish(): void {
    if (this.#filled > 0) this.#flush()
  }

  #flush(): void {
    this.#sink.put(this.#stream, this.#number++, this.#chunk.slice(0, this.#filled))
    this.#filled = 0
  }
}

/** Below this number of bytes, creating a view takes longer than copying byte by byte. */
const SHORT_BYTES = 64

/** Copies `from[start, end)` to `into` at `at`. */
export function copy(from: Uint8Array, start: number, end: number, into: Uint8Array, at: number): void {
  if (end - start >= SHORT_BYTES) into.set(from.subarray(start, end), at)
  else for (let i = start; i < end; i++) into[at++] = from[i]!
}

/** The chunk of a byte-addressed stream that holds a byte, and the offset in the stream at which the chunk begins. */
export function chunkAround(
  source: ChunkSource,
  stream: ByteStreamId,
  offset: number,
): { bytes: Uint8Array; from: number } {
  const chunk = Math.floor(offset / chunkBytes(stream))
  return { bytes: source.get(stream, chunk), from: chunk * chunkBytes(stream) }
}

/**
 * Reads `length` bytes at `offset` of a byte-addressed stream. The result starts at an address divisible by 4 if the offset is.
 *
 * @param isOnce - true if no cache has to keep the chunks. Default: false.
 * @throws ASOF_STORE_CORRUPT - the stream ends before that.
 */
export function readRange(
  source: ChunkSource,
  stream: ByteStreamId,
  offset: number,
  length: number,
  isOnce = false,
): Uint8Array {
  const view = viewRange(source, stream, offset, length, isOnce)
  // If the bytes are a small part of the chunk, they are copied: a view would keep the whole chunk in memory.
  return view.byteLength === view.buffer.byteLength || length * 4 >= chunkBytes(stream) ? view : new Uint8Array(view)
}

/**
 * Copies `length` bytes at `offset` of a byte-addressed stream to `into` at `at`.
 *
 * @throws ASOF_STORE_CORRUPT - the stream ends before that.
 */
export function copyRange(
  source: ChunkSource,
  stream: ByteStreamId,
  offset: number,
  length: number,
  into: Uint8Array,
  at: number,
): void {
  const whole = chunkBytes(stream)
  let number = Math.floor(offset / whole)
  let from = offset - number * whole
  for (let missing = length; missing > 0; from = 0) {
    const chunk = source.get(stream, number++)
    const taken = Math.min(missing, chunk.length - from)
    // Only the last chunk of a stream may be short.
    if (taken <= 0 || (taken < missing && chunk.length < whole))
      throw new AsofError('ASOF_STORE_CORRUPT', `stream ${stream} of a segment ends early`)
    copy(chunk, from, from + taken, into, at)
    at += taken
    missing -= taken
  }
}

/** Like {@link readRange}, for bytes that the caller does not keep: a view if they lie in one chunk. */
export function viewRange(
  source: ChunkSource,
  stream: ByteStreamId,
  offset: number,
  length: number,
  isOnce = false,
): Uint8Array {
  const whole = chunkBytes(stream)
  const first = Math.floor(offset / whole)
  const within = offset - first * whole
  const chunk = source.get(stream, first, isOnce)
  if (within + length <= chunk.length) {
    const view = chunk.subarray(within, within + length)
    return view.byteOffset % 4 === 0 || offset % 4 !== 0 ? view : new Uint8Array(view)
  }
  const parts: Uint8Array[] = []
  let missing = length
  for (let part = chunk.subarray(within), number = first; ; part = source.get(stream, ++number, isOnce)) {
    // Only the last chunk of a stream may be short.
    const isShort = (number === first ? within : 0) + part.length < whole
    // A copy, because reading the next chunk may invalidate this one. `slice` of a Buffer would not copy.
    parts.push(new Uint8Array(part.subarray(0, missing)))
    missing -= parts[parts.length - 1]!.length
    if (missing === 0) break
    if (isShort) throw new AsofError('ASOF_STORE_CORRUPT', `stream ${stream} of a segment ends early`)
  }
  const joined = new Uint8Array(length)
  let filled = 0
  for (const part of parts) {
    joined.set(part, filled)
    filled += part.length
    release(part)
  }
  return joined
}
