import { partitionPoint } from '../../bytes/binary-search.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TermRange } from '../../fields/typed-filter.ts'
import { INLINE_POSTINGS } from '../../segment/dictionary/dictionary-format.ts'
import { readInlineOrdinals } from '../../segment/dictionary/inline-postings.ts'
import type { TermCursor } from '../../segment/dictionary/term-cursor.ts'
import type { Segment } from '../../segment/segment.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { OrdinalBits } from './ordinal-bits.ts'

/** Number of terms, or of postings, that are read between two checks of the search time. */
const BETWEEN_CHECKS = 4096

/** Terms from the number `from` on, up to the number `to`, which is excluded. */
interface TermNumbers {
  from: number
  to: number
}

/**
 * Terms in ascending order with their postings one behind the other: the postings of a range of terms are adjacent. So a
 * range costs two binary searches and one pass over its postings, without a look at the dictionary.
 */
export class TermColumn {
  /** Number of terms. */
  readonly count: number
  /** Offset behind each term in {@link #bytes}. */
  readonly #ends: Uint32Array
  readonly #bytes: Uint8Array
  /** Offset behind the postings of each term in {@link ordinals}. */
  readonly #postingEnds: Uint32Array
  /** The ordinals of the postings, by term. */
  readonly ordinals: Uint32Array

  /** @param sizes - the numbers of terms, of bytes of all terms, and of postings. */
  constructor(sizes: { terms: number; bytes: number; postings: number }) {
    this.count = sizes.terms
    this.#ends = new Uint32Array(sizes.terms)
    this.#bytes = new Uint8Array(sizes.bytes)
    this.#postingEnds = new Uint32Array(sizes.terms)
    this.ordinals = new Uint32Array(sizes.postings)
  }

  /** Reads the terms of a segment that begin with a prefix. */
  static ofSegment(segment: Segment, prefix: string): TermColumn {
    const sizes = { terms: 0, bytes: 0, postings: 0 }
    for (const { termBytes, count } of termsFrom(segment, prefix)) {
      sizes.terms++
      sizes.bytes += termBytes
      sizes.postings += count
    }
    const column = new TermColumn(sizes)
    const read = new OrdinalReader(segment)
    let number = 0
    for (const cursor of termsFrom(segment, prefix))
      column.fill(number++, cursor.term.subarray(0, cursor.termBytes), cursor.count, (out, at) =>
        read.into(cursor, out, at),
      )
    return column
  }

  /**
   * Sets a term and its postings. To be called for each number in ascending order.
   *
   * @param write - writes the ordinals of the postings to an array, from an offset on.
   */
  fill(number: number, term: Uint8Array, postings: number, write: (out: Uint32Array, at: number) => void): void {
    const start = number === 0 ? 0 : this.#ends[number - 1]!
    const at = number === 0 ? 0 : this.#postingEnds[number - 1]!
    this.#bytes.set(term, start)
    this.#ends[number] = start + term.length
    this.#postingEnds[number] = at + postings
    write(this.ordinals, at)
  }

  /** Memory that it takes, bytes. */
  get bytes(): number {
    return this.#bytes.length + 8 * this.count + 4 * this.ordinals.length
  }

