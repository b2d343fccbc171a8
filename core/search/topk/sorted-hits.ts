import { lowerBound, partitionPoint, upperBound } from '../../bytes/binary-search.ts'
import type { Hit, UrlOf } from '../../kernels/top-hits.ts'
import type { OpenedQuery } from '../../kernels/topk-query.ts'
import { hasBit, type OrdinalBits } from '../../postings/ordinal-bits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { Segment } from '../../segment/segment.ts'
import type { OrderKey, Position, ValueOrder } from '../collection/value-order.ts'
import { type AcquiredValues, ValuesAsOf } from '../fields/values-as-of.ts'
import { countBits, type Matches } from './match-bits.ts'

/** Number of captures that are visited between two checks of the search time. */
const BETWEEN_CHECKS = 4096

/** The further values of every match in an order by one key. One array for all matches, because there may be a million of them. */
const none: readonly number[] = []

/** A capture with its values in an order. A value is NaN if the capture has none. */
export interface Placed extends Hit {
  value: number
  /** The values of the keys after the first one. Empty if the order has only one key. */
  further: readonly number[]
}

/** Finds the first k matches in an order. Their scores are 0. @param k - at least 1. */
export function sortedHits(matches: Matches, order: ValueOrder, k: number, urlOf: UrlOf): Placed[] {
  const first = new FirstPlaced(order, k, urlOf)
  matches.views.forEach((view, v) => {
    const bits = matches.bitsOf(v)
    const count = countBits(bits)
    if (count > 0) new SegmentOrder(view, bits, count, order, first).visit()
  })
  return first.placed
}

/** Returns the position of a hit in an order by value, in the form that cursors contain. */
export function orderPositionOf({ segment, ordinal, value, further }: Placed, urlOf: UrlOf): Position {
  const { acquiredAt, captureIds } = segment.columns
  const orNull = (one: number): number | null => (Number.isNaN(one) ? null : one)
  return {
    value: orNull(value),
    further: further.length > 0 ? further.map(orNull) : undefined,
    acquiredAt: acquiredAt[ordinal]!,
    url: urlOf(captureIds[ordinal]!),
  }
}

/** The first captures found so far, in their order. */
class FirstPlaced {
  readonly placed: Placed[] = []
  readonly limit: number
  readonly #order: ValueOrder
  readonly #urlOf: UrlOf

  constructor(order: ValueOrder, limit: number, urlOf: UrlOf) {
    this.limit = limit
    this.#order = order
    this.#urlOf = urlOf
  }

  /** True if the list is full, and every capture with this value would come after all captures in it. */
  excludes(value: number): boolean {
    const { placed } = this
    return placed.length === this.limit && this.#compareValues(value, placed[placed.length - 1]!.value) > 0
  }

  /** Enters a capture if it is among the first. Returns false if it comes after all of them, and there is no room. */
  offer(one: Placed): boolean {
    const { placed, limit } = this
    if (placed.length === limit && this.#compare(one, placed[limit - 1]!) > 0) return false
    if (!this.#isAfter(one)) return true
    const at = partitionPoint(placed.length, index => this.#compare(placed[index]!, one) < 0)
    if (at === placed.length) placed.push(one)
    else placed.splice(at, 0, one)
    if (placed.length > limit) placed.pop()
    return true
  }

  #compareValues(a: number, b: number): number {
    return compareIn(this.#order, a, b)
  }

  #compareFurther(a: readonly number[], b: readonly (number | null)[]): number {
    for (const [i, key] of (this.#order.further ?? []).entries()) {
      const byValue = compareIn(key, a[i]!, b[i] ?? Number.NaN)
      if (byValue !== 0) return byValue
    }
    return 0
  }

  #compare(a: Placed, b: Placed): number {
    const byValue = this.#compareValues(a.value, b.value) || this.#compareFurther(a.further, b.further)
    if (byValue !== 0) return byValue
    if (a.segment === b.segment) return b.ordinal - a.ordinal
    const acquiredA = a.segment.columns.acquiredAt[a.ordinal]!
    const acquiredB = b.segment.columns.acquiredAt[b.ordinal]!
    return acquiredA !== acquiredB ? acquiredB - acquiredA : compareUrls(this.#url(a), this.#url(b))
  }

  #isAfter(one: Placed): boolean {
    const { after } = this.#order
    if (!after) return true
    const byValue =
      this.#compareValues(one.value, after.value ?? Number.NaN) ||
      this.#compareFurther(one.further, after.further ?? [])
    if (byValue !== 0) return byValue > 0
    const at = one.segment.columns.acquiredAt[one.ordinal]!
    return at !== after.acquiredAt ? at < after.acquiredAt : compareUrls(this.#url(one), after.url) > 0
  }

  #url({ segment, ordinal }: Placed): string {
    return this.#urlOf(segment.columns.captureIds[ordinal]!)
  }
}

/** Compares two values by a key. NaN, which means no value, comes last. */
function compareIn({ isDescending }: OrderKey, a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  if (a === b) return 0
  return a < b === isDescending ? 1 : -1
}

function compareUrls(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The items of a column: captures, or rows of revisions. */
interface Items {
  /** The capture of an item. */
  ordinalOf: (item: number) => number
  /** True if the item has the values of its capture as of the instant. */
  counts: (item: number) => boolean
}

/** The captures of one segment in an order. */
class SegmentOrder {
  readonly #segment: Segment
  readonly #matches: OrdinalBits
  readonly #count: number
  readonly #values: ValuesAsOf
  readonly #further: readonly { values: ValuesAsOf; isDescending: boolean }[]
  readonly #order: ValueOrder
  readonly #first: FirstPlaced
  /** Captures from this ordinal on come before the position at which the order begins, if their value is that of the position. */
  readonly #end: number
  #visited = 0

  constructor(view: OpenedQuery, matches: OrdinalBits, count: number, order: ValueOrder, first: FirstPlaced) {
    const { segment, instant } = view
    const { after } = order
    this.#segment = segment
    this.#matches = matches
    this.#count = count
    this.#values = new ValuesAsOf(segment, order.name, instant)
    const further = order.further ?? []
    this.#further = further.map(key => ({
      values: new ValuesAsOf(segment, key.name, instant),
      isDescending: key.isDescending,
    }))
    this.#order = order
    this.#first = first
    // With further keys, a newer capture may come after the position.
    this.#end = after && further.length === 0 ? segment.ordinalEndAt(after.acquiredAt) : segment.captures
  }

