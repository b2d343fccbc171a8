import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { AsofError } from '../../errors.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { type ChunkSink, type ChunkSource, copy, Stream } from '../streams.ts'

/**
 * The terms of a segment in ascending UTF-16 order, front-coded, in chunks of about 4 KiB with a restart every 16
 * entries. A segment keeps the first term of each chunk in memory; a look-up reads one chunk.
 *
 * Chunk: version · varint r · r × u32 entry offset of each restart · entries.
 * Entry: at a restart varint postings address / 4, varint positions address / 4; then varint shared bytes with the
 * entry before (0 at a restart), varint own bytes, own UTF-8 bytes, varint n, and
 *   n ≤ 3: n × (varint gap − 1, varint frequency − 1, varint length, signature and position bytes): rare terms need no other read
 *   n > 3: varint postings bytes / 4, varint positions bytes / 4.
 */
const VERSION = 1
const CHUNK_TARGET_BYTES = 4 * 1024
const RESTART_EVERY = 16

/** Lists up to this many postings are kept in the dictionary itself. */
export const INLINE_POSTINGS = 3

/** Where a term's postings are. */
export interface TermPlace {
  /** Captures of the segment that hold the term. */
  count: number
  postingsAt: number
  postingsBytes: number
  positionsAt: number
  positionsBytes: number
}

/** A term with the place of its postings, or the few postings themselves. */
export interface TermEntry extends TermPlace {
  term: string
  inline?: TermPostings
}

export class DictionaryWriter {
  readonly #sink: ChunkSink
  readonly #entries = new ByteWriter(CHUNK_TARGET_BYTES * 2)
  readonly #firstTerms: Uint8Array[] = []
  #restarts: number[] = []
  #inChunk = 0
  /** The term before. */
  #previous = new Uint8Array(256)
  #previousBytes = 0
  /** Terms written. */
  count = 0

  constructor(sink: ChunkSink) {
    this.#sink = sink
  }

  /** Adds a term greater than the one before, whose lists begin at the given addresses. */
  add(entry: TermEntry): void {
    const bytes = Buffer.from(entry.term)
    this.write(bytes, 0, bytes.length, entry, entry.inline)
  }