  term(number: number): string {
    return Buffer.from(this.#bytes.subarray(this.#startOf(number), this.#ends[number])).toString()
  }

  /** The numbers of the terms in a range. */
  within({ prefix, from, to }: TermRange): TermNumbers {
    const begin = Buffer.from(prefix)
    const first = from && Buffer.from(from.term)
    const last = to && Buffer.from(to.term)
    const isBefore = (number: number): boolean => {
      if (!first) return this.#compare(number, begin) < 0
      const order = this.#compare(number, first)
      return from.isOpen ? order <= 0 : order < 0
    }
    const isWithin = (number: number): boolean => {
      // A term is behind all terms with the prefix if its beginning, of the same length, sorts behind the prefix.
      if (!last) return this.#compare(number, begin, begin.length) <= 0
      const order = this.#compare(number, last)
      return to.isOpen ? order < 0 : order <= 0
    }
    const begins = partitionPoint(this.count, isBefore)
    return { from: begins, to: Math.max(begins, partitionPoint(this.count, isWithin)) }
  }

  /** The range of {@link ordinals} that holds the postings of some terms. */
  postingsOf({ from, to }: TermNumbers): TermNumbers {
    const end = (number: number): number => (number === 0 ? 0 : this.#postingEnds[number - 1]!)
    return { from: end(from), to: end(to) }
  }

  /** Adds the postings of all terms in some ranges. A term that several ranges include is read once. */
  addRanges(ranges: readonly TermRange[], bits: OrdinalBits): void {
    const found = ranges.map(range => this.within(range)).sort((a, b) => a.from - b.from)
    let done = 0
    for (const { from, to } of found) {
      if (to <= done) continue
      this.#add(this.postingsOf({ from: Math.max(from, done), to }), bits)
      done = to
    }
  }

  #add({ from, to }: TermNumbers, bits: OrdinalBits): void {
    const { ordinals } = this
    for (let at = from; at < to; ) {
      checkSearchTime()
      for (const end = Math.min(to, at + BETWEEN_CHECKS); at < end; at++) {
        const ordinal = ordinals[at]!
        bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
      }
    }
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!
  }

  /** Compares a term, or its first `most` bytes, with another term. */
  #compare(number: number, other: Uint8Array, most = Number.POSITIVE_INFINITY): number {
    const start = this.#startOf(number)
    return compareTerms(this.#bytes, start, Math.min(this.#ends[number]!, start + most), other, 0, other.length)
  }
}

/** Reads the ordinals of terms of a segment. */
class OrdinalReader {
  readonly #segment: Segment
  readonly #block = new Uint32Array(BLOCK)

  constructor(segment: Segment) {
    this.#segment = segment
  }

  /** Writes the ordinals of the term at a cursor to an array, from an offset on. */
  into(cursor: TermCursor, out: Uint32Array, offset: number): void {
    if (cursor.count <= INLINE_POSTINGS) {
      readInlineOrdinals(cursor.count, cursor.chunk, cursor.inlineFrom, out, offset)
      return
    }
    const list = this.#segment.list(cursor.entry())
    for (let b = 0, at = offset; b < list.blocks; b++) {
      const size = list.ordinals(b, this.#block)
      out.set(this.#block.subarray(0, size), at)
      at += size
    }
  }
}

/**
 * Number of postings of the terms of a segment that begin with a prefix.
 *
 * @param counts - returns true for ordinals that count. Default: all count, and no posting is read.
 */
export function countPostings(segment: Segment, prefix: string, counts?: (ordinal: number) => boolean): number {
  const read = new OrdinalReader(segment)
  let ordinals = new Uint32Array(BLOCK)
  let total = 0
  for (const cursor of termsFrom(segment, prefix)) {
    const { count } = cursor
    if (!counts) {
      total += count
      continue
    }
    if (ordinals.length < count) ordinals = new Uint32Array(count)
    read.into(cursor, ordinals, 0)
    for (let i = 0; i < count; i++) if (counts(ordinals[i]!)) total++
  }
  return total
}

/** A cursor at each term of a segment that begins with a prefix. */
function* termsFrom({ dictionary }: Segment, prefix: string): Generator<TermCursor> {
  const wanted = Buffer.from(prefix)
  const cursor = dictionary.cursorFrom(prefix, () => false)
  for (let read = 1; cursor.next(); read++) {
    if (read % BETWEEN_CHECKS === 0) checkSearchTime()
    if (cursor.compare(wanted) < 0) continue
    if (compareTerms(cursor.term, 0, Math.min(cursor.termBytes, wanted.length), wanted, 0, wanted.length) !== 0) return
    yield cursor
  }
}
