import type { CalendarUnit } from '../../dates/calendar-units.ts'
import type { ValueName } from './value-order.ts'

/** A facet whose field has a type as of the instant. */
export interface Facet {
  value: ValueName
  /** The length of a bucket: a number, or a unit of the calendar. Undefined if each value is counted by itself. */
  interval?: number | CalendarUnit | undefined
  /** The beginning of the keywords that are counted. Undefined if all are counted. */
  prefix?: string | undefined
}

/** A value or a bucket of a facet, and the number of matches that have it. */
export interface FacetCount {
  /** The counted number or instant (epoch ms); for a bucket, where it starts. Undefined for a keyword or boolean. */
  number?: number
  /** The term of a keyword or boolean. */
  term?: string
  count: number
}

/** Adds up counts of the same values. Returns the values with the highest sums, highest first; of equal sums the lower value first. */
export function highestSums(counts: readonly FacetCount[], most: number): FacetCount[] {
  const sums = new Map<number | string, FacetCount>()
  for (const one of counts) {
    const value = (one.number ?? one.term)!
    sums.set(value, { ...one, count: one.count + (sums.get(value)?.count ?? 0) })
  }
  const byCount = (a: FacetCount, b: FacetCount): number =>
    b.count - a.count ||
    (a.number === undefined ? Buffer.compare(Buffer.from(a.term!), Buffer.from(b.term!)) : a.number - b.number!)
  return [...sums.values()].sort(byCount).slice(0, most)
}
