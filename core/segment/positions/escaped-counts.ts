import { BLOCK, pack, unpack } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'

/**
 * Stores 128 counts, most of which are small. They are bit-packed with the width that takes the least room in total.
 * The highest number of that width is an escape: the count is at least this number. After the packed numbers, a varint
 * for each escape holds the difference. With width 0 all counts are 0.
 */
const MOST_BITS = 16

const codes = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK)
const packedBytes = new Uint8Array(packed.buffer)
const varints = new VarintCursor(new Uint8Array(0))
/** By width in bits: how many counts need an escape at this width, but not at the next one. */
const escaped = new Uint32Array(MOST_BITS + 1)

/** Writes the counts; returns the width. */
export function writeCounts(counts: Uint32Array, out: ByteWriter): number {
  const width = bestWidth(counts)
  const top = 2 ** width - 1
  for (let i = 0; i < BLOCK; i++) codes[i] = Math.min(counts[i]!, top)
  const words = pack(codes, 0, width, packed, 0)
  out.raw(packedBytes.subarray(0, words * 4))
  if (width > 0) for (let i = 0; i < BLOCK; i++) if (codes[i] === top) out.varint(counts[i]! - top)
  return width
}

/** The width that takes the fewest bytes. */
function bestWidth(counts: Uint32Array): number {
  escaped.fill(0)
  let highest = 0
  let long = 0
  for (let i = 0; i < BLOCK; i++) {
    const count = counts[i]!
    highest |= count
    if (count > 127) long++
    // The greatest width with which this count is escaped.
    escaped[Math.min(MOST_BITS, 31 - Math.clz32(count + 1))]!++
  }
  if (highest === 0) return 0
  let best = MOST_BITS
  let least = Number.POSITIVE_INFINITY
  let above = 0
  for (let width = MOST_BITS; width > 0; width--) {
    above += escaped[width]!
    // The rest of a high count takes a second byte.
    const bytes = (BLOCK / 8) * width + above + (width < 8 ? long : 0)
    if (bytes >= least) continue
    best = width
    least = bytes
  }
  return best
}

/** True for a width that {@link writeCounts} may return. */
export function isCountWidth(width: number): boolean {
  return width <= MOST_BITS
}

/**
 * Reads the counts that were written at offset `from` with a width that {@link isCountWidth} accepts.
 *
 * @param from - divisible by 4, and so is the address of `bytes`.
 * @returns the offset after the counts; greater than `bytes.length` if the bytes end early.
 */
export function readCounts(bytes: Uint8Array, from: number, width: number, counts: Uint32Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + from, (bytes.length - from) >>> 2)
  unpack(words, 0, width, counts)
  const end = from + (BLOCK / 8) * width
  if (width === 0) return end
  const top = 2 ** width - 1
  varints.bytes = bytes
  varints.at = end
  for (let i = 0; i < BLOCK; i++) if (counts[i] === top) counts[i] = top + varints.next()
  return varints.at
}
