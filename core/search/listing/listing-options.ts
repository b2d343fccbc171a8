import { invalidOption, shown } from '@asof/extract/errors'
import { isFieldName, MAX_KEYWORD_UNITS } from '@asof/extract/page'
import type { CalendarUnit } from '../../dates/calendar-units.ts'
import type { SearchOptions } from '../search-answer.ts'
import { type CursorState, invalidCursor, otherRequest, readCursor } from './cursor.ts'

/** Maximum number of matches that `offset` skips. */
export const MAX_OFFSET = 10_000
/** Maximum number of keys of an order. */
const MAX_SORT_KEYS = 4
/** Maximum number of facets of a request. */
export const MAX_FACETS = 32
export const FACET_VALUES = { least: 1, most: 1_000, default: 100 } as const

/** The lengths of the buckets of a date histogram, UTC. */
export const bucketUnits = ['hour', 'day', 'week', 'month', 'year'] as const satisfies readonly CalendarUnit[]
export type BucketUnit = (typeof bucketUnits)[number]

/** A requested facet. Without an interval and a prefix, each value is counted. */
export interface ParsedFacet {
  /** As the caller wrote it, for errors. */
  text: string
  name: string
  /** The length of a bucket of a histogram. */
  interval?: number | BucketUnit
  /** The beginning of the keywords that are counted. Default: all are counted. */
  prefix?: string
}

interface SortKey {
  name: string
  isDescending: boolean
}

export interface ParsedSort extends SortKey {
  /** The keys after the first one. They order matches that have equal values in the first. Undefined if there is only one key. */
  further?: readonly SortKey[]
}

/** The matches of one page of results: those from number `offset` on, up to `end`, which is excluded. The cursor `next` continues at `end`. */
export interface Paging {
  offset: number
  end: number
  /** Set if the request continues an answer. */
  continues?: CursorState | undefined
}

/** How a request lists matches, beyond the best of them. Plain data, so that it can be sent to a search thread. */
export interface ParsedListing {
  facets: readonly ParsedFacet[]
  maxFacetValues: number
  /** Undefined for the order of the scores. */
  sort?: ParsedSort | undefined
  paging: Paging
  /** Identifies the request in cursors. */
  digest: string
}

const listingOptions = ['facets', 'maxFacetValues', 'sort', 'offset', 'cursor'] as const

/**
 * Parses the options by which a request lists its matches. Undefined if the request has words and none of these options.
 *
 * @param browses - true if the request has no words: then all pages match, the newest first.
 * @throws ASOF_INVALID_OPTION
 */
export function parseListing(
  options: SearchOptions,
  { maxResults, browses }: { maxResults: number; browses: boolean },
): ParsedListing | undefined {
  if (!browses && listingOptions.every(name => options[name] === undefined)) return undefined
  const { facets = [], maxFacetValues = FACET_VALUES.default, offset, cursor } = options
  if (!isWithin(maxFacetValues, FACET_VALUES.least, FACET_VALUES.most))
    throw invalidOption('maxFacetValues', `must be a whole number from ${FACET_VALUES.least} to ${FACET_VALUES.most}`)
  if (offset !== undefined && !isWithin(offset, 0, MAX_OFFSET))
    throw invalidOption('offset', `must be a whole number from 0 to ${MAX_OFFSET}; a cursor leads further`)
  // Clients that fill in defaults send 0, which asks for nothing.
  if (offset && cursor !== undefined)
    throw invalidOption('offset', 'must not be given together with cursor, which continues where its page ended')
  const given = options.sort === undefined ? undefined : parseSort(options.sort)
  const sort = given ?? (browses ? { name: 'acquiredAt', isDescending: true } : undefined)
  const continues = cursor === undefined ? undefined : continuedBy(cursor, sort !== undefined)
  const from = continues?.offset ?? offset ?? 0
  return {
    facets: parseFacets(facets),
    maxFacetValues,
    sort,
    paging: { offset: from, end: from + maxResults, continues },
    digest: '',
  }
}

/**
 * Reads the cursor of a request. In an order by value, the cursor names the capture after which the page begins. In the order of scores, all
 * matches before the page are found again. So their number is limited, also if a caller has changed the cursor.
 */
function continuedBy(cursor: string, isByValue: boolean): CursorState {
  const state = readCursor(cursor)
  if (isByValue !== (state.after !== undefined)) throw otherRequest()
  if (!isByValue && state.offset > MAX_OFFSET) throw invalidCursor()
  return state
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

const sortForms =
  "expected 'score', or the name of a field, publishedAt or acquiredAt, with ':asc' or ':desc'; several are separated by commas"

function parseSort(text: string): ParsedSort | undefined {
  const keys = text.split(',', MAX_SORT_KEYS + 1)
  if (keys.length > MAX_SORT_KEYS) throw invalidOption('sort', `has more than ${MAX_SORT_KEYS} keys`)
  const parsed = keys.map(key => parseSortKey(key.trim(), text))
  const [first, ...further] = parsed.filter(key => key !== undefined)
  if (!first) return undefined
  if (parsed.includes(undefined)) throw invalidOption('sort', `is ${shown(text)}; score cannot be one of several keys`)
  if (new Set(parsed.map(key => key?.name)).size < parsed.length)
    throw invalidOption('sort', `is ${shown(text)}, which has a field twice`)
  return further.length === 0 ? first : { ...first, further }
}

/** @param sort - all keys, for errors. @returns undefined for the order of scores. */
function parseSortKey(text: string, sort: string): SortKey | undefined {
  const [name = '', direction = name === 'score' ? 'desc' : 'asc', ...rest] = text.split(':')
  if (!isFieldName(name) || (direction !== 'asc' && direction !== 'desc') || rest.length > 0)
    throw invalidOption('sort', `is ${shown(sort)}; ${sortForms}`)
  if (name !== 'score') return { name, isDescending: direction === 'desc' }
  if (direction === 'asc')
    throw invalidOption('sort', "is 'score:asc'; results can be ordered only by descending score")
  return undefined
}

function parseFacets(facets: readonly unknown[]): ParsedFacet[] {
  if (facets.length > MAX_FACETS) throw invalidOption('facets', `has more than ${MAX_FACETS} facets`)
  const asked = new Set<string>()
  return facets.map(text => {
    const facet = typeof text === 'string' ? parseFacet(text) : undefined
    if (!facet)
      throw invalidOption(
        'facets',
        `has ${shown(text)}; a facet is the name of a field, publishedAt or acquiredAt, such as 'tags', the keywords with a beginning, ` +
          `such as 'tags:de*', or a histogram such as 'price:10' or 'released:month' (${bucketUnits.join(', ')})`,
      )
    if (asked.has(facet.text)) throw invalidOption('facets', `has ${shown(facet.text)} twice`)
    asked.add(facet.text)
    return facet
  })
}

function parseFacet(text: string): ParsedFacet | undefined {
  const colon = text.indexOf(':')
  const name = colon < 0 ? text : text.slice(0, colon)
  if (!isFieldName(name)) return undefined
  if (colon < 0) return { text, name }
  const interval = text.slice(colon + 1)
  if (interval.endsWith('*')) {
    const prefix = interval.slice(0, -1)
    return prefix.length <= MAX_KEYWORD_UNITS && prefix.isWellFormed() ? { text, name, prefix } : undefined
  }
  if (isBucketUnit(interval)) return { text, name, interval }
  const length = /^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(interval) ? Number(interval) : 0
  return length > 0 && Number.isFinite(length) ? { text, name, interval: length } : undefined
}

function isBucketUnit(text: string): text is BucketUnit {
  return (bucketUnits as readonly string[]).includes(text)
}
