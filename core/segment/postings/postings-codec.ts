import { padToWords } from '../../bytes/alignment.ts'
import { BLOCK, pack, widthOf } from '../../bytes/bit-packing.ts'
import { ByteReader, type ByteWriter } from '../../bytes/byte-buffer.ts'
import { AsofError } from '../../errors.ts'

/**
 * Layout of one posting list in the postings stream (little-endian, a multiple of 4 bytes long). For n postings there
 * are f = ⌊n/128⌋ full blocks and t = n mod 128 in the tail:
 *
 *   last ordinal of each full block   f × u32
 *   impact of each block, tail last   (f + (t > 0)) × u8, padded to 4
 *   gap width of each full block      f × u8, padded to 4
 *   frequency width of each full one  f × u8, padded to 4
 *   full blocks                       128 gaps − 1, then 128 frequencies − 1, bit-packed
 *   tail                              t × (varint gap − 1, varint frequency − 1), padded to 4
 *
 * A gap counts from the ordinal before, across blocks; the first gap counts from ordinal −1.
 */

/** The postings of one term, decoded. The arrays may be longer than `count`. */
export interface TermPostings {
  count: number
  ordinals: Uint32Array
  /** Weighted term frequencies, at least 1. */
  frequencies: Uint32Array
  /** Number of bytes of each posting within `positions`, one posting after another: next-word signature, then positions. */
  positionLengths: Uint32Array
  positions: Uint8Array
}

/** Computes the quantized block-max impact of `postings[from, to)`. */
export type MaxImpactOf = (postings: TermPostings, from: number, to: number) => number

const gaps = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK * 2)
const packedBytes = new Uint8Array(packed.buffer)

/** Appends an encoded posting list. */
export function encodePostings(postings: TermPostings, maxImpactOf: MaxImpactOf, out: ByteWriter): void {
  const { count, ordinals } = postings
  const full = Math.floor(count / BLOCK)
  for (let b = 0; b < full; b++) out.u32(ordinals[b * BLOCK + BLOCK - 1]!)
  for (let from = 0; from < count; from += BLOCK) out.u8(maxImpactOf(postings, from, Math.min(count, from + BLOCK)))
  out.align(4)
  const gapWidths = out.length
  const frequencyWidths = gapWidths + padToWords(full)
  out.reserve(2 * padToWords(full))
  out.bytes.fill(0, gapWidths, gapWidths + 2 * padToWords(full))
  out.length += 2 * padToWords(full)
  let previous = -1
  for (let b = 0; b < full; b++) {
    for (let i = 0; i < BLOCK; i++) {
      const at = b * BLOCK + i
      gaps[i] = ordinals[at]! - previous - 1
      previous = ordinals[at]!
      frequencies[i] = postings.frequencies[at]! - 1
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
    out.varint(ordinals[at]! - previous - 1)
    out.varint(postings.frequencies[at]! - 1)
    previous = ordinals[at]!
  }
  out.align(4)
}

/** An encoded posting list and where its parts are. It has few objects, because very many lists are kept in memory. */
export interface PostingsLayout {
  /** Number of full blocks. */
  full: number
  /** Number of all blocks. */
  blocks: number
  /** The whole list; the last ordinals of the full blocks come first. */
  words: Uint32Array
  octets: Uint8Array
  /** Offsets in `octets` of the arrays with one byte per block. */
  impactsAt: number
  gapWidthsAt: number
  frequencyWidthsAt: number
  /** Word offset of each full block. */
  offsets: Uint32Array
  /** Ordinals of the tail, then its frequencies. */
  tail: Uint32Array
}

const noWords = new Uint32Array(0)

/**
 * @param bytes - starts at an address divisible by 4.
 * @throws ASOF_STORE_CORRUPT - the parts do not fit the bytes.
 */
export function openPostings(bytes: Uint8Array, count: number): PostingsLayout {
  const full = Math.floor(count / BLOCK)
  const blocks = Math.ceil(count / BLOCK)
  const impactsAt = full * 4
  const gapWidthsAt = impactsAt + padToWords(blocks)
  const frequencyWidthsAt = gapWidthsAt + padToWords(full)
  const blocksAt = frequencyWidthsAt + padToWords(full)
  if (blocksAt > bytes.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list ends early')
  const offsets = full > 0 ? new Uint32Array(full) : noWords
  let word = blocksAt / 4
  for (let b = 0; b < full; b++) {
    offsets[b] = word
    const gapWidth = bytes[gapWidthsAt + b]!
    const frequencyWidth = bytes[frequencyWidthsAt + b]!
    if (gapWidth > 32 || frequencyWidth > 32)
      throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list has a block of impossible width')
    word += 4 * (gapWidth + frequencyWidth)
  }
  if (word * 4 > bytes.length) throw new AsofError('ASOF_STORE_CORRUPT', 'a posting list ends early')
  const words = full > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2) : noWords
  const tail = openTail(new ByteReader(bytes, word * 4), count % BLOCK, full > 0 ? words[full - 1]! : -1)
  return {
    full,
    blocks,
    words,
    // Without full blocks only the impact of the tail is still needed.
    octets: full > 0 ? bytes : new Uint8Array(bytes.subarray(0, blocks)),
    impactsAt,
    gapWidthsAt,
    frequencyWidthsAt,
    offsets,
    tail,
  }
}

function openTail(reader: ByteReader, count: number, before: number): Uint32Array {
  if (count === 0) return noWords
  const tail = new Uint32Array(2 * count)
  let previous = before
  for (let i = 0; i < count; i++) {
    previous += reader.varint() + 1
    tail[i] = previous
    tail[count + i] = reader.varint() + 1
  }
  return tail
}

/** The layout of a list of fewer than {@link BLOCK} postings that are decoded already. */
export function shortLayout({ count, ordinals, frequencies }: TermPostings, impact: number): PostingsLayout {
  const tail = new Uint32Array(2 * count)
  tail.set(ordinals.subarray(0, count))
  tail.set(frequencies.subarray(0, count), count)
  const none = { impactsAt: 0, gapWidthsAt: 0, frequencyWidthsAt: 0, offsets: noWords }
  return { full: 0, blocks: 1, words: noWords, octets: Uint8Array.of(impact), ...none, tail }
}
