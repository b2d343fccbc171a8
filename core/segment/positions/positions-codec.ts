import { padToWords } from '../../bytes/alignment.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import { ByteReader, type ByteWriter } from '../../bytes/byte-buffer.ts'
import { AsofError } from '../../errors.ts'
import type { TermPostings } from '../postings/postings-codec.ts'
import { copy } from '../streams.ts'
import { isLengthWidth, readLengths, writeLengths } from './escaped-lengths.ts'

/**
 * Layout of one list in the positions stream, for the same n postings, f full blocks and t in the tail as in the
 * postings stream:
 *
 *   end of each full block, in bytes from the end of this header   f × u32
 *   width of the lengths of each full block                        f × u8, padded to 4
 *   next-word signature of each posting                            n × u8, padded to 4
 *   full blocks   128 byte lengths, see {@link writeLengths}, then the position bytes of the postings, padded to 4
 *   tail          t × (varint length, position bytes), padded to 4
 *
 * The positions of one posting are varints: the first position, then gaps. Lengths come first, so that one posting is
 * found without decoding its neighbors. Signatures lie together, so that one is found without decoding anything;
 * everywhere else a posting's signature is the first of its position bytes. A posting without positions has no bytes.
 */
const lengths = new Uint32Array(BLOCK)

/** Appends an encoded positions list. */
export function encodePositions(postings: TermPostings, out: ByteWriter): void {
  const { count, positionLengths, positions } = postings
  const full = Math.floor(count / BLOCK)
  const start = out.length
  const header = positionsHeaderBytes(count)
  out.reserve(header)
  out.bytes.fill(0, start, start + header)
  out.length += header
  const signatures = signaturesAt(full) + start
  const body = out.length
  let at = 0
  for (let b = 0; b < full; b++) {
    let bytes = 0
    for (let i = 0; i < BLOCK; i++) {
      const length = positionLengths[b * BLOCK + i]!
      lengths[i] = length > 0 ? length - 1 : 0
      bytes += length
    }
    const width = writeLengths(lengths, out)
    out.reserve(bytes)
    const { bytes: into } = out
    for (let i = 0; i < BLOCK; i++) {
      const posting = b * BLOCK + i
      const end = at + positionLengths[posting]!
      if (at === end) continue
      into[signatures + posting] = positions[at++]!
      while (at < end) into[out.length++] = positions[at++]!
    }
    out.align(4)
    new DataView(out.bytes.buffer).setUint32(start + b * 4, out.length - body, true)
    out.bytes[start + full * 4 + b] = width
  }
  for (let i = full * BLOCK; i < count; i++) {
    const bytes = positionLengths[i]!
    out.varint(bytes > 0 ? bytes - 1 : 0)
    if (bytes === 0) continue
    out.reserve(bytes)
    out.bytes[signatures + i] = positions[at]!
    copy(positions, at + 1, at + bytes, out.bytes, out.length)
    out.length += bytes - 1
    at += bytes
  }
  out.align(4)
}

/** The number of bytes before the first block of a list with `count` postings. */
export function positionsHeaderBytes(count: number): number {
  return signaturesAt(Math.floor(count / BLOCK)) + padToWords(count)
}

/** The offset of the signatures in a list with this many full blocks. */
export function signaturesAt(full: number): number {
  return full * 4 + padToWords(full)
}

/** The bytes of one list. */
export interface ListBytes {
  /** Bytes of the list, starting at an address divisible by 4. */
  range(offset: number, length: number): Uint8Array
  /** The bytes around one byte of the list, and the offset in the list at which they begin; it may be negative. */
  around(offset: number): { bytes: Uint8Array; from: number }
}

/** Returns the signatures of a list from where they are kept; if they are not, they are filled in first. */
export type KeepSignatures = (fill: (out: Uint8Array) => void) => Uint8Array

/** Reads the positions of single postings of one list. It reads only the blocks that these postings lie in. */
export class PositionList {
  readonly #list: ListBytes
  readonly #full: number
  readonly #tail: number
  readonly #signaturesAt: number
  readonly #header: number
  readonly #length: number
  readonly #keep: KeepSignatures | undefined
  /** Read with the first block, because most lists of a phrase are asked only for signatures. */
  #ends: Uint32Array | undefined
  #widths: Uint8Array = new Uint8Array(0)
  /** Where the positions of each posting of the current block begin and end. */
  readonly #starts = new Uint32Array(BLOCK)
  readonly #stops = new Uint32Array(BLOCK)
  #block = -1
  #bytes: Uint8Array = new Uint8Array(0)
  /** Bytes with signatures, and the offset in the list at which they begin. */
  #signatures: Uint8Array = new Uint8Array(0)
  #signaturesFrom = 0

