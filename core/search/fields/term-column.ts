import { fieldKinds } from '@asof/extract/field-kinds'
import { lowerBound, partitionPoint } from '../../bytes/binary-search.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import { fieldOfTerm, numberOfSortable, sortableNumber } from '../../fields/field-terms.ts'
import type { TermRange } from '../../fields/typed-filter.ts'
import type { OrdinalBits } from '../../postings/ordinal-bits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { INLINE_POSTINGS } from '../../segment/dictionary/dictionary-format.ts'
import { readInlineOrdinals } from '../../segment/dictionary/inline-postings.ts'
import type { TermCursor } from '../../segment/dictionary/term-cursor.ts'
import type { Segment } from '../../segment/segment.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'

/** Number of terms, or of postings, that are read between two checks of the search time. */
const BETWEEN_CHECKS = 4096

/** A range `[from, to)` of numbers of terms, or of indexes of postings. */
interface TermNumbers {
  from: number
  to: number
}

/** For each capture its terms: those of capture `n` are `numbers[ends[n - 1]]` to `numbers[ends[n] - 1]`, ascending. */
export interface TermsOfCaptures {
  ends: Uint32Array
  numbers: Uint32Array
}

/**
 * The terms of a column. Terms of numbers and instants are stored as their common prefix and their values, other terms as their bytes, one after
 * the other.
 */
type StoredTerms = { bytes: Uint8Array; ends: Uint32Array } | { prefix: string; values: Float64Array }

const none = new Float64Array(0)

/** The sizes of a column: the numbers of terms, of bytes of all terms, and of postings. */
interface ColumnSizes {
  terms: number
  bytes: number
  postings: number
}

/**
 * Terms in ascending order, and their postings one after the other, so that the postings of a range of terms are adjacent. To read a range takes
 * two binary searches and one pass over its postings, and the dictionary is not needed. All postings together are the captures in the order of
 * their values.
 */
export class TermColumn {
  /** Number of terms. */
  readonly count: number
  readonly #terms: StoredTerms
  /** For each term the index in {@link ordinals} after its last posting. */
  readonly #postingEnds: Uint32Array
  /** The ordinals of the postings, by term; those of a term ascend. */
  readonly ordinals: Uint32Array
  #termsOf: TermsOfCaptures | undefined

  /**
   * @param prefix - the common prefix of all terms, if a number follows it in each (see `sortableNumber`). Default: the terms are stored as
   *   bytes.
   */
  constructor({ terms, bytes, postings }: ColumnSizes, prefix?: string) {
    this.count = terms
    this.#terms =
      prefix === undefined
        ? { bytes: new Uint8Array(bytes), ends: new Uint32Array(terms) }
        : { prefix, values: new Float64Array(terms) }
    this.#postingEnds = new Uint32Array(terms)
    this.ordinals = new Uint32Array(postings)
  }

  /** Reads the terms of a segment that begin with a prefix. */
  static ofSegment(segment: Segment, prefix: string): TermColumn {
    const sizes = { terms: 0, bytes: 0, postings: 0 }
    let typed: string | undefined
    let isTyped = true
    for (const { term, termBytes, count } of termsFrom(segment, prefix)) {
      if (sizes.terms === 0) typed = numbersPrefix(term.subarray(0, termBytes), prefix)
      isTyped &&= typed !== undefined && startsWith(term, typed)
      sizes.terms++
      sizes.bytes += termBytes
      sizes.postings += count
    }
    const column = new TermColumn(sizes, isTyped ? typed : undefined)
    const read = new OrdinalReader(segment)
    let number = 0
    for (const cursor of termsFrom(segment, prefix))
      column.fill(number++, cursor.term.subarray(0, cursor.termBytes), cursor.count, (out, at) =>
        read.into(cursor, out, at),
      )
    return column
  }

