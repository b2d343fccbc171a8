import { BLOCK, pack, unpack } from '../../bytes/bit-packing.ts'
import type { ByteWriter } from '../../bytes/byte-buffer.ts'

/**
 * 128 lengths of which most are small: bit-packed in the width that takes the least room in all. The highest number of
 * the width stands for itself and more; behind the packed numbers a varint for each of those tells how much more. Width
 * 0 is that of 128 zeros.
 */
const MOST_BITS = 16

const codes = new Uint32Array(BLOCK)
const packed = new Uint32Array(BLOCK)
const packedBytes = new Uint8Array(packed.buffer)
/** By width, how many lengths have to be escaped. */
const escaped = new Uint32Array(MOST_BITS + 1)

/** Writes the lengths; returns their width. */
export function writeLengths(lengths: Uint32Array, out: ByteWriter): number {
  const width = bestWidth(lengths)
  const top = 2 ** width - 1
  for (let i = 0; i < BLOCK; i++) codes[i] = Math.min(lengths[i], top)
  const words = pack(codes, 0, width, packed, 0)
  out.raw(packedBytes.subarray(0, words * 4))
  if (width > 0) for (let i = 0; i < BLOCK; i++) if (codes[i] === top) out.varint(lengths[i] - top)
  return width
}

/** The width that costs the fewest bytes. */
function bestWidth(lengths: Uint32Array): number {
  escaped.fill(0)
  let highest = 0
  let long = 0
  for (let i = 0; i < BLOCK; i++) {
    highest |= lengths[i]
    if (lengths[i] > 127) long++
    // The widest code that is not enough for a length.
    escaped[Math.min(MOST_BITS, 31 - Math.clz32(lengths[i] + 1))]++
  }
  if (highest === 0) return 0
  let best = MOST_BITS
  let least = Number.POSITIVE_INFINITY
  let above = 0
  for (let width = MOST_BITS; width > 0; width--) {
    above += escaped[width]
    // What is left of a long one takes another byte.
    const bytes = (BLOCK / 8) * width + above + (width < 8 ? long : 0)
    if (bytes >= least) continue
    best = width
    least = bytes
  }
  return best
}

export function isLengthWidth(width: number): boolean {
  return width <= MOST_BITS
}

/**
 * Reads lengths of a width that {@link isLengthWidth} accepts; returns the offset behind them, which lies beyond the
 * bytes when they were not all there.
 *
 * @param from - of the lengths in `bytes`; with the address of `bytes` divisible by 4.
 */
export function readLengths(bytes: Uint8Array, from: number, width: number, lengths: Uint32Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + from, (bytes.length - from) >>> 2)
  unpack(words, 0, width, lengths)
  let at = from + (BLOCK / 8) * width
  if (width === 0) return at
  const top = 2 ** width - 1
  for (let i = 0; i < BLOCK; i++) {
    if (lengths[i] !== top) continue
    let byte = bytes[at++]
    let more = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]
      more |= (byte & 127) << shift
    }
    lengths[i] = top + (more >>> 0)
  }
  return at
}