  /**
   * @param length - number of bytes of the whole list.
   * @param keep - keeps the signatures, for {@link signatures}.
   * @throws ASOF_STORE_CORRUPT - here or at a later read: the parts do not fit the bytes.
   */
  constructor(list: ListBytes, count: number, length: number, keep?: KeepSignatures) {
    this.#list = list
    this.#full = Math.floor(count / BLOCK)
    this.#tail = count % BLOCK
    this.#signaturesAt = signaturesAt(this.#full)
    this.#header = positionsHeaderBytes(count)
    this.#length = length
    this.#keep = keep
    if (this.#header > length) throw corrupt()
  }

  /** Decodes the positions of the posting at `index` into `out`, which grows as needed; returns `out`. */
  positions(index: number, out: PositionBuffer): PositionBuffer {
    const block = Math.floor(index / BLOCK)
    if (block !== this.#block) this.#load(block)
    const i = index - block * BLOCK
    return decodePositions(this.#bytes, out, this.#starts[i], this.#stops[i])
  }

  /** The next-word signature of the posting at `index`: see {@link mayFollow}. */
  signature(index: number): number {
    const offset = this.#signaturesAt + index
    const at = offset - this.#signaturesFrom
    return at >= 0 && at < this.#signatures.length ? this.#signatures[at]! : this.#signatureAt(offset)
  }

  /** The signatures of all postings; undefined for a list that is so short that they are not kept. */
  signatures(): Uint8Array | undefined {
    return this.#keep?.(out => out.set(this.#list.range(this.#signaturesAt, out.length)))
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
      this.#load(from / BLOCK)
      const size = Math.min(BLOCK, count - from)
      for (let i = 0; i < size; i++) {
        const start = this.#starts[i]!
        const stop = this.#stops[i]!
        positionLengths[from + i] = 0
        if (start === stop) continue
        positionLengths[from + i] = stop - start + 1
        out.reserve(stop - start + 1)
        out.u8(this.signature(from + i))
        copy(this.#bytes, start, stop, out.bytes, out.length)
        out.length += stop - start
      }
    }
  }

  #readEnds(): Uint32Array {
    const full = this.#full
    if (full === 0) return new Uint32Array(0)
    const header = this.#list.range(0, this.#signaturesAt)
    this.#widths = header.subarray(full * 4, full * 5)
    return new Uint32Array(header.buffer, header.byteOffset, full)
  }

  #load(block: number): void {
    const starts = this.#starts
    const stops = this.#stops
    this.#ends ??= this.#readEnds()
    const ends = this.#ends
    const from = block === 0 ? 0 : ends[block - 1]!
    if (block < this.#full) {
      if (from > ends[block]! || this.#header + ends[block]! > this.#length || !isLengthWidth(this.#widths[block]!))
        throw corrupt()
      const bytes = this.#list.range(this.#header + from, ends[block]! - from)
      let at = readLengths(bytes, 0, this.#widths[block]!, lengths)
      for (let i = 0; i < BLOCK; i++) {
        starts[i] = at
        at += lengths[i]!
        stops[i] = at
      }
      if (at > bytes.length) throw corrupt()
      this.#bytes = bytes
    } else {
      if (this.#header + from > this.#length) throw corrupt()
      const reader = new ByteReader(this.#list.range(this.#header + from, this.#length - this.#header - from))
      for (let i = 0; i < this.#tail; i++) {
        const size = reader.varint()
        starts[i] = reader.at
        reader.skip(size)
        stops[i] = reader.at
      }
      this.#bytes = reader.bytes
    }
    this.#block = block
  }
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'a position list does not fit its bytes')
}

/** A reusable list of positions: the first `count` entries of `values`. */
export interface PositionBuffer {
  count: number
  values: Uint32Array
}

/** Decodes the positions of one posting, `bytes[from, to)`, into `out`, which grows as needed; returns `out`. */
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