  /**
   * Makes a column of one number for each capture, by its ordinal; NaN for captures without a number. The terms have no prefix.
   */
  static ofNumbers(given: Float64Array): TermColumn {
    const sorted = given.filter(value => !Number.isNaN(value)).sort()
    const postings = sorted.length
    let count = 0
    for (let i = 0; i < postings; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i]!
    const column = new TermColumn({ terms: count, bytes: 0, postings }, '')
    const { values } = column.#terms as { values: Float64Array }
    values.set(sorted.subarray(0, count))
    const numberOf = new Uint32Array(given.length)
    const ends = column.#postingEnds
    let near = 0
    for (let ordinal = 0; ordinal < given.length; ordinal++) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      const value = given[ordinal]!
      if (Number.isNaN(value)) continue
      // Captures are in the order of time, so neighboring captures often have the same value or successive ones.
      if (values[near] !== value)
        near = near + 1 < count && values[near + 1] === value ? near + 1 : lowerBound(values, count, value)
      numberOf[ordinal] = near
      ends[near]!++
    }
    let end = 0
    const next = new Uint32Array(count)
    for (let number = 0; number < count; number++) {
      next[number] = end
      end += ends[number]!
      ends[number] = end
    }
    for (let ordinal = 0; ordinal < given.length; ordinal++)
      if (!Number.isNaN(given[ordinal]!)) column.ordinals[next[numberOf[ordinal]!]!++] = ordinal
    return column
  }

  /** Makes a column of the terms of this column that begin with a prefix. */
  part(prefix: string): TermColumn {
    const { from, to } = this.within({ prefix })
    const postings = this.postingsOf({ from, to })
    const typed = from < to ? numbersPrefix(this.#bytesOf(from), prefix) : undefined
    const isTyped = typed !== undefined && startsWith(this.#bytesOf(to - 1), typed)
    let bytes = 0
    for (let number = from; number < to; number++) bytes += this.#bytesOf(number).length
    const sizes = { terms: to - from, bytes, postings: postings.to - postings.from }
    const column = new TermColumn(sizes, isTyped ? typed : undefined)
    for (let number = from; number < to; number++) {
      const own = this.postingsOf({ from: number, to: number + 1 })
      const ordinals = this.ordinals.subarray(own.from, own.to)
      column.fill(number - from, this.#bytesOf(number), ordinals.length, (out, at) => out.set(ordinals, at))
    }
    return column
  }

  /**
   * Sets a term and its postings. To be called for each number in ascending order.
   *
   * @param write - writes the ordinals of the postings to an array, from an offset on.
   */
  fill(number: number, term: Uint8Array, postings: number, write: (out: Uint32Array, at: number) => void): void {
    const terms = this.#terms
    if ('values' in terms)
      terms.values[number] = numberOfSortable(Buffer.from(term.subarray(terms.prefix.length)).toString('latin1'))
    else {
      const start = number === 0 ? 0 : terms.ends[number - 1]!
      terms.bytes.set(term, start)
      terms.ends[number] = start + term.length
    }
    const at = number === 0 ? 0 : this.#postingEnds[number - 1]!
    this.#postingEnds[number] = at + postings
    write(this.ordinals, at)
  }

  /** Memory that the column takes, bytes. */
  get bytes(): number {
    const terms = this.#terms
    const ofTerms = 'values' in terms ? terms.values.byteLength : terms.bytes.length + terms.ends.byteLength
    const { ends, numbers } = this.#termsOf ?? { ends: [], numbers: [] }
    return ofTerms + 4 * (this.count + this.ordinals.length + ends.length + numbers.length)
  }

  term(number: number): string {
    return Buffer.from(this.#bytesOf(number)).toString()
  }

  /** The values of the terms, ascending; undefined if they are not numbers or instants. */
  get values(): Float64Array | undefined {
    if (this.count === 0) return none
    return 'values' in this.#terms ? this.#terms.values : undefined
  }

  /**
   * The terms of each capture. Computed once.
   *
   * @param captures - number of captures; all ordinals are below it.
   */
  termsOfCaptures(captures: number): TermsOfCaptures {
    if (this.#termsOf) return this.#termsOf
    const { ordinals } = this
    const ends = new Uint32Array(captures)
    for (let at = 0; at < ordinals.length; at++) ends[ordinals[at]!]!++
    checkSearchTime()
    let begin = 0
    for (let ordinal = 0; ordinal < captures; ordinal++) {
      const own = ends[ordinal]!
      ends[ordinal] = begin
      begin += own
    }
    // For each capture, `ends` has the beginning of its terms until they are written, and then their end.
    const numbers = new Uint32Array(ordinals.length)
    for (let number = 0, at = 0; number < this.count; number++) {
      if (number % BETWEEN_CHECKS === 0) checkSearchTime()
      for (const end = this.#postingEnds[number]!; at < end; at++) numbers[ends[ordinals[at]!]!++] = number
    }
    this.#termsOf = { ends, numbers }
    return this.#termsOf
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
      // A term sorts after all terms with the prefix if its first bytes, as many as the prefix has, sort after the prefix.
      if (!last) return this.#compare(number, begin, begin.length) <= 0
      const order = this.#compare(number, last)
      return to.isOpen ? order < 0 : order <= 0
    }
    const begins = partitionPoint(this.count, isBefore)
    return { from: begins, to: Math.max(begins, partitionPoint(this.count, isWithin)) }
  }

  /** Returns the indexes in {@link ordinals} of the postings of a range of terms. */
  postingsOf({ from, to }: TermNumbers): TermNumbers {
    const end = (number: number): number => (number === 0 ? 0 : this.#postingEnds[number - 1]!)
    return { from: end(from), to: end(to) }
  }

  /** Adds to a set the captures with a term in at least one of several ranges. A term that several ranges include is read once. */
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

  /** Compares a term with a term of another column. */
  compareTo(number: number, other: TermColumn, otherNumber: number): number {
    const term = other.#bytesOf(otherNumber)
    return this.#compare(number, term)
  }

  #bytesOf(number: number): Uint8Array {
    const terms = this.#terms
    if ('values' in terms) return Buffer.from(terms.prefix + sortableNumber(terms.values[number]!))
    return terms.bytes.subarray(number === 0 ? 0 : terms.ends[number - 1]!, terms.ends[number])
  }

  /** Compares a term, or its first `most` bytes, with another term. */
  #compare(number: number, other: Uint8Array, most = Number.POSITIVE_INFINITY): number {
    const term = this.#bytesOf(number)
    return compareTerms(term, 0, Math.min(term.length, most), other, 0, other.length)
  }
}

/** Returns the beginning of a term through the letter of its type, if a number follows (see `sortableNumber`). Undefined for any other term. */
function numbersPrefix(term: Uint8Array, prefix: string): string | undefined {
  const typed = Buffer.from(term.subarray(0, Buffer.byteLength(prefix) + 1)).toString()
  const field = fieldOfTerm(typed)
  return field && fieldKinds[field.type].scale !== undefined ? typed : undefined
}

function startsWith(term: Uint8Array, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) if (term[i] !== prefix.charCodeAt(i)) return false
  return true
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

/** Yields the same cursor at each term of a segment that begins with a prefix. */
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
