import { ascenders, unpackers } from './unpack.generated.ts'

/** Integers in one packed block. A block of width w takes 4·w 32-bit words. */
export const BLOCK = 128

/** The number of bits that the largest of `values[from, from + 128)` needs. */
export function widthOf(values: Uint32Array, from = 0): number {
  let all = 0
  for (let i = from; i < from + BLOCK; i++) all |= values[i]!
  return 32 - Math.clz32(all)
}

/** Packs `values[from, from + 128)` with `width` bits each into `out` at word `at`; returns the offset of the next word. */
export function pack(values: Uint32Array, from: number, width: number, out: Uint32Array, at: number): number {
  let word = 0
  let filled = 0
  for (let i = from; i < from + BLOCK; i++) {
    const value = values[i]!
    word |= value << filled
    filled += width
    if (filled >= 32) {
      out[at++] = word
      filled -= 32
      word = filled === 0 ? 0 : value >>> (width - filled)
    }
  }
  return at
}

/** Unpacks 128 integers of `width` bits from the words at `at` into `out[0, 128)`. */
export function unpack(source: Uint32Array, at: number, width: number, out: Uint32Array): void {
  const unpacker = unpackers[width]
  if (unpacker) unpacker(source, at, out)
  else for (let i = 0; i < BLOCK; i++) out[i] = unpackOne(source, at, width, i)
}

/**
 * Unpacks 128 ascending integers, stored as gaps less 1, the first one from `previous`, into `out[0, 128)`. Otherwise
 * like {@link unpack}.
 */
export function unpackAscending(
  source: Uint32Array,
  at: number,
  width: number,
  previous: number,
  out: Uint32Array,
): void {
  const ascender = ascenders[width]
  if (ascender) ascender(source, at, previous, out)
  else for (let i = 0, value = previous; i < BLOCK; i++) out[i] = value = value + 1 + unpackOne(source, at, width, i)
}

/** The integer at `index` of those that {@link unpack} would read, without reading the others. */
export function unpackOne(source: Uint32Array, at: number, width: number, index: number): number {
  const bit = index * width
  const word = at + (bit >>> 5)
  const shift = bit & 31
  const mask = width === 32 ? 0xffff_ffff : (1 << width) - 1
  const low = source[word]! >>> shift
  return ((shift + width > 32 ? low | (source[word + 1]! << (32 - shift)) : low) & mask) >>> 0
}
