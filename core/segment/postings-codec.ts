import { AsofError } from '../errors.ts'
import { BLOCK, pack, widthOf } from './bit-packing.ts'
import { ByteReader, type ByteWriter } from './byte-buffer.ts'

/**
 * Layout of one posting list in the postings stream (little-endian, a multiple of 4 bytes long). For n postings there
 * are f = ⌊n/128⌋ full blocks and t = n mod 128 in the tail:
 *
 *   last ordinal of each full block   f × u32
 *   bound of each block, tail last    (f + (t > 0)) × u8, padded to 4
 *   gap width of each full block      f × u8, padded to 4
 *   frequency width of each full one  f × u8, padded to 4
 *   full blocks                       128 gaps − 1, then 128 frequencies − 1, bit-packed
 *   tail                              t × (varint gap − 1, varint frequency − 1), padded to 4
 *
 * Gaps run on from the block before; the first gap counts from ordinal −1.
 */

/** The postings of one term while a segment is being written; arrays may be longer than `count`. */
export interface TermPostings {
  count: number
  ordinals: Uint32Array
  /** Weighted term frequencies, at least 1. */
  frequencies: Uint32Array
  /** Bytes of each posting's encoded positions within `positions`, which follow one another. */
  positionLengths: Uint32Array
  positions: Uint8Array
}

/** The bound code of `postings[from, to)`: the highest saturated frequency, rounded up. */
export type BoundOf = (postings: TermPostings, from: number, to: number) => number

const gaps = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK * 2)
const packedBytes = new Uint8Array(packed.buffer)

export function encodePostings(postings: TermPostings, boundOf: BoundOf, out: ByteWriter): void {
  const { count, ordinals } = postings
  const full = Math.floor(count / BLOCK)
  for (let b = 0; b < full; b++) out.u32(ordinals[b * BLOCK + BLOCK - 1])
  for (let from = 0; from < count; from += BLOCK) out.u8(boundOf(postings, from, Math.min(count, from + BLOCK)))
  out.align(4)
  const gapWidths = out.length
  const frequencyWidths = gapWidths + padded(full)
  out.reserve(2 * padded(full))
  out.bytes.fill(0, gapWidths, gapWidths + 2 * padded(full))
  out.length += 2 * padded(full)
  let previous = -1
  for (let b = 0; b < full; b++) {
    for (let i = 0; i < BLOCK; i++) {
      const at = b * BLOCK + i
      gaps[i] = ordinals[at] - previous - 1
      previous = ordinals[at]
      frequencies[i] = postings.frequencies[at] - 1
    }
    const gapWidth = widthOf(gaps)
    const frequencyWidth = widthOf(frequencies)
    let words = pack(gaps, 0, gapWidth, packed, 0)
    words = pack(frequencies, 0, frequencyWidth, packed, words)
    out.raw(packedBytes.subarray(0, words * 4))
    out.bytes[gapWidths + b] = gapWidth
    out.bytes[frequencyWidths + b] = frequencyWidth
  }
  for (let at = full * BLOCK; at < count; at++) {
    out.varint(ordinals[at] - previous - 1)
    out.varint(postings.frequencies[at] - 1)
    previous = ordinals[at]
  }
  out.align(4)
}

/** The parts of an encoded posting list, as views of its bytes. */
export interface PostingsLayout {
  full: number
  /** Postings in the tail. */
  tail: number
  words: Uint32Array
  lastOrdinals: Uint32Array
  bounds: Uint8Array
  gapWidths: Uint8Array
  frequencyWidths: Uint8Array
  /** Word offset of each full block in `words`. */
  offsets: Uint32Array
  tailOrdinals: Uint32Array
  tailFrequencies: Uint32Array
}

/**
 * @param bytes - starts at an address divisible by 4.
 * @throws ASOF_STORE_CORRUPT - the parts do not fit the bytes.
 */
export function openPostings(bytes: Uint8Array, count: number): PostingsLayout {
  const full = Math.floor(count / BLOCK)
  const tail = count % BLOCK
  const { buffer, byteOffset } = bytes
  const blocks = full + (tail > 0 ? 1 : 0)
  const boundsAt = full * 4
  const gapWidthsAt = boundsAt + padded(blocks)
  const frequencyWidthsAt = gapWidthsAt + padded(full)
  const blocksAt = frequencyWidthsAt + padded(full)
  if (blocksAt > bytes.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list ends early')
  const lastOrdinals = new Uint32Array(buffer, byteOffset, full)
  const gapWidths = bytes.subarray(gapWidthsAt, gapWidthsAt + full)
  const frequencyWidths = bytes.subarray(frequencyWidthsAt, frequencyWidthsAt + full)
  const offsets = new Uint32Array(full)
  let word = blocksAt / 4
  for (let b = 0; b < full; b++) {
    offsets[b] = word
    if (gapWidths[b] > 32 || frequencyWidths[b] > 32)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list has a block of impossible width')
    word += 4 * (gapWidths[b] + frequencyWidths[b])
  }
  if (word * 4 > bytes.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list ends early')
  const tailOrdinals = new Uint32Array(tail)
  const tailFrequencies = new Uint32Array(tail)
  const reader = new ByteReader(bytes, word * 4)
  let previous = full > 0 ? lastOrdinals[full - 1] : -1
  for (let i = 0; i < tail; i++) {
    previous += reader.varint() + 1
    tailOrdinals[i] = previous
    tailFrequencies[i] = reader.varint() + 1
  }
  return {
    full,
    tail,
    words: new Uint32Array(buffer, byteOffset, bytes.length >>> 2),
    lastOrdinals,
    bounds: bytes.subarray(boundsAt, boundsAt + blocks),
    gapWidths,
    frequencyWidths,
    offsets,
    tailOrdinals,
    tailFrequencies,
  }
}

function padded(bytes: number): number {
  return (bytes + 3) & ~3
}
