/** A set of ordinals of captures, or of other numbers: one bit for each. */
export type OrdinalBits = Uint32Array

/** An empty set of numbers below `size`. */
export function newBits(size: number): OrdinalBits {
  return new Uint32Array((size + 31) >>> 5)
}

/** True if a set has a number. */
export function hasBit(bits: OrdinalBits, number: number): boolean {
  return (bits[number >>> 5]! & (1 << (number & 31))) !== 0
}

/** Adds a number to a set, or removes it. */
export function setBit(bits: OrdinalBits, number: number, isIn: boolean): void {
  if (isIn) bits[number >>> 5]! |= 1 << (number & 31)
  else bits[number >>> 5]! &= ~(1 << (number & 31))
}

/** A set in a compact form, for keeping it: its numbers, if they are so few that they take less memory than the bits. */
export type PackedBits = { bits: OrdinalBits } | { numbers: Uint32Array }

/** Packs a set. It must not be changed afterwards. */
export function packBits(bits: OrdinalBits): PackedBits {
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1) count++
    if (count >= bits.length) return { bits }
  }
  const numbers = new Uint32Array(count)
  let at = 0
  for (let i = 0; i < bits.length; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) numbers[at++] = i * 32 + (31 - Math.clz32(word & -word))
  return { numbers }
}

/** Unpacks a set of numbers below `size`. The result must not be changed. */
export function unpackBits(set: PackedBits, size: number): OrdinalBits {
  if ('bits' in set) return set.bits
  const bits = newBits(size)
  for (const number of set.numbers) setBit(bits, number, true)
  return bits
}
