import { AsofError } from '@asof/extract/errors'
import { padToWords } from '../../bytes/alignment.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { hasEnding, type Place, positionOf } from './place.ts'
import { PositionBlock, writeFullBlock, writePositionsTail } from './position-block.ts'

/**
 * Layout of one list in the positions stream. The list has n postings in f full blocks and a tail of t postings, as in the postings
 * stream. If there are full blocks, each part is padded to a multiple of 4 bytes; otherwise no part is padded.
 *
 *   end of each full block, in bytes from the end of this header   f × u32
 *   width of the counts of each full block                         f × u8
 *   next-word signature of each posting                            n × u8
 *   full blocks                                                    see {@link writeFullBlock}
 *   tail, unless t = 0                                             see {@link writePositionsTail}
 *
 * Counts come first in a block, so that one posting is found without decoding its neighbors. Signatures are adjacent, so that one is found
 * without decoding anything, and sixteen can be compared at a time. Outside this stream, the positions of a posting are its signature
 * (one byte), then as varints the first {@link Place} and the gaps to the others. A posting without positions has no bytes.
 */
const counts = new Uint32Array(BLOCK)
let gaps = new Uint32Array(1024)

/** Appends an encoded positions list. */
export function encodePositions(postings: TermPostings, out: ByteWriter): void {
  const { count, positionLengths, positions } = postings
  const full = Math.floor(count / BLOCK)
  const unit = full > 0 ? 4 : 1
  const start = out.length
  const header = positionsHeaderBytes(count)
  out.reserve(header)
  out.bytes.fill(0, start, start + header)
  out.length += header
  const signatures = signaturesAt(full) + start
  const body = out.length
  let at = 0
  for (let from = 0; from < count; from += BLOCK) {
    const size = Math.min(BLOCK, count - from)
    let held = 0
    for (let i = 0; i < size; i++) {
      const length = positionLengths[from + i]!
      const before = held
      if (length > 0) {
        out.bytes[signatures + from + i] = positions[at]!
        held = decodeGaps(positions, at + 1, at + length, held)
        at += length
      }
      counts[i] = held - before
    }
    if (size < BLOCK) {
      writePositionsTail(counts, size, gaps, out)
      out.align(unit)
      continue
    }
    const width = writeFullBlock(counts, gaps, out)
    out.align(unit)
    const b = from / BLOCK
    new DataView(out.bytes.buffer).setUint32(start + b * 4, out.length - body, true)
    out.bytes[start + full * 4 + b] = width
  }
}

/** Decodes the varints in `bytes[from, to)` into {@link gaps} from index `at` on; returns the index after them. */
function decodeGaps(bytes: Uint8Array, from: number, to: number, at: number): number {
  if (at + to - from > gaps.length) {
    const grown = new Uint32Array(2 * (at + to - from))
    grown.set(gaps)
    gaps = grown
  }
  while (from < to) {
    let byte = bytes[from++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[from++]!
      gap |= (byte & 127) << shift
    }
    gaps[at++] = gap
  }
  return at
}

/** The number of bytes before the first block of a list with `count` postings. */
export function positionsHeaderBytes(count: number): number {
  return signaturesAt(Math.floor(count / BLOCK)) + (count < BLOCK ? count : padToWords(count))
}

/** The offset of the signatures in a list with this many full blocks. */
export function signaturesAt(full: number): number {
  return full * 4 + padToWords(full)
}

/** The bytes of one list. */
export interface ListBytes {
  /** Bytes of the list. If the list has full blocks and the offset is divisible by 4, so is the address of the result. */
  range(offset: number, length: number): Uint8Array
  /** The bytes around one byte of the list. They begin at offset `from` of the list, which may be negative. */
  around(offset: number): { bytes: Uint8Array; from: number }
  /** Copies bytes of the list to `into` at `at`. */
  copy(offset: number, length: number, into: Uint8Array, at: number): void
}

/**
 * The blocks that were opened last on this thread, each with the list that opened it: most queries open few blocks of a list,
 * and the memory of a block takes longer to make than to fill.
 */
const opened = Array.from({ length: 32 }, () => {
  return { list: undefined as PositionList | undefined, number: -1, block: new PositionBlock() }
})
let lists = 0

const empty: Uint8Array = new Uint8Array(0)
const few = new Uint32Array(8)

/** Reads the positions of single postings of one list. It reads only the blocks that these postings lie in. */
export class PositionList {
  readonly #list: ListBytes
  readonly #full: number
  readonly #tail: number
  readonly #signaturesAt: number
  readonly #header: number
  readonly #length: number
  /** Ends and widths of the full blocks. Read with the first block, because most lists of a phrase are asked only for signatures. */
  #table = empty
  /** The entry of {@link opened} for the open block of this list. Another list may have used it since. */
  readonly #place = opened[lists++ % opened.length]!
  /** Bytes with signatures, and the offset in the list at which they begin. */
  #signatures = empty
  #signaturesFrom = 0

