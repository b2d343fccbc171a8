import type { ByteWriter } from './byte-buffer.ts'

/**
 * Rice coding (Rice and Plaunt, IEEE Transactions on Communications 1971): an integer is written as its quotient by 2^k in
 * unary, ones that a zero ends, then its k low bits. For gaps between random places it takes about half a bit more than their
 * entropy. The first bit is the lowest of the first byte.
 */
const MOST_LOW_BITS = 24

/** The number of low bits k with which integers of this mean take about the fewest bits. */
export function lowBitsFor(mean: number): number {
  return Math.min(MOST_LOW_BITS, Math.max(0, Math.round(Math.log2(mean * Math.LN2))))
}

/** Appends the first `count` of the integers, padded to a whole byte. */
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
 * Reads `count` integers that {@link writeRice} wrote at offset `at` into the first places of `out`.
 *
 * @param lowBits - at most 24.
 * @returns the offset after them; greater than `bytes.length` if the bytes end early. Then the integers are of no use.
 */
export function readRice(bytes: Uint8Array, at: number, lowBits: number, count: number, out: Uint32Array): number {
  const mask = 2 ** lowBits - 1
  let bit = at * 8
  for (let i = 0; i < count; i++) {
    let quotient = 0
    // Past the end every bit is 0, which ends the quotient.
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

/** The number of bits that {@link bitsAt} returns at least. */
const READ_AT_ONCE = 24

function bitsAt(bytes: Uint8Array, bit: number): number {
  const at = bit >>> 3
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> (bit & 7)
}

/** The number of ones before the next zero, at most {@link READ_AT_ONCE}. */
function onesAt(bytes: Uint8Array, bit: number): number {
  // The bit after those that are read at once counts as a zero.
  const zeros = ~bitsAt(bytes, bit) | (1 << READ_AT_ONCE)
  return 31 - Math.clz32(zeros & -zeros)
}
