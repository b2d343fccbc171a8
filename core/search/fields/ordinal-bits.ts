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
