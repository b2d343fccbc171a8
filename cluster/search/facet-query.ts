import {
  bucketsOf,
  type CalendarUnit,
  type Facet,
  type FacetCount,
  fieldKindOf,
  highestSums,
  numberOfSortable,
  sortableNumber,
  startOfUnit,
  typedPrefix,
} from '@asof/core/internal'
import { unsupported } from '../not-answered.ts'
import { PUBLISHED } from '../terms/revised-value.ts'
import type { Aggregated, CapturesSearch } from '../terms/term-index.ts'
import type { TermQuery } from '../terms/term-queries.ts'
import type { MatchClass, ValueSource } from './value-source.ts'

/** Maximum number of different values of a facet that each shard counts. */
export const MAX_COUNTED_VALUES = 20_000
/** Minimum number of values that are requested of each class of matches if there are several, so that mostly none is left out. */
const MIN_OF_CLASS = 5_000
/** Maximum number of periods, such as months, by which a date is counted. */
const MAX_PERIODS = 200_000
/** Maximum number of periods in the answer to one request. */
const PERIODS_AT_ONCE = 10_000
/** Maximum number of buckets in which one request counts captures. */
const BUCKETS_AT_ONCE = 500

interface FacetRequest {
  classes: readonly MatchClass[]
  search: CapturesSearch
  /** Number of values that are wanted, those with the highest counts. */
  most: number
  /** Further values that are counted, whatever their counts. */
  also: readonly FacetCount[]
}

type Bucket = Aggregated['buckets'][number]

/** How the values of a class of matches are counted. */
interface CountedValues {
  /** The field, or the script that gives the values. */
  counted: object
  keyOf: (value: FacetCount) => string | number
  read: (bucket: Bucket) => FacetCount
}

/**
 * Counts matches by a facet.
 *
 * @returns the `most` values with the highest counts (of equal counts the lower values), and those of `also` that some match has. It may have
 *   other values too.
 * @throws ASOF_UNSUPPORTED - the matches have too many values. @throws ASOF_UNCERTAIN
 */
export async function countFacet(facet: Facet, request: FacetRequest): Promise<FacetCount[]> {
  const { classes, search, most, also } = request
  const { value, interval } = facet
  const name = 'date' in value ? value.date : value.field
  if (interval !== undefined) {
    const ofClasses = await Promise.all(classes.map(one => histogramOf({ ...facet, interval }, one, search)))
    return highestSums(ofClasses.flat(), Number.POSITIVE_INFINITY)
  }
  const count = (size: number, also: readonly FacetCount[]) =>
    Promise.all(classes.map(one => countValues(name, valuesOf(facet, one.source), { ...one, search, size, also })))
  const highest = (await count(most, also)).filter(({ counts }) => counts.length > 0)
  const [only, ...others] = highest
  if (!only) return []
  if (others.length === 0) {
    if (!only.isExact) throw tooMany(name)
    return only.counts
  }
  // A value with one of the highest counts in one class may be rare in the other one.
  const all = await count(Math.max(most, MIN_OF_CLASS), also)
  const unseen = all.reduce((sum, { ofOthers }) => sum + ofOthers, 0)
  if (unseen === 0) return sumsOf(all)
  const sums = sumsOf(await count(1, sumsOf(all)))
  if ((sums[most - 1]?.count ?? 0) <= unseen) throw tooMany(name)
  return sums
}

function sumsOf(classes: readonly ValueCounts[]): FacetCount[] {
  return highestSums(
    classes.flatMap(({ counts }) => counts),
    Number.POSITIVE_INFINITY,
  )
}

function valuesOf({ value, prefix: beginning = '' }: Facet, source: ValueSource): CountedValues {
  const isOfField = 'date' in value && (value.date === 'acquiredAt' || source.isAcquired)
  if (isOfField)
    return {
      counted: { field: value.date },
      keyOf: ({ number }) => number!,
      read: ({ key, doc_count: count }) => ({ number: Number(key), count }),
    }
  const prefix = prefixOf(value) + beginning
  const isNumeric = fieldKindOf(value).scale !== undefined
  return {
    counted: source.counted(prefix),
    keyOf: ({ term, number }) => term ?? prefix + sortableNumber(number!),
    read: ({ key, doc_count: count }) =>
      isNumeric ? { number: numberOfSortable(String(key).slice(prefix.length)), count } : { term: String(key), count },
  }
}

/** Returns the prefix of the terms of all values of a facet. */
export function prefixOf(value: Facet['value']): string {
  return 'date' in value ? PUBLISHED : typedPrefix(value.field, value.type)
}

interface CountRequest extends MatchClass {
  search: CapturesSearch
  /** Number of values that are wanted, those with the highest counts. */
  size: number
  also: readonly FacetCount[]
}

