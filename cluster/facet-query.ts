import {
  bucketsOf,
  type CalendarUnit,
  type Facet,
  type FacetCount,
  numberOfSortable,
  sortableNumber,
  startOfUnit,
  typedPrefix,
} from '@asof/core/internal'
import { hasValueIn } from './exact-query.ts'
import { unsupported } from './not-answered.ts'
import type { Aggregated, CapturesSearch, TermQuery } from './term-index.ts'

/** Most different values of a facet that each shard counts. */
export const MOST_VALUES = 20_000
/** Most periods of a date that are counted, and that one request counts. */
const MOST_PERIODS = 200_000
const PERIODS_AT_ONCE = 10_000
/** Number of buckets that one request counts captures in. */
const BUCKETS_AT_ONCE = 500

interface FacetRequest {
  matches: TermQuery
  search: CapturesSearch
  /** Maximum number of values. */
  most: number
  /** Further values to be counted. */
  also: readonly FacetCount[]
}

/**
 * Counts matches by a facet.
 *
 * @returns the values with the highest counts, of equal counts the lower values, and the further values, if any match has them. Of a histogram
 *   all buckets.
 * @throws ASOF_UNSUPPORTED - the matches have too many values. @throws ASOF_UNCERTAIN
 */
export async function countFacet(facet: Facet, request: FacetRequest): Promise<FacetCount[]> {
  const { value, interval } = facet
  if ('date' in value)
    return interval === undefined
      ? countValues(value.date, request, value.date, ({ number }) => number!, readNumber)
      : countDates(value.date, interval as CalendarUnit, request)
  const { field, type } = value
  const prefix = typedPrefix(field, type)
  const isNumeric = type === 'number' || type === 'instant'
  if (interval !== undefined) return countBuckets(field, { prefix, interval, isInstant: type === 'instant' }, request)
  const read = isNumeric ? readSortable(prefix) : readTerm
  const termOf = ({ term, number }: FacetCount): string => term ?? prefix + sortableNumber(number!)
  return countValues(field, request, 'values', termOf, read, beginning(prefix))
}

type Bucket = Aggregated['buckets'][number]
type ReadBucket = (bucket: Bucket) => FacetCount

const readNumber: ReadBucket = ({ key, doc_count: count }) => ({ number: Number(key), count })
const readTerm: ReadBucket = ({ key, doc_count: count }) => ({ term: String(key), count })
const readSortable =
  (prefix: string): ReadBucket =>
  ({ key, doc_count: count }) => ({ number: numberOfSortable(String(key).slice(prefix.length)), count })

/** @param name - of the facet, for errors. @param include - a regular expression that the values match. */
async function countValues(
  name: string,
  { matches: query, search, most, also }: FacetRequest,
  field: string,
  keyOf: (value: FacetCount) => string | number,
  read: ReadBucket,
  include?: string,
): Promise<FacetCount[]> {
  if (also.length > MOST_VALUES) throw tooMany(name)
  const order = [{ _count: 'desc' }, { _key: 'asc' }]
  const highest = {
    terms: { field, include, order, size: most, shard_size: MOST_VALUES, show_term_doc_count_error: true },
  }
  const others = { terms: { field, include: also.map(keyOf), size: Math.max(1, also.length) } }
  const aggs = { highest, ...(also.length > 0 && { others }) }
  const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs }])
  const { buckets, doc_count_error_upper_bound: error = 0 } = answer!.aggregations.highest!
  // A shard may have left out values. None of them may be among the highest, and none of these may be counted too low.
  const isExact = error === 0 || (buckets.at(-1)!.doc_count > error && buckets.every(isComplete))
  if (!isExact) throw tooMany(name)
  const known = new Set(buckets.map(({ key }) => key))
  const further = (answer!.aggregations.others?.buckets ?? []).filter(({ key }) => !known.has(key))
  return [...buckets, ...further].map(read)
}

const isComplete = ({ doc_count_error_upper_bound: error = 0 }: Bucket): boolean => error === 0

/** Counts captures by the periods of a date, which each has at most once. */
async function countDates(
  field: string,
  unit: CalendarUnit,
  { matches: query, search }: FacetRequest,
): Promise<FacetCount[]> {
  const sources = [{ start: { date_histogram: { field, calendar_interval: unit } } }]
  const counts: FacetCount[] = []
  for (let after: Aggregated['after_key']; counts.length < MOST_PERIODS; ) {
    const aggs = { periods: { composite: { size: PERIODS_AT_ONCE, sources, ...(after && { after }) } } }
    const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs }])
    const { buckets = [], after_key } = answer!.aggregations.periods!
    for (const { key, doc_count: count } of buckets)
      if (typeof key === 'object') counts.push({ number: startOfUnit(key.start!, unit), count })
    if (buckets.length < PERIODS_AT_ONCE) return counts
    after = after_key
  }
  throw tooMany(field)
}

interface FieldHistogram {
  prefix: string
  interval: number | CalendarUnit
  isInstant: boolean
}

/** Counts captures in buckets of the values of a field. A capture with several values in a bucket counts once in it. */
async function countBuckets(
  name: string,
  { prefix, interval, isInstant }: FieldHistogram,
  { matches: query, search }: FacetRequest,
): Promise<FacetCount[]> {
  const having = { filter: hasValueIn({ prefix }) }
  const values = {
    terms: { field: 'values', include: beginning(prefix), order: { _key: 'asc' }, size: MOST_VALUES },
  }
  const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs: { values, having } }])
  const { buckets: found, sum_other_doc_count: left = 0 } = answer!.aggregations.values!
  if (left > 0 || found.length >= MOST_VALUES) throw tooMany(name)
  const terms = found.map(({ key }) => String(key))
  const numbers = Float64Array.from(terms, term => numberOfSortable(term.slice(prefix.length)))
  const { starts, bucketOf } = bucketsOf(numbers, interval, isInstant)
  const counts: FacetCount[] = Array.from(starts, number => ({ number, count: 0 }))
  const ends: { first: string; last: string; values: number }[] = []
  for (const [v, { doc_count: count }] of found.entries()) {
    const bucket = bucketOf[v]!
    counts[bucket]!.count += count
    const { first, values } = ends[bucket] ?? { first: terms[v]!, values: 0 }
    ends[bucket] = { first, last: terms[v]!, values: values + 1 }
  }
  const sum = counts.reduce((all, { count }) => all + count, 0)
  if (sum === answer!.aggregations.having!.doc_count) return counts
  const shared = [...ends.keys()].filter(bucket => ends[bucket]!.values > 1)
  for (let from = 0; from < shared.length; from += BUCKETS_AT_ONCE) {
    const some = shared.slice(from, from + BUCKETS_AT_ONCE)
    const filters = some.map(bucket => {
      const { first, last } = ends[bucket]!
      return hasValueIn({ prefix, from: { term: first, isOpen: false }, to: { term: last, isOpen: false } })
    })
    const aggs = { shared: { filters: { filters } } }
    const [counted] = await search([{ query, size: 0, track_total_hits: false, aggs }])
    for (const [i, bucket] of some.entries())
      counts[bucket]!.count = counted!.aggregations.shared!.buckets[i]!.doc_count
  }
  return counts
}

/** A regular expression of Lucene for the terms that begin with the prefix of a type. */
export function beginning(prefix: string): string {
  return `${prefix.replaceAll('.', '\\.')}.*`
}

export function tooMany(field: string): Error {
  return unsupported(
    'counts',
    `the matches have more than ${MOST_VALUES} different values of ${field}, too many to be sure which are first: narrow the query`,
  )
}