  /**
   * @param length - number of bytes of the whole list.
   * @throws ASOF_STORE_CORRUPT - here or at a later read: the parts do not fit the bytes.
   */
  constructor(list: ListBytes, count: number, length: number) {
    this.#list = list
    this.#full = Math.floor(count / BLOCK)
    this.#tail = count % BLOCK
    this.#signaturesAt = signaturesAt(this.#full)
    this.#header = positionsHeaderBytes(count)
    this.#length = length
    if (this.#header > length) throw corrupt()
  }

  /** Decodes the positions of the posting at `index` into `out`, which grows as needed; returns `out`. */
  positions(index: number, out: PositionBuffer): PositionBuffer {
    const { values, count } = this.places(index, out)
    for (let i = 0; i < count; i++) values[i] = positionOf(values[i]!)
    return out
  }

  /** Decodes the {@link Place}s of the posting at `index`, as {@link positions} does. */
  places(index: number, out: PositionBuffer): PositionBuffer {
    const block = Math.floor(index / BLOCK)
    const opened = this.#open(block)
    const i = index - block * BLOCK
    const count = opened.starts[i + 1]! - opened.starts[i]!
    if (out.values.length < count) out.values = new Uint32Array(count * 2)
    const { values } = out
    opened.gaps(i, values)
    for (let j = 1; j < count; j++) values[j]! += values[j - 1]!
    out.count = count
    return out
  }

  /** True if the posting at `index` has a place with one of some endings. */
  hasEnding(index: number, endings: number): boolean {
    const block = Math.floor(index / BLOCK)
    const opened = this.#open(block)
    const i = index - block * BLOCK
    let place = 0
    const count = opened.starts[i + 1]! - opened.starts[i]!
    // Most words are found as written among their first places.
    for (let from = 0; from < count; from += few.length) {
      const read = Math.min(few.length, count - from)
      opened.someGaps(i, from, from + read, few)
      for (let j = 0; j < read; j++) {
        place += few[j]!
        if (hasEnding(place, endings)) return true
      }
    }
    return false
  }

  /** The next-word signature of the posting at `index`: see `mayFollow`. */
  signature(index: number): number {
    const offset = this.#signaturesAt + index
    const at = offset - this.#signaturesFrom
    return at >= 0 && at < this.#signatures.length ? this.#signatures[at]! : this.#signatureAt(offset)
  }

  #signatureAt(offset: number): number {
    const { bytes, from } = this.#list.around(offset)
    if (offset - from >= bytes.length) throw corrupt()
    this.#signatures = bytes
    this.#signaturesFrom = from
    return bytes[offset - from]!
  }

  /** Appends the lengths and bytes of all `count` postings. */
  appendAll(count: number, positionLengths: Uint32Array, out: ByteWriter): void {
    for (let from = 0; from < count; from += BLOCK) {
      const opened = this.#open(from / BLOCK)
      const { starts } = opened
      const size = Math.min(BLOCK, count - from)
      const all = opened.allGaps(size)
      for (let i = 0; i < size; i++) {
        const before = out.length
        if (starts[i] !== starts[i + 1]) out.u8(this.signature(from + i))
        for (let j = starts[i]!; j < starts[i + 1]!; j++) out.varint(all[j]!)
        positionLengths[from + i] = out.length - before
      }
    }
  }

  /** Number of bytes of a block. Throws if they are not in the list. */
  bytesOf(block: number): number {
    const from = this.#startOf(block)
    const to = this.#endOf(block)
    if (from > to || this.#header + to > this.#length) throw corrupt()
    return to - from
  }

  /** Copies the `length` bytes of a block to `into` at `at`. Returns the width of its counts if the block is full, or else 0. */
  copyBlock(block: number, length: number, into: Uint8Array, at: number): number {
    this.#list.copy(this.#header + this.#startOf(block), length, into, at)
    return block < this.#full ? this.#widthOf(block) : 0
  }

  #widthOf(block: number): number {
    return this.#table[this.#full * 4 + block]!
  }

  /** The first byte of a block, counted from the end of the header. */
  #startOf(block: number): number {
    return block === 0 ? 0 : this.#endOf(block - 1)
  }

  /** The end of a block, counted like {@link #startOf}. */
  #endOf(block: number): number {
    if (block === this.#full) return this.#length - this.#header
    if (this.#table.length === 0) this.#table = this.#list.range(0, this.#signaturesAt)
    const table = this.#table
    const at = block * 4
    return (table[at]! | (table[at + 1]! << 8) | (table[at + 2]! << 16) | (table[at + 3]! << 24)) >>> 0
  }

  #open(block: number): PositionBlock {
    const place = this.#place
    if (place.list === this && place.number === block) return place.block
    place.list = undefined
    const length = this.bytesOf(block)
    const bytes = this.#list.range(this.#header + this.#startOf(block), length)
    if (block < this.#full) place.block.openFull(bytes, 0, this.#widthOf(block))
    else place.block.openTail(bytes, 0, this.#tail)
    place.list = this
    place.number = block
    return place.block
  }
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a position list does not fit its bytes')
}

/** A reusable list of positions or places: the first `count` entries of `values`. */
export interface PositionBuffer {
  count: number
  values: Uint32Array
}

/** Decodes the places of one posting, `bytes[from, to)`, into `out`, which grows as needed; returns `out`. */
export function decodePositions(
  bytes: Uint8Array,
  out: PositionBuffer,
  from = 0,
  to: number = bytes.length,
): PositionBuffer {
  if (out.values.length < to - from) out.values = new Uint32Array((to - from) * 2)
  const { values } = out
  let count = 0
  let position = 0
  // Decodes varints in place: the hottest loop of phrase queries takes 17 % longer with a VarintCursor.
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      gap |= (byte & 127) << shift
    }
    position += gap
    values[count++] = position
  }
  out.count = count
  return out
}
