import { ByteWriter } from '../../bytes/byte-buffer.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { type ChunkSink, copy, Stream } from '../streams.ts'
import {
  CHUNK_TARGET_BYTES,
  HALF_BYTE,
  ListEnds,
  type ListSizes,
  listUnit,
  RESTART_EVERY,
  STANDING_UNIT,
  VERSION,
} from './dictionary-format.ts'
import { writeInline } from './inline-postings.ts'
import { TermFilterWriter } from './term-filter.ts'

/** Writes the dictionary of a segment: its terms in ascending order, then {@link DictionaryWriter.finish}. */
export class DictionaryWriter {
  readonly #sink: ChunkSink
  readonly #entries = new ByteWriter(CHUNK_TARGET_BYTES * 2)
  readonly #firstTerms: Uint8Array[] = []
  readonly #ends = new ListEnds()
  readonly #filter = new TermFilterWriter()
  #restarts: number[] = []
  /** Number of entries in the current chunk. */
  #inChunk = 0
  /** The term before, of which `#previousBytes` bytes are in use. */
  #previous = new Uint8Array(256)
  #previousBytes = 0
  /** Number of terms written so far. */
  count = 0

  constructor(sink: ChunkSink) {
    this.#sink = sink
  }

  /** Adds a term, which must be greater than the one before. */
  add(term: string, sizes: ListSizes, inline?: TermPostings): void {
    const bytes = Buffer.from(term)
    this.write(bytes, 0, bytes.length, sizes, inline)
  }

  /**
   * Like {@link DictionaryWriter.add}, for the term whose UTF-8 bytes are `bytes[start, end)`.
   *
   * @param inline - the postings themselves, if there are at most `INLINE_POSTINGS`.
   * @throws TypeError - the term is not greater than the one before.
   */
  write(bytes: Uint8Array, start: number, end: number, sizes: ListSizes, inline?: TermPostings): void {
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
      out.varint(this.#ends.postings)
      out.varint(this.#ends.longPostings)
      out.varint(this.#ends.positions)
    }
    const shared = restart ? 0 : common
    const own = length - shared
    out.u8((Math.min(shared, HALF_BYTE) << 4) | Math.min(own, HALF_BYTE))
    if (shared >= HALF_BYTE) out.varint(shared - HALF_BYTE)
    if (own >= HALF_BYTE) out.varint(own - HALF_BYTE)
    out.reserve(length)
    copy(bytes, start + shared, end, out.bytes, out.length)
    out.length += own
    out.varint(sizes.count)
    if (inline) writeInline(inline, out)
    else {
      const unit = listUnit(sizes.count)
      if (sizes.ended > 0) out.varint(0)
      out.varint(sizes.postingsBytes / unit)
      out.varint(sizes.positionsBytes / unit)
      if (sizes.ended > 0) {
        out.varint(sizes.ended)
        out.varint(sizes.standingBytes / STANDING_UNIT)
        out.varint(sizes.standingAt / STANDING_UNIT)
      }
      this.#ends.add(sizes)
    }
    if (length > previous.length) this.#previous = new Uint8Array(length * 2)
    copy(bytes, start, end, this.#previous, 0)
    this.#filter.add(bytes, start, end)
    this.#previousBytes = length
    this.#inChunk++
    this.count++
    if (out.length >= CHUNK_TARGET_BYTES) this.#flush()
  }

  /** Writes the last chunk, the index of the first term of each chunk, and the filter of the terms; returns the number of chunks. */
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
    this.#filter.finish(this.#sink)
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
