import type { PostingList } from '../segment/postings/posting-list.ts'
import { WINDOW } from '../segment/postings/window-impacts.ts'

/** A set of captures in a window of {@link WINDOW} ordinals: one bit for each, by offset from the first. */
export type WindowBits = Uint32Array

const WORDS = WINDOW / 32

export function newWindowBits(): WindowBits {
  return new Uint32Array(WORDS)
}

/** Sets exactly the bits of the captures that a list contains. */
export function fillFromList(list: PostingList, base: number, out: WindowBits, ordinals: Uint32Array): void {
  out.fill(0)
  const end = base + WINDOW
  for (let block = list.blockOf(base); block < list.blocks; block++) {
    if (block > 0 && list.last(block - 1) >= end - 1) return
    const size = list.ordinals(block, ordinals)
    const whole = ordinals[0]! >= base && ordinals[size - 1]! < end
    for (let i = 0; i < size; i++) {
      const at = ordinals[i]! - base
      if (whole || (at >= 0 && at < WINDOW)) out[at >>> 5]! |= 1 << (at & 31)
    }
  }
}

/** Sets exactly the bits of the ordinals in `[from, to)`. */
export function fillRange(from: number, to: number, base: number, out: WindowBits): void {
  out.fill(0)
  const first = Math.max(0, from - base)
  const end = Math.min(WINDOW, to - base)
  if (first >= end) return
  const lastWord = (end - 1) >>> 5
  out.fill(0xffff_ffff, first >>> 5, lastWord + 1)
  out[first >>> 5]! &= 0xffff_ffff << (first & 31)
  if (end & 31) out[lastWord]! &= 0xffff_ffff >>> (32 - (end & 31))
}

/** Clears the bits that are not set in `other`. */
export function intersect(bits: WindowBits, other: WindowBits): void {
  for (let i = 0; i < WORDS; i++) bits[i]! &= other[i]!
}

export function isEmpty(bits: WindowBits): boolean {
  for (let i = 0; i < WORDS; i++) if (bits[i] !== 0) return false
  return true
}

/** Sets the bits that are set in `other`. */
export function unite(bits: WindowBits, other: WindowBits): void {
  for (let i = 0; i < WORDS; i++) bits[i]! |= other[i]!
}

export function complement(bits: WindowBits): void {
  for (let i = 0; i < WORDS; i++) bits[i] = ~bits[i]!
}

/** Writes the offsets of the set bits, ascending, to `out`. Returns their number. */
export function offsetsOf(bits: WindowBits, out: Uint16Array): number {
  let count = 0
  for (let i = 0; i < WORDS; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) out[count++] = i * 32 + (31 - Math.clz32(word & -word))
  return count
}
