import { BLOCK, pack, unpack } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { cheapestWidth } from './cheapest-width.ts'

/**
 * Stores 128 counts, most of which are small. They are bit-packed with the width that takes the least room in total.
 * The highest number of that width is an escape: the count is at least this number. After the packed numbers, a varint
 * for each escape holds the difference. With width 0 all counts are 0.
 */
export const MAX_COUNT_BITS = 16

const codes = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK)
const packedBytes = new Uint8Array(packed.buffer)
const varints = new VarintCursor(new Uint8Array(0))
/** Estimates the bytes of the varints after the packed numbers: one for each escape, and a second one for a high count if the width is low. */
const escapeBytes = (width: number, escapes: number, long: number): number => escapes + (width < 8 ? long : 0)

/** Writes the counts; returns the width. */
export function writeCounts(counts: Uint32Array, out: ByteWriter): number {
  const width = counts.every(count => count === 0) ? 0 : cheapestWidth(counts, BLOCK, MAX_COUNT_BITS, escapeBytes)
  const top = 2 ** width - 1
  for (let i = 0; i < BLOCK; i++) codes[i] = Math.min(counts[i]!, top)
  const words = pack(codes, 0, width, packed, 0)
  out.raw(packedBytes.subarray(0, words * 4))
  if (width > 0) for (let i = 0; i < BLOCK; i++) if (codes[i] === top) out.varint(counts[i]! - top)
  return width
}

/** True for a width that {@link writeCounts} may return. */
export function isCountWidth(width: number): boolean {
  return width <= MAX_COUNT_BITS
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