interface ValueCounts {
  /** The values with the highest counts, and the further values that were requested. */
  counts: FacetCount[]
  /** True if it is certain that these are the values with the highest counts, and that the counts are complete. */
  isExact: boolean
  /** Upper bound of the count of any other value. 0 if there are no others. */
  ofOthers: number
}

/** Counts the matches of one class by value. @param name - of the facet, for errors. */
async function countValues(
  name: string,
  { counted, keyOf, read }: CountedValues,
  { matches: query, search, size, also }: CountRequest,
): Promise<ValueCounts> {
  if (also.length > MAX_COUNTED_VALUES) throw tooMany(name)
  const order = [{ _count: 'desc' }, { _key: 'asc' }]
  const highest = {
    terms: { ...counted, order, size, shard_size: MAX_COUNTED_VALUES, show_term_doc_count_error: true },
  }
  const others = { terms: { ...counted, include: also.map(keyOf), size: Math.max(1, also.length) } }
  const aggs = also.length > 0 ? { highest, others } : { highest }
  const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs }])
  const { buckets, doc_count_error_upper_bound: error = 0, sum_other_doc_count: left } = answer!.aggregations.highest!
  const last = buckets.at(-1)?.doc_count ?? 0
  const further = answer!.aggregations.others?.buckets ?? []
  const isFurther = new Set(further.map(({ key }) => key))
  return {
    counts: [...buckets.filter(({ key }) => !isFurther.has(key)), ...further].map(read),
    isExact: error === 0 || (last > error && buckets.every(isComplete)),
    ofOthers: left || error ? Math.max(last, error) : 0,
  }
}

const isComplete = ({ doc_count_error_upper_bound: error = 0 }: Bucket): boolean => error === 0

/** Counts captures in buckets. A capture with several values in a bucket counts once in it. */
function histogramOf(
  { value, interval }: Facet & { interval: number | CalendarUnit },
  { matches, source }: MatchClass,
  search: CapturesSearch,
): Promise<FacetCount[]> {
  if ('date' in value && (value.date === 'acquiredAt' || source.isAcquired))
    return countDates(value.date, interval as CalendarUnit, { matches, search })
  const isInstant = fieldKindOf(value).scale === 'time'
  const name = 'date' in value ? value.date : value.field
  return countBuckets(name, { prefix: prefixOf(value), interval, isInstant }, { matches, source, search })
}

/** Counts captures by the periods of a date. Each capture has at most one such date, so it is counted at most once. */
async function countDates(
  field: string,
  unit: CalendarUnit,
  { matches: query, search }: { matches: TermQuery; search: CapturesSearch },
): Promise<FacetCount[]> {
  const sources = [{ start: { date_histogram: { field, calendar_interval: unit } } }]
  const counts: FacetCount[] = []
  for (let after: Aggregated['after_key']; counts.length < MAX_PERIODS; ) {
    const aggs = { periods: { composite: { size: PERIODS_AT_ONCE, sources, after } } }
    const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs }])
    const { buckets = [], after_key } = answer!.aggregations.periods!
    for (const { key, doc_count: count } of buckets)
      if (typeof key === 'object') counts.push({ number: startOfUnit(key.start!, unit), count })
    if (buckets.length < PERIODS_AT_ONCE) return counts
    after = after_key
  }
  throw tooMany(field)
}

interface ValueHistogram {
  prefix: string
  interval: number | CalendarUnit
  isInstant: boolean
}

/** Counts captures in buckets of values. Reads all different values to decide the buckets. */
async function countBuckets(
  name: string,
  { prefix, interval, isInstant }: ValueHistogram,
  { matches: query, source, search }: MatchClass & { search: CapturesSearch },
): Promise<FacetCount[]> {
  const having = { filter: source.having([], [{ prefix }]) }
  const values = { terms: { ...source.counted(prefix), order: { _key: 'asc' }, size: MAX_COUNTED_VALUES } }
  const [answer] = await search([{ query, size: 0, track_total_hits: false, aggs: { values, having } }])
  const { buckets: found, sum_other_doc_count: left = 0 } = answer!.aggregations.values!
  if (left > 0 || found.length >= MAX_COUNTED_VALUES) throw tooMany(name)
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
      return source.having([], [{ prefix, from: { term: first, isOpen: false }, to: { term: last, isOpen: false } }])
    })
    const aggs = { shared: { filters: { filters } } }
    const [counted] = await search([{ query, size: 0, track_total_hits: false, aggs }])
    for (const [i, bucket] of some.entries())
      counts[bucket]!.count = counted!.aggregations.shared!.buckets[i]!.doc_count
  }
  return counts
}

export function tooMany(name: string): Error {
  return unsupported(
    'counts',
    `the matches have more than ${MAX_COUNTED_VALUES} different values of ${name}, too many to be sure which are first: narrow the query`,
  )
}
