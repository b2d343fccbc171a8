import { AsofError } from '../errors.ts'
import { ByteReader, ByteWriter, expectVersion } from './byte-buffer.ts'
import type { TermPostings } from './postings-codec.ts'
import { type ChunkSink, type ChunkSource, Stream } from './streams.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 16 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a look-up reads one chunk.
 *
 * Chunk: version · varint r · r × u32 entry offset of each restart · entries.
 * Entry: at a restart varint postings address / 4, varint positions address / 4; then varint shared bytes with the
 * entry before (0 at a restart), varint own bytes, own UTF-8 bytes, varint n, and
 *   n ≤ 3: n × (varint gap − 1, varint frequency − 1, varint length, position bytes): rare terms need no other read
 *   n > 3: varint postings bytes / 4, varint positions bytes / 4.
 */
const VERSION = 1
const CHUNK_TARGET_BYTES = 16 * 1024
const RESTART_EVERY = 16

/** Lists up to this many postings are kept in the dictionary itself. */
export const INLINE_POSTINGS = 3

/** Where a term's postings are. */
export interface TermEntry {
  term: string
  /** Captures of the segment that hold the term. */
  count: number
  inline?: TermPostings
  postingsAt: number
  postingsBytes: number
  positionsAt: number
  positionsBytes: number
}

export class DictionaryWriter {
  readonly #sink: ChunkSink
  readonly #entries = new ByteWriter(CHUNK_TARGET_BYTES * 2)
  readonly #firstTerms: string[] = []
  #restarts: number[] = []
  #inChunk = 0
  #previous: Uint8Array = new Uint8Array(0)
  #lastTerm = ''
  /** Terms written. */
  count = 0

  constructor(sink: ChunkSink) {
    this.#sink = sink
  }

