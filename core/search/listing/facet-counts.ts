import { typedPrefix } from '../../fields/field-terms.ts'
import type { OpenedQuery } from '../../kernels/topk-query.ts'
import type { OrdinalBits } from '../../postings/ordinal-bits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { Facet, FacetCount } from '../collection/facet.ts'
import { fieldKindOf } from '../collection/value-order.ts'
import type { TermColumn, TermsOfCaptures } from '../fields/term-column.ts'
import { ValuesAsOf } from '../fields/values-as-of.ts'
import { type Buckets, bucketsOf } from './histogram.ts'

/** Number of words of bits, or of values, between two checks of the search time. */
const BETWEEN_CHECKS = 4096

/** Counts of the values, or of the buckets, of one column. */
interface ColumnCounts {
  column: TermColumn
  /** The buckets of the values. Undefined if each value is counted by itself. */
  buckets: Buckets | undefined
  /** The count of each value or bucket, by its number. */
  counts: Uint32Array
  /** The range `[from, to)` of the numbers of the values or buckets that are counted. */
  from: number
  to: number
}

/** Counts the matches of each value of a facet, in one segment after another. */
export class FacetCounter {
  readonly #facet: Facet
  readonly #columns: ColumnCounts[] = []

  constructor(facet: Facet) {
    this.#facet = facet
  }

  /** Adds the matches of one segment. */
  add({ segment, instant }: OpenedQuery, matches: OrdinalBits): void {
    const { acquired, revised } = new ValuesAsOf(segment, this.#facet.value, instant)
    const own = this.#open(acquired.column)
    if (!revised) {
      countBits(matches, own, acquired.termsOf)
      return
    }
    const others = matches.slice()
    const { bits, ordinals, rows } = revised
    for (let i = 0; i < others.length; i++) others[i]! &= ~bits[i]!
    countBits(others, own, acquired.termsOf)
    const ofRows = this.#open(revised.column)
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!
      if ((matches[ordinal >>> 5]! >>> (ordinal & 31)) & 1) countItem(rows[i]!, ofRows, revised.termsOf)
    }
  }

  #open(column: TermColumn): ColumnCounts {
    const { interval, value, prefix } = this.#facet
    const isTime = fieldKindOf(value).scale === 'time'
    const buckets = interval === undefined ? undefined : bucketsOf(column.values!, interval, isTime)
    const counts = new Uint32Array(buckets ? buckets.starts.length : column.count)
    const counted =
      prefix === undefined || !('field' in value)
        ? { from: 0, to: counts.length }
        : column.within({ prefix: typedPrefix(value.field, value.type) + prefix })
    const opened = { column, buckets, counts, ...counted }
    this.#columns.push(opened)
    return opened
  }

  /** The values with the highest counts, highest first; of equal counts the lower value first. @param most - maximum number of values. */
  highest(most: number): FacetCount[] {
    const found: FacetCount[] = []
    let read = 0
    for (const { count, column, number } of this.#merged()) {
      if (++read % BETWEEN_CHECKS === 0) checkSearchTime()
      if (found.length === most && count <= found[most - 1]!.count) continue
      const { column: terms, buckets } = column
      const values = buckets ? buckets.starts : terms.values
      const one = values ? { number: values[number]!, count } : { term: terms.term(number), count }
      let at = found.length
      while (at > 0 && found[at - 1]!.count < count) at--
      found.splice(at, 0, one)
      if (found.length > most) found.pop()
    }
    return found
  }

  /** All values with a count above 0, ascending, with the sum of their counts in all columns. */
  *#merged(): Generator<{ count: number; column: ColumnCounts; number: number }> {
    const places = this.#columns.map(column => ({ column, number: nextCounted(column, column.from - 1) }))
    for (;;) {
      let least: (typeof places)[number] | undefined
      for (const place of places) if (place.number >= 0 && (!least || compare(place, least) < 0)) least = place
      if (!least) return
      const { column, number } = least
      let count = 0
      for (const place of places) {
        if (place.number < 0 || compare(place, { column, number }) !== 0) continue
        count += place.column.counts[place.number]!
        place.number = nextCounted(place.column, place.number)
      }
      yield { count, column, number }
    }
  }
}

interface Place {
  column: ColumnCounts
  number: number
}

function compare(a: Place, b: Place): number {
  if (a.column === b.column) return a.number - b.number
  const valuesA = a.column.buckets ? a.column.buckets.starts : a.column.column.values
  const valuesB = b.column.buckets ? b.column.buckets.starts : b.column.column.values
  if (valuesA && valuesB) return valuesA[a.number]! - valuesB[b.number]!
  return a.column.column.compareTo(a.number, b.column.column, b.number)
}

/** The next number after `number` with a count above 0; −1 if there is none. */
function nextCounted({ counts, to }: ColumnCounts, number: number): number {
  for (let next = number + 1; next < to; next++) if (counts[next]! > 0) return next
  return -1
}

/** Counts the values of captures. A capture with several values in one bucket counts once in it. */
function countBits(bits: OrdinalBits, into: ColumnCounts, termsOf: TermsOfCaptures): void {
  const { counts, buckets } = into
  const { ends, numbers } = termsOf
  for (let i = 0; i < bits.length; i++) {
    if (i % BETWEEN_CHECKS === 0) checkSearchTime()
    for (let word = bits[i]!; word !== 0; word &= word - 1) {
      const ordinal = i * 32 + (31 - Math.clz32(word & -word))
      if (buckets) countItem(ordinal, into, termsOf)
      else for (let at = ordinal === 0 ? 0 : ends[ordinal - 1]!; at < ends[ordinal]!; at++) counts[numbers[at]!]!++
    }
  }
}

/** Counts the values of one capture, or one row of revisions. */
function countItem(item: number, { counts, buckets }: ColumnCounts, { ends, numbers }: TermsOfCaptures): void {
  let last = -1
  for (let at = item === 0 ? 0 : ends[item - 1]!; at < ends[item]!; at++) {
    const number = buckets ? buckets.bucketOf[numbers[at]!]! : numbers[at]!
    // The numbers of an item ascend, and so do their buckets.
    if (number !== last) counts[number]!++
    last = number
  }
}
