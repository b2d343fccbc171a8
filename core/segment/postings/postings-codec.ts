import { AsofError } from '@asof/extract/errors'
import { padToWords } from '../../bytes/alignment.ts'
import { BLOCK, pack, widthOf } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { quantizeImpact, type Saturation } from '../ranking-model.ts'
import { readTail, writeTail } from './postings-tail.ts'
import { raiseImpacts, storesWindowImpacts, windowCount } from './window-impacts.ts'

/**
 * Layout of one posting list in the postings stream (little-endian). For n postings there are f = ⌊n/128⌋ full blocks and
 * t = n mod 128 in the tail. If there are full blocks, each part is padded to a multiple of 4 bytes; otherwise no part is padded.
 *
 *   last ordinal of each full block   f × u32
 *   impact of each block, tail last   (f + (t > 0)) × u8
 *   gap width of each full block      f × u8
 *   frequency width of each of them   f × u8
 *   full blocks                       128 gaps − 1, then 128 frequencies − 1, bit-packed
 *   tail, unless t = 0                see {@link writeTail}
 *   impact of each window             u8 for each up to the last posting; see {@link storesWindowImpacts}
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

const gaps = new Uint32Array(BLOCK)
const frequencies = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK * 2)
const packedBytes = new Uint8Array(packed.buffer)
let windowImpacts = new Uint8Array(256)

/** Appends an encoded posting list. */
export function encodePostings(postings: TermPostings, saturation: Saturation, out: ByteWriter): void {
  const { count, ordinals } = postings
  const full = Math.floor(count / BLOCK)
  const unit = full > 0 ? 4 : 1
  const last = ordinals[count - 1]!
  const windows = windowCount(last)
  if (windows > windowImpacts.length) windowImpacts = new Uint8Array(2 * windows)
  else windowImpacts.fill(0, 0, windows)
  for (let b = 0; b < full; b++) out.u32(ordinals[b * BLOCK + BLOCK - 1]!)
  for (let from = 0; from < count; from += BLOCK)
    out.u8(raiseImpacts(ordinals, postings.frequencies, from, Math.min(count, from + BLOCK), saturation, windowImpacts))
  out.align(unit)
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
  if (count > full * BLOCK) writeTail(postings, full * BLOCK, count, previous, out)
  out.align(unit)
  if (!storesWindowImpacts(count, last)) return
  out.raw(windowImpacts.subarray(0, windows))
  out.align(unit)
}

/** An encoded posting list and where its parts are. It has few objects, because very many lists are kept in memory. */
export interface PostingsLayout {
  /** Number of full blocks. */
  full: number
  /** Number of all blocks. */
  blocks: number
  /** The whole list as 32-bit words; the last ordinals of the full blocks come first. */
  words: Uint32Array
  /** The whole list as bytes. */
  octets: Uint8Array
  /** Offsets in `octets` of the arrays with one byte per block. */
  impactsAt: number
  gapWidthsAt: number
  frequencyWidthsAt: number
  /** Offset in `octets` of the impacts of the windows of `WINDOW` ordinals; −1 if they are not stored. */
  windowImpactsAt: number
  /** Offset in `words` of each full block. */
  offsets: Uint32Array
  /** Ordinals of the tail, then its frequencies. */
  tail: Uint32Array
}

const noWords = new Uint32Array(0)

/**
 * Checks all that a reader relies on to stay inside the list and inside the columns of its segment. The frequencies are not
 * checked, and the ordinals within a block only when it is decoded.
 *
 * @param bytes - the whole list; with full blocks it starts at an address divisible by 4.
 * @param captures - number of captures of the segment.
 * @throws ASOF_STORE_CORRUPT - the parts do not fit the bytes or each other.
 */
export function openPostings(bytes: Uint8Array, count: number, captures: number): PostingsLayout {
  const full = Math.floor(count / BLOCK)
  const blocks = Math.ceil(count / BLOCK)
  const impactsAt = full * 4
  const gapWidthsAt = full > 0 ? impactsAt + padToWords(blocks) : blocks
  const frequencyWidthsAt = gapWidthsAt + padToWords(full)
  const blocksAt = frequencyWidthsAt + padToWords(full)
  if (blocksAt > bytes.length) throw corrupt('ends early')
  const words = full > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2) : noWords
  const offsets = full > 0 ? new Uint32Array(full) : noWords
  let word = blocksAt / 4
  let previous = -1
  for (let b = 0; b < full; b++) {
    offsets[b] = word
    const gapWidth = bytes[gapWidthsAt + b]!
    const frequencyWidth = bytes[frequencyWidthsAt + b]!
    // The highest number that the block can store, a gap minus 1: that of one gap if the 127 others are 1.
    const widest = words[b]! - previous - BLOCK
    if (widest < 0) throw corrupt('has ordinals that do not ascend')
    if (gapWidth > 32 - Math.clz32(widest) || frequencyWidth > 32) throw corrupt('has a block of impossible width')
    word += 4 * (gapWidth + frequencyWidth)
    previous = words[b]!
  }
  if (word * 4 > bytes.length) throw corrupt('ends early')
  const size = count % BLOCK
  const tail = size > 0 ? new Uint32Array(2 * size) : noWords
  let end = full > 0 ? word * 4 : blocksAt
  if (size > 0) {
    end = readTail(bytes, end, {
      size,
      before: previous,
      ordinals: tail,
      ordinalsAt: 0,
      frequencies: tail,
      frequenciesAt: size,
    })
    previous = tail[size - 1]!
  }
  if (previous >= captures) throw corrupt('refers to a missing capture')
  const tailEnd = full > 0 ? padToWords(end) : end
  const stores = storesWindowImpacts(count, previous)
  if (tailEnd + (stores ? padToWords(windowCount(previous)) : 0) !== bytes.length)
    throw corrupt('does not have the length of its parts')
  return {
    full,
    blocks,
    words,
    // Without full blocks only the impact of the tail is still needed.
    octets: full > 0 ? bytes : new Uint8Array(bytes.subarray(0, blocks)),
    impactsAt,
    gapWidthsAt,
    frequencyWidthsAt,
    windowImpactsAt: stores ? tailEnd : -1,
    offsets,
    tail,
  }
}

/**
 * The layout of a list of fewer than {@link BLOCK} postings that are decoded already.
 *
 * @throws ASOF_STORE_CORRUPT - the ordinals do not ascend, or are not below `captures`.
 */
export function shortLayout(
  { count, ordinals, frequencies }: TermPostings,
  captures: number,
  saturation: Saturation,
): PostingsLayout {
  let highest = 0
  let previous = -1
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!
    if (ordinal <= previous || ordinal >= captures) throw corrupt('has an impossible ordinal')
    highest = Math.max(highest, saturation(ordinal, frequencies[i]!))
    previous = ordinal
  }
  if (count === 0) throw corrupt('is empty')
  const tail = new Uint32Array(2 * count)
  tail.set(ordinals.subarray(0, count))
  tail.set(frequencies.subarray(0, count), count)
  const none = { impactsAt: 0, gapWidthsAt: 0, frequencyWidthsAt: 0, windowImpactsAt: -1, offsets: noWords }
  return { full: 0, blocks: 1, words: noWords, octets: Uint8Array.of(quantizeImpact(highest)), ...none, tail }
}

export function corrupt(problem: string): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `a posting list ${problem}`)
}
