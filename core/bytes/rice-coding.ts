import type { ByteWriter } from './byte-buffer.ts'

/**
 * Rice coding (Rice and Plaunt, IEEE Transactions on Communications 1971). The code of an integer is its quotient by
 * 2^k in unary, as ones and a final zero, then its k low bits. For gaps between random positions it takes about half a
 * bit more than the entropy. The first bit is the lowest bit of the first byte.
 */
/** Maximum number of low bits. */
export const MAX_LOW_BITS = 24

/** Returns the number of low bits k that suits integers with this mean best. */
export function lowBitsFor(mean: number): number {
  return Math.min(MAX_LOW_BITS, Math.max(0, Math.round(Math.log2(mean * Math.LN2))))
}

/** Appends the first `count` of `values`, padded to a whole byte. */
export function writeRice(values: Uint32Array, count: number, lowBits: number, out: ByteWriter): void {
  let word = 0
  let filled = 0
  const put = (bits: number, size: number): void => {
    word |= bits << filled
    for (filled += size; filled >= 8; filled -= 8) {
      out.u8(word)
      word >>>= 8
    }
  }
  for (let i = 0; i < count; i++) {
    const value = values[i]!
    for (let quotient = value >>> lowBits; quotient > 0; quotient--) put(1, 1)
    put(0, 1)
    put(value & (2 ** lowBits - 1), lowBits)
  }
  if (filled > 0) out.u8(word)
}

/**
 * Reads `count` integers from offset `at` on into the beginning of `out`.
 *
 * @param lowBits - at most 24.
 * @returns the offset after the integers. If it is greater than `bytes.length`, the bytes end early and the integers
 *   are invalid.
 */
export function readRice(bytes: Uint8Array, at: number, lowBits: number, count: number, out: Uint32Array): number {
  const mask = 2 ** lowBits - 1
  let bit = at * 8
  for (let i = 0; i < count; i++) {
    let quotient = 0
    // The loop ends, because bits past the end are 0.
    let ones = onesAt(bytes, bit)
    for (; ones === READ_AT_ONCE; ones = onesAt(bytes, bit)) {
      quotient += ones
      bit += ones
    }
    bit += ones + 1
    out[i] = (quotient + ones) * 2 ** lowBits + (bitsAt(bytes, bit) & mask)
    bit += lowBits
  }
  return Math.ceil(bit / 8)
}

/** Minimum number of bits that {@link bitsAt} returns. */
const READ_AT_ONCE = 24

function bitsAt(bytes: Uint8Array, bit: number): number {
  const at = bit >>> 3
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> (bit & 7)
}

/** Returns the number of ones before the next zero, at most {@link READ_AT_ONCE}. */
function onesAt(bytes: Uint8Array, bit: number): number {
  // The added zero limits the result to the bits that were read.
  const zeros = ~bitsAt(bytes, bit) | (1 << READ_AT_ONCE)
  return 31 - Math.clz32(zeros & -zeros)
}