  /**
   * Like {@link DictionaryWriter.add}, for the term whose UTF-8 bytes are `bytes[start, end)`.
   *
   * @param inline - the postings themselves when there are at most {@link INLINE_POSTINGS}.
   */
  write(bytes: Uint8Array, start: number, end: number, place: TermPlace, inline?: TermPostings): void {
    const previous = this.#previous
    const length = end - start
    const most = Math.min(length, this.#previousBytes)
    let common = 0
    while (common < most && previous[common] === bytes[start + common]) common++
    if (this.count > 0 && compareTerms(previous, common, this.#previousBytes, bytes, start + common, end) >= 0)
      throw new TypeError('terms must ascend')
    const out = this.#entries
    if (this.#inChunk === 0) this.#firstTerms.push(new Uint8Array(bytes.subarray(start, end)))
    const restart = this.#inChunk % RESTART_EVERY === 0
    if (restart) {
      this.#restarts.push(out.length)
      out.varint(place.postingsAt / 4)
      out.varint(place.positionsAt / 4)
    }
    const shared = restart ? 0 : common
    out.varint(shared)
    out.varint(length - shared)
    out.reserve(length)
    copy(bytes, start + shared, end, out.bytes, out.length)
    out.length += length - shared
    out.varint(place.count)
    if (inline) writeInline(inline, out)
    else {
      out.varint(place.postingsBytes / 4)
      out.varint(place.positionsBytes / 4)
    }
    if (length > previous.length) this.#previous = new Uint8Array(length * 2)
    copy(bytes, start, end, this.#previous, 0)
    this.#previousBytes = length
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
    for (const term of this.#firstTerms) {
      index.varint(term.length)
      index.raw(term)
    }
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

function writeInline(postings: TermPostings, out: ByteWriter): void {
  let previous = -1
  let at = 0
  for (let i = 0; i < postings.count; i++) {
    out.varint(postings.ordinals[i] - previous - 1)
    out.varint(postings.frequencies[i] - 1)
    const length = postings.positionLengths[i]
    out.varint(length)
    out.reserve(length)
    copy(postings.positions, at, at + length, out.bytes, out.length)
    out.length += length
    previous = postings.ordinals[i]
    at += length
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
  #nextPostingsAt = 0
  #nextPositionsAt = 0
  #term: Uint8Array = new Uint8Array(64)
  #termBytes = 0
  #count = 0
  /** Where the postings of the entry in hand stand in the chunk, if it has them. */
  #inlineAt = 0
  #postingsBytes = 0
  #positionsBytes = 0

  constructor(chunk: Uint8Array, at: number) {
    this.#reader = new ByteReader(chunk, at)
  }

  /** Goes on to the next entry; false at the end of the chunk. */
  next(): boolean {
    const reader = this.#reader
    if (reader.done) return false
    this.#nextPostingsAt += this.#postingsBytes
    this.#nextPositionsAt += this.#positionsBytes
    if (this.#untilRestart === 0) {
      this.#nextPostingsAt = reader.varint() * 4
      this.#nextPositionsAt = reader.varint() * 4
      this.#untilRestart = RESTART_EVERY
    }
    this.#untilRestart--
    this.#readTerm(reader)
    this.#count = reader.varint()
    this.#inlineAt = reader.at
    this.#postingsBytes = 0
    this.#positionsBytes = 0
    if (this.#count <= INLINE_POSTINGS) skipInline(this.#count, reader)
    else {
      this.#postingsBytes = reader.varint() * 4
      this.#positionsBytes = reader.varint() * 4
    }
    return true
  }

  /** Negative, 0 or positive, as the term in hand goes before, is or goes behind one in UTF-8. */
  compare(term: Uint8Array): number {
    return compareTerms(this.#term, 0, this.#termBytes, term, 0, term.length)
  }

  /** The entry in hand, valid by itself. */
  entry(): TermEntry {
    const entry: TermEntry = {
      term: Buffer.from(this.#term.buffer, 0, this.#termBytes).toString(),
      count: this.#count,
      postingsAt: this.#nextPostingsAt,
      postingsBytes: this.#postingsBytes,
      positionsAt: this.#nextPositionsAt,
      positionsBytes: this.#positionsBytes,
    }
    if (this.#count <= INLINE_POSTINGS)
      entry.inline = readInline(this.#count, new ByteReader(this.#reader.bytes, this.#inlineAt))
    return entry
  }

  #readTerm(reader: ByteReader): void {
    const shared = reader.varint()
    const own = reader.varint()
    if (shared > this.#termBytes)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a term shares more with the one before than that has')
    reader.skip(own)
    if (shared + own > this.#term.length) {
      const grown = new Uint8Array((shared + own) * 2)
      grown.set(this.#term)
      this.#term = grown
    }
    copy(reader.bytes, reader.at - own, reader.at, this.#term, shared)
    this.#termBytes = shared + own
  }
}

function skipInline(count: number, reader: ByteReader): void {
  for (let i = 0; i < count; i++) {
    reader.varint()
    reader.varint()
    reader.skip(reader.varint())
  }
}

/** Walks all terms of a dictionary as bytes, without an object per term: as a merge takes them. */
export class TermCursor implements TermPlace {
  /** The UTF-8 bytes of the term in hand, as far as `termBytes`. */
  term: Uint8Array = new Uint8Array(256)
  termBytes = 0
  count = 0
  postingsAt = 0
  postingsBytes = 0
  positionsAt = 0
  positionsBytes = 0
  /** The chunk in hand, and where the entry's inline postings begin and end in it. */
  chunk: Uint8Array = new Uint8Array(0)
  inlineFrom = 0
  inlineTo = 0
  readonly #chunks: Iterator<{ bytes: Uint8Array; at: number }>
  #at = 0
  #untilRestart = 0

  constructor(chunks: Iterator<{ bytes: Uint8Array; at: number }>) {
    this.#chunks = chunks
  }

  /** Goes on to the next term; false at the end. */
  next(): boolean {
    if (this.#at >= this.chunk.length) {
      const { done, value } = this.#chunks.next()
      if (done) return false
      this.chunk = value.bytes
      this.#at = value.at
      this.#untilRestart = 0
    }
    // Where the lists of the entry before end, those of this one begin; inline ones have none.
    this.postingsAt += this.postingsBytes
    this.positionsAt += this.positionsBytes
    if (this.#untilRestart-- === 0) {
      this.postingsAt = this.#varint() * 4
      this.positionsAt = this.#varint() * 4
      this.#untilRestart = RESTART_EVERY - 1
    }
    this.#readTerm()
    this.count = this.#varint()
    if (this.count <= INLINE_POSTINGS) this.#skipInline()
    else {
      this.postingsBytes = this.#varint() * 4
      this.positionsBytes = this.#varint() * 4
    }
    if (this.#at > this.chunk.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a term dictionary ends early')
    return true
  }

  /** The entry in hand, valid by itself. */
  entry(): TermEntry {
    const { count, postingsAt, postingsBytes, positionsAt, positionsBytes } = this
    const term = Buffer.from(this.term.buffer, 0, this.termBytes).toString()
    const entry: TermEntry = { term, count, postingsAt, postingsBytes, positionsAt, positionsBytes }
    if (count <= INLINE_POSTINGS) entry.inline = readInline(count, new ByteReader(this.chunk, this.inlineFrom))
    return entry
  }

  #readTerm(): void {
    const shared = this.#varint()
    const own = this.#varint()
    if (shared > this.termBytes || this.#at + own > this.chunk.length)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a term does not fit the one before, or its chunk')
    if (shared + own > this.term.length) {
      const grown = new Uint8Array((shared + own) * 2)
      grown.set(this.term)
      this.term = grown
    }
    copy(this.chunk, this.#at, this.#at + own, this.term, shared)
    this.#at += own
    this.termBytes = shared + own
  }

  #skipInline(): void {
    this.postingsBytes = 0
    this.positionsBytes = 0
    this.inlineFrom = this.#at
    for (let i = 0; i < this.count; i++) {
      this.#varint()
      this.#varint()
      const positionBytes = this.#varint()
      this.#at += positionBytes
    }
    this.inlineTo = this.#at
  }

  /** Past the end it reads zeros, which shows once the entry is over. */
  #varint(): number {
    const { chunk } = this
    let byte = chunk[this.#at++]
    let value = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = chunk[this.#at++]
      value += (byte & 127) * scale
    }
    return value
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
    const wanted = Buffer.from(term)
    const restart = lastAtMost(chunk.restarts, i => {
      const cursor = new EntryCursor(chunk.bytes, chunk.at(i))
      return cursor.next() && cursor.compare(wanted) <= 0
    })
    if (restart < 0) return undefined
    const cursor = new EntryCursor(chunk.bytes, chunk.at(restart))
    for (let i = 0; i < RESTART_EVERY && cursor.next(); i++) {
      const order = cursor.compare(wanted)
      if (order === 0) return cursor.entry()
      if (order > 0) return undefined
    }
    return undefined
  }

  /** Every entry in order, from `from` on when given; each is valid by itself. */
  *entries(from = ''): Generator<TermEntry> {
    const wanted = Buffer.from(from)
    const first = Math.max(
      0,
      lastAtMost(this.#firstTerms.length, i => this.#firstTerms[i] <= from),
    )
    for (let number = first; number < this.#firstTerms.length; number++) {
      const chunk = this.#chunk(number)
      const cursor = new EntryCursor(chunk.bytes, chunk.at(0))
      while (cursor.next()) if (cursor.compare(wanted) >= 0) yield cursor.entry()
    }
  }

  /** A walk over all terms, from the first on. */
  cursor(): TermCursor {
    return new TermCursor(this.#entryBytes(0))
  }

  /**
   * A walk that begins at or before `from`, and leaves out terms that nobody wants where that saves reading.
   *
   * @param isUnwanted - told what a row of terms begins with, whether no such term is wanted.
   */
  cursorFrom(from: string, isUnwanted: (beginning: string) => boolean): TermCursor {
    const first = lastAtMost(this.#firstTerms.length, i => this.#firstTerms[i] <= from)
    return new TermCursor(this.#entryBytes(Math.max(0, first), isUnwanted))
  }

  *#entryBytes(
    first: number,
    isUnwanted?: (beginning: string) => boolean,
  ): Generator<{ bytes: Uint8Array; at: number }> {
    const terms = this.#firstTerms
    for (let number = first; number < terms.length; number++) {
      const next = terms[number + 1]
      if (isUnwanted && next !== undefined && isUnwanted(commonBeginning(terms[number], next))) continue
      const { bytes, at } = this.#chunk(number)
      yield { bytes, at: at(0) }
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

function commonBeginning(a: string, b: string): string {
  let length = 0
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return a.slice(0, length)
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