  /** Offers the matches of the segment. Goes through them in the order of their values if that is likely to end early, otherwise one by one. */
  visit(): void {
    const { acquired, revised } = this.#values
    const postings = acquired.column.ordinals.length + (revised ? revised.column.ordinals.length : 0)
    // In the order of values, one in (postings / matches) is a match. Few matches are faster to look up one by one.
    if (this.#count * this.#count < this.#first.limit * postings) {
      this.#visitMatches()
      return
    }
    if (this.#order.after?.value !== null) {
      const isRevised = (ordinal: number): boolean => revised !== undefined && hasBit(revised.bits, ordinal)
      this.#visitColumn(acquired, { ordinalOf: ordinal => ordinal, counts: ordinal => !isRevised(ordinal) })
      if (revised)
        this.#visitColumn(revised, {
          ordinalOf: row => revised.ordinalOfRow[row]!,
          counts: row => hasBit(revised.valid, row),
        })
    }
    if (!this.#first.excludes(Number.NaN)) this.#visitMissing()
  }

  #visitMatches(): void {
    const { isDescending } = this.#order
    for (const ordinal of this.#newestFirst()) this.#offer(ordinal, this.#values.extreme(ordinal, isDescending))
  }

  /** Offers a match. Returns false if no older match of the segment with the same value can be among the first. */
  #offer(ordinal: number, value: number): boolean {
    const hasFurther = this.#further.length > 0
    const further = hasFurther
      ? this.#further.map(({ values, isDescending }) => values.extreme(ordinal, isDescending))
      : none
    return this.#first.offer({ segment: this.#segment, ordinal, value, further, score: 0 }) || hasFurther
  }

  /** Offers the matches of a column in the order of their values until no other can be among the first. */
  #visitColumn({ column, termsOf: { ends, numbers } }: AcquiredValues, { ordinalOf, counts }: Items): void {
    const { isDescending } = this.#order
    const values = column.values!
    const step = isDescending ? -1 : 1
    for (let number = this.#firstNumber(values); number >= 0 && number < column.count; number += step) {
      const value = values[number]!
      if (this.#first.excludes(value)) return
      const { from, to } = column.postingsOf({ from: number, to: number + 1 })
      // Items are in the order of captures, so those of one value that come after the position are the first ones.
      const isTied = value === this.#order.after?.value
      const end = isTied
        ? from + partitionPoint(to - from, index => ordinalOf(column.ordinals[from + index]!) < this.#end)
        : to
      for (let at = end - 1; at >= from; at--) {
        this.#check()
        const item = column.ordinals[at]!
        const ordinal = ordinalOf(item)
        if (!hasBit(this.#matches, ordinal) || !counts(item)) continue
        // Of several values, only the first in this order counts.
        const own = isDescending ? numbers[ends[item]! - 1] : numbers[item === 0 ? 0 : ends[item - 1]!]
        if (own === number && !this.#offer(ordinal, value)) return
      }
    }
  }

  /** The number of the first value in the order that may come after the position at which the order begins. */
  #firstNumber(values: Float64Array): number {
    const { isDescending, after } = this.#order
    if (!after || after.value === null) return isDescending ? values.length - 1 : 0
    return isDescending
      ? upperBound(values, values.length, after.value) - 1
      : lowerBound(values, values.length, after.value)
  }

  /** Offers the matches without a value, the newest first. */
  #visitMissing(): void {
    const end = this.#order.after?.value === null ? this.#end : this.#segment.captures
    for (const ordinal of this.#newestFirst()) {
      if (ordinal >= end || !Number.isNaN(this.#values.extreme(ordinal, false))) continue
      if (!this.#offer(ordinal, Number.NaN)) return
    }
  }

  *#newestFirst(): Generator<number> {
    const matches = this.#matches
    for (let i = matches.length - 1; i >= 0; i--)
      for (let word = matches[i]!; word !== 0; ) {
        const at = 31 - Math.clz32(word)
        word &= ~(1 << at)
        this.#check()
        yield i * 32 + at
      }
  }

  #check(): void {
    if (++this.#visited % BETWEEN_CHECKS === 0) checkSearchTime()
  }
}
