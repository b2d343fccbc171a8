/**
 * Blocks of 128 integers, bit-packed in four lanes of 32-bit words. Lane l holds the integers l, l + 4, l + 8 and so
 * on, one after another. The words of the four lanes alternate. So the integers 4r to 4r + 3 are at the same bit offset
 * of four adjacent words, and one SIMD register unpacks them together (Lemire and Boytsov, Software: Practice and
 * Experience 2015).
 */

/** Number of integers in a block. A block of width w takes 4·w words. */
export const BLOCK = 128

/** Returns the number of bits that the largest of `values[from, from + 128)` needs. */
export function widthOf(values: Uint32Array, from = 0): number {
  let all = 0
  for (let i = from; i < from + BLOCK; i++) all |= values[i]!
  return 32 - Math.clz32(all)
}

/** Packs `values[from, from + 128)` with `width` bits each into the words of `out` from `at` on. Returns the offset of the next word. */
export function pack(values: Uint32Array, from: number, width: number, out: Uint32Array, at: number): number {
  for (let lane = 0; lane < 4; lane++) {
    let word = 0
    let filled = 0
    let to = at + lane
    for (let i = from + lane; i < from + BLOCK; i += 4) {
      const value = values[i]!
      word |= value << filled
      filled += width
      if (filled >= 32) {
        out[to] = word
        to += 4
        filled -= 32
        word = filled === 0 ? 0 : value >>> (width - filled)
      }
    }
  }
  return at + 4 * width
}

/** Unpacks 128 integers of `width` bits from the words at `at` into `out[0, 128)`. */
export function unpack(source: Uint32Array, at: number, width: number, out: Uint32Array): void {
  if (width === 0) {
    out.fill(0, 0, BLOCK)
    return
  }
  const mask = -1 >>> (32 - width)
  let a = source[at]!
  let b = source[at + 1]!
  let c = source[at + 2]!
  let d = source[at + 3]!
  for (let i = 0, shift = 0; ; i += 4) {
    out[i] = (a >>> shift) & mask
    out[i + 1] = (b >>> shift) & mask
    out[i + 2] = (c >>> shift) & mask
    out[i + 3] = (d >>> shift) & mask
    shift += width
    if (shift < 32) continue
    if (i === BLOCK - 4) return
    at += 4
    shift -= 32
    a = source[at]!
    b = source[at + 1]!
    c = source[at + 2]!
    d = source[at + 3]!
    if (shift === 0) continue
    // The upper bits of these four integers are in the next four words.
    const held = width - shift
    out[i] = out[i]! | ((a << held) & mask)
    out[i + 1] = out[i + 1]! | ((b << held) & mask)
    out[i + 2] = out[i + 2]! | ((c << held) & mask)
    out[i + 3] = out[i + 3]! | ((d << held) & mask)
  }
}

/**
 * Unpacks 128 ascending integers from the words at `at` into `out[0, 128)`. The block stores the difference of each
 * integer to the one before, minus 1. For the first integer, the one before is `previous`.
 */
export function unpackAscending(
  source: Uint32Array,
  at: number,
  width: number,
  previous: number,
  out: Uint32Array,
): void {
  unpack(source, at, width, out)
  // The four differences are added up among themselves first, so that each result needs only one addition that depends
  // on `previous`.
  for (let i = 0; i < BLOCK; i += 4) {
    const a = (out[i]! + 1) | 0
    const b = (a + out[i + 1]! + 1) | 0
    const c = (b + out[i + 2]! + 1) | 0
    const d = (c + out[i + 3]! + 1) | 0
    out[i] = previous + a
    out[i + 1] = previous + b
    out[i + 2] = previous + c
    out[i + 3] = previous = (previous + d) | 0
  }
}

/** Returns the integer that {@link unpack} would write at `index`, without unpacking the others. */
export function unpackOne(source: Uint32Array, at: number, width: number, index: number): number {
  const bit = (index >>> 2) * width
  const word = at + (bit >>> 5) * 4 + (index & 3)
  const shift = bit & 31
  const mask = width === 32 ? 0xffff_ffff : (1 << width) - 1
  const low = source[word]! >>> shift
  return ((shift + width > 32 ? low | (source[word + 4]! << (32 - shift)) : low) & mask) >>> 0
}