  /** Adds a term greater than the one before, whose lists begin at the given addresses. */
  add(entry: TermEntry): void {
    if (this.count > 0 && entry.term <= this.#lastTerm) throw new TypeError('terms must ascend')
    const out = this.#entries
    const bytes = Buffer.from(entry.term)
    if (this.#inChunk === 0) this.#firstTerms.push(entry.term)
    const restart = this.#inChunk % RESTART_EVERY === 0
    if (restart) {
      this.#restarts.push(out.length)
      out.varint(entry.postingsAt / 4)
      out.varint(entry.positionsAt / 4)
    }
    const shared = restart ? 0 : sharedPrefix(this.#previous, bytes)
    out.varint(shared)
    out.varint(bytes.length - shared)
    out.raw(bytes.subarray(shared))
    out.varint(entry.count)
    if (entry.inline) writeInline(entry.inline, out)
    else {
      out.varint(entry.postingsBytes / 4)
      out.varint(entry.positionsBytes / 4)
    }
    this.#previous = bytes
    this.#lastTerm = entry.term
    this.#inChunk++
    this.count++
    if (out.length >= CHUNK_TARGET_BYTES) this.#flush()
  }

  /** Writes what is left and the index; returns the number of chunks. */
  finish(): number {
    if (this.#inChunk > 0) this.#flush()
    const index = new ByteWriter()
    index.u8(VERSION)
    index.varint(this.#firstTerms.length)
    for (const term of this.#firstTerms) index.string(term)
    this.#sink.put(Stream.index, 0, index.finish())
    return this.#firstTerms.length
  }

  #flush(): void {
    const chunk = new ByteWriter(this.#entries.length + 64)
    chunk.u8(VERSION)
    chunk.varint(this.#restarts.length)
    for (const at of this.#restarts) chunk.u32(at)
    chunk.raw(this.#entries.bytes.subarray(0, this.#entries.length))
    this.#sink.put(Stream.dictionary, this.#firstTerms.length - 1, chunk.finish())
    this.#entries.clear()
    this.#restarts = []
    this.#inChunk = 0
  }
}

function sharedPrefix(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length)
  let i = 0
  while (i < end && a[i] === b[i]) i++
  return i
}

function writeInline(postings: TermPostings, out: ByteWriter): void {
  let previous = -1
  let at = 0
  for (let i = 0; i < postings.count; i++) {
    out.varint(postings.ordinals[i] - previous - 1)
    out.varint(postings.frequencies[i] - 1)
    out.varint(postings.positionLengths[i])
    out.raw(postings.positions.subarray(at, at + postings.positionLengths[i]))
    previous = postings.ordinals[i]
    at += postings.positionLengths[i]
  }
}

function readInline(count: number, reader: ByteReader): TermPostings {
  const ordinals = new Uint32Array(count)
  const frequencies = new Uint32Array(count)
  const positionLengths = new Uint32Array(count)
  const parts: Uint8Array[] = []
  let bytes = 0
  let previous = -1
  for (let i = 0; i < count; i++) {
    previous += reader.varint() + 1
    ordinals[i] = previous
    frequencies[i] = reader.varint() + 1
    positionLengths[i] = reader.varint()
    parts.push(reader.raw(positionLengths[i]))
    bytes += positionLengths[i]
  }
  // A copy of exactly this size: a view would keep the chunk, a pooled buffer its slab, as long as the list is cached.
  const positions = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    positions.set(part, at)
    at += part.length
  }
  return { count, ordinals, frequencies, positionLengths, positions }
}

/** Walks the entries of one chunk from a restart on. */
class EntryCursor {
  readonly #reader: ByteReader
  #untilRestart = 0
  #postingsAt = 0
  #positionsAt = 0
  #term: Uint8Array = new Uint8Array(256)
  #termBytes = 0

  constructor(chunk: Uint8Array, at: number) {
    this.#reader = new ByteReader(chunk, at)
  }

  get done(): boolean {
    return this.#reader.done
  }

  next(): TermEntry {
    const reader = this.#reader
    if (this.#untilRestart === 0) {
      this.#postingsAt = reader.varint() * 4
      this.#positionsAt = reader.varint() * 4
      this.#untilRestart = RESTART_EVERY
    }
    this.#untilRestart--
    const shared = reader.varint()
    const own = reader.raw(reader.varint())
    if (shared > this.#termBytes)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a term shares more with the one before than that has')
    if (shared + own.length > this.#term.length) {
      const grown = new Uint8Array((shared + own.length) * 2)
      grown.set(this.#term)
      this.#term = grown
    }
    this.#term.set(own, shared)
    this.#termBytes = shared + own.length
    const count = reader.varint()
    const entry: TermEntry = {
      term: Buffer.from(this.#term.buffer, 0, this.#termBytes).toString(),
      count,
      postingsAt: this.#postingsAt,
      postingsBytes: 0,
      positionsAt: this.#positionsAt,
      positionsBytes: 0,
    }
    if (count <= INLINE_POSTINGS) entry.inline = readInline(count, reader)
    else {
      entry.postingsBytes = reader.varint() * 4
      entry.positionsBytes = reader.varint() * 4
      this.#postingsAt += entry.postingsBytes
      this.#positionsAt += entry.positionsBytes
    }
    return entry
  }
}

export class Dictionary {
  readonly #source: ChunkSource
  readonly #firstTerms: readonly string[]

  constructor(source: ChunkSource) {
    this.#source = source
    const reader = new ByteReader(source.get(Stream.index, 0))
    expectVersion(reader, VERSION, 'term index')
    const firstTerms: string[] = []
    for (let n = reader.varint(); n > 0; n--) firstTerms.push(reader.string())
    this.#firstTerms = firstTerms
  }

  find(term: string): TermEntry | undefined {
    const chunkNumber = lastAtMost(this.#firstTerms.length, i => this.#firstTerms[i] <= term)
    if (chunkNumber < 0) return undefined
    const chunk = this.#chunk(chunkNumber)
    const restart = lastAtMost(chunk.restarts, i => new EntryCursor(chunk.bytes, chunk.at(i)).next().term <= term)
    if (restart < 0) return undefined
    const cursor = new EntryCursor(chunk.bytes, chunk.at(restart))
    for (let i = 0; i < RESTART_EVERY && !cursor.done; i++) {
      const entry = cursor.next()
      if (entry.term === term) return entry
      if (entry.term > term) return undefined
    }
    return undefined
  }

  /** Every entry in order, from `from` on when given; each is valid by itself. */
  *entries(from = ''): Generator<TermEntry> {
    const first = Math.max(
      0,
      lastAtMost(this.#firstTerms.length, i => this.#firstTerms[i] <= from),
    )
    for (let number = first; number < this.#firstTerms.length; number++) {
      const chunk = this.#chunk(number)
      const cursor = new EntryCursor(chunk.bytes, chunk.at(0))
      while (!cursor.done) {
        const entry = cursor.next()
        if (entry.term >= from) yield entry
      }
    }
  }

  #chunk(number: number): { bytes: Uint8Array; restarts: number; at: (restart: number) => number } {
    const bytes = this.#source.get(Stream.dictionary, number)
    const reader = new ByteReader(bytes)
    expectVersion(reader, VERSION, 'term dictionary')
    const restarts = reader.varint()
    const table = reader.at
    const entries = table + restarts * 4
    if (restarts === 0 || entries >= bytes.length)
      throw new AsofError('ASOF_STORE_CORRUPT', `term dictionary chunk ${number} is empty`)
    return { bytes, restarts, at: restart => entries + new ByteReader(bytes, table + restart * 4).u32() }
  }
}

/** The greatest index in `[0, count)` for which `holds` is true, given that it is true up to some point; −1 if none. */
function lastAtMost(count: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
