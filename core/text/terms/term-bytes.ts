/**
 * Terms as UTF-8 bytes, in the order of their UTF-16 units: the order of JavaScript strings, so that bytes and strings
 * can be compared with the same outcome. The two orders of units differ in one place alone: what UTF-8 begins with EE or
 * EF (U+E000 to U+FFFF) goes behind what it begins with F0 to F4 (surrogate pairs).
 */

/** A byte's place in the order; a byte from EE on is always the first of a character. */
function placeOf(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte
}

/** Negative, 0 or positive, as the term `a[aStart, aEnd)` goes before, is or goes behind `b[bStart, bEnd)`. */
export function compareTerms(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart)
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!
    if (difference !== 0) return placeOf(a[aStart + i]!) - placeOf(b[bStart + i]!)
  }
  return aEnd - aStart - (bEnd - bStart)
}

/** Bytes that {@link prefixOf} takes. */
export const PREFIX_BYTES = 6

/** The first bytes of a term as a number: terms whose prefixes differ stand in the order of these. */
export function prefixOf(bytes: Uint8Array, start: number, end: number): number {
  let head = 0
  let tail = 0
  for (let i = 0; i < 3; i++) head = (head << 8) | (start + i < end ? placeOf(bytes[start + i]!) : 0)
  for (let i = 3; i < PREFIX_BYTES; i++) tail = (tail << 8) | (start + i < end ? placeOf(bytes[start + i]!) : 0)
  return head * 0x1000000 + tail
}

/** Terms one after another in one buffer. */
export interface TermBytes {
  count: number
  bytes: Uint8Array
  /** Per term where it ends; it begins where the one before ends. */
  ends: Uint32Array
}

/** Low word of a sort key: the number of a term. High word and the top byte of the low one: its first five bytes. */
const NUMBER_BITS = 24
const NUMBER_MASK = 2 ** NUMBER_BITS - 1

/**
 * The numbers of distinct terms in ascending order.
 *
 * Integers sort without a call per comparison, so terms are sorted by their first bytes, and only those that share
 * them by the rest.
 */
export function sortedTerms({ count, bytes, ends }: TermBytes): Uint32Array<ArrayBuffer> {
  if (count > NUMBER_MASK) throw new RangeError(`${count} terms are more than can be sorted at a time`)
  const keys = new BigUint64Array(count)
  const words = new Uint32Array(keys.buffer)
  for (let t = 0, start = 0; t < count; start = ends[t++]!) {
    const end = ends[t]!
    const prefix = prefixOf(bytes, start, end)
    const tail = prefix % 0x1000000
    words[2 * t + 1] = Math.floor(prefix / 0x1000000) * 256 + (tail >>> 16)
    words[2 * t] = ((tail >>> 8) % 256) * 2 ** NUMBER_BITS + t
  }
  keys.sort()
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = words[2 * i]! & NUMBER_MASK
  const startOf = (term: number): number => (term === 0 ? 0 : ends[term - 1]!)
  const compare = (a: number, b: number): number =>
    compareTerms(bytes, startOf(a), ends[a]!, bytes, startOf(b), ends[b]!)
  for (let from = 0; from < count; ) {
    let to = from + 1
    while (to < count && sharesPrefix(words, from, to)) to++
    if (to - from > 1) order.subarray(from, to).sort(compare)
    from = to
  }
  return order
}

function sharesPrefix(words: Uint32Array, a: number, b: number): boolean {
  return words[2 * a + 1] === words[2 * b + 1] && words[2 * a]! >>> NUMBER_BITS === words[2 * b]! >>> NUMBER_BITS
}
