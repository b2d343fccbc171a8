/**
 * The order of terms: by UTF-16 units, as JavaScript compares strings. Here terms are UTF-8 bytes. The two orders
 * differ in one point: characters that begin with the byte EE or EF (U+E000 to U+FFFF) sort after those that begin with
 * F0 to F4 (surrogate pairs).
 */

/** Returns the rank of a byte in this order. A byte from EE on is always the first of a character. */
function rankOf(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte
}

/** Compares the terms `a[aStart, aEnd)` and `b[bStart, bEnd)`. Returns a negative number, 0 or a positive number. */
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
    if (difference !== 0) return rankOf(a[aStart + i]!) - rankOf(b[bStart + i]!)
  }
  return aEnd - aStart - (bEnd - bStart)
}

/** Number of bytes that {@link firstBytesOf} reads. */
export const PREFIX_BYTES = 6

/** Returns the first bytes of a term as a number. If the numbers of two terms differ, the terms sort by them. */
export function firstBytesOf(bytes: Uint8Array, start: number, end: number): number {
  let head = 0
  let tail = 0
  for (let i = 0; i < 3; i++) head = (head << 8) | (start + i < end ? rankOf(bytes[start + i]!) : 0)
  for (let i = 3; i < PREFIX_BYTES; i++) tail = (tail << 8) | (start + i < end ? rankOf(bytes[start + i]!) : 0)
  return head * 0x1000000 + tail
}

/** Terms that are stored one after another in one buffer. */
export interface TermBytes {
  /** Number of terms. */
  count: number
  bytes: Uint8Array
  /** For each term, the offset at which its bytes end. The bytes of the next term begin there. */
  ends: Uint32Array
}

/** A sort key has 64 bits: the first five bytes of a term in the upper 40 bits, the term's index in the lower 24. */
const NUMBER_BITS = 24
const NUMBER_MASK = 2 ** NUMBER_BITS - 1

/**
 * Returns the indexes of distinct terms, in ascending order of the terms.
 *
 * Integers are sorted without calling a function for each comparison. So the terms are first sorted by their first
 * bytes as integers. Only terms with equal first bytes are then compared.
 */
export function sortTerms({ count, bytes, ends }: TermBytes): Uint32Array<ArrayBuffer> {
  if (count > NUMBER_MASK) throw new RangeError(`cannot sort ${count} terms at a time: the limit is ${NUMBER_MASK}`)
  const keys = new BigUint64Array(count)
  const words = new Uint32Array(keys.buffer)
  for (let t = 0, start = 0; t < count; start = ends[t++]!) {
    const end = ends[t]!
    const prefix = firstBytesOf(bytes, start, end)
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
