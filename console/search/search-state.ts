import type { SearchRequest } from '../api/wire.ts'
import { isoText, type Moment, type Moments, readMoment } from '../time/moment.ts'

const timeFilters = ['published_after', 'published_before', 'acquired_after', 'acquired_before'] as const

export type TimeFilter = (typeof timeFilters)[number]

/** All that a search consists of. Its address holds all of it, so that any answer can be linked. */
export interface SearchState extends Moments, Partial<Record<TimeFilter, string>> {
  query: string
  mode: 'pro' | 'realtime'
  site: string
  /** Conditions on fields, as JSON. */
  filter: string
  /** The order of results, such as `price:asc`. Empty for the order of scores. */
  sort: string
  /** Fields whose values are counted, such as `tags` or `price:10`. */
  facets: readonly string[]
  results: number
  /** 1 for the first page of results. */
  page: number
  /** A moment in the address that was not understood. Nothing is searched then. */
  unread?: string | undefined
}

/** Number of results of a first answer, and how many more each time. */
export const RESULTS = 10
export const MAX_RESULTS = 50
/** The API leaves out at most 10,000 results. */
const MAX_LEFT_OUT = 10_000
const MAX_FACETS = 32

/** Reads the names of facets, which commas separate. */
export function readFacets(text: string): string[] {
  const names = text.split(',').map(name => name.trim())
  return [...new Set(names.filter(name => name !== ''))].slice(0, MAX_FACETS)
}

/** Number of results before the page that is shown. */
export function leftOut({ page, results }: SearchState): number {
  return (page - 1) * results
}

/** Names in addresses are those of the API, but for `q` (the query), `at` and `against` (the moments). A moment that has not come is now. */
export function readSearchState(query: URLSearchParams, now: number): SearchState {
  const text = (name: string) => query.get(name) ?? ''
  const at = readMoment(text('at'), now)
  const against = readMoment(text('against'), now)
  const results = Math.ceil(Number(query.get('results') ?? RESULTS) / RESULTS) * RESULTS
  const state: SearchState = {
    query: text('q'),
    mode: query.get('mode') === 'realtime' ? 'realtime' : 'pro',
    site: text('site'),
    filter: text('filter'),
    at: at.moment,
    against: query.has('against') ? against.moment : null,
    sort: text('sort'),
    facets: readFacets(text('facets')),
    results: results >= RESULTS && results <= MAX_RESULTS ? results : RESULTS,
    page: Number(query.get('page') ?? 1),
  }
  if (!(Number.isInteger(state.page) && state.page >= 1 && leftOut(state) <= MAX_LEFT_OUT)) state.page = 1
  for (const name of timeFilters) if (text(name) !== '') state[name] = text(name)
  const unread = (['at', 'against'] as const).find(name => ({ at, against })[name].problem === 'unread')
  if (unread !== undefined) state.unread = text(unread)
  return state
}

/** The address of a search. What has its default is left out. */
export function addressOf(state: SearchState): string {
  const query = new URLSearchParams()
  const set = (name: string, value: string | undefined) => {
    if (value) query.set(name, value)
  }
  set('q', state.query)
  set('mode', state.mode === 'pro' ? '' : state.mode)
  set('site', state.site)
  for (const name of timeFilters) set(name, state[name])
  set('filter', state.filter)
  set('facets', state.facets.join(','))
  set('sort', state.sort)
  set('at', momentParameter(state.at))
  if (state.against !== null) query.set('against', momentParameter(state.against) ?? 'now')
  set('results', state.results === RESULTS ? '' : String(state.results))
  set('page', state.page === 1 ? '' : String(state.page))
  const text = query.toString()
  return text === '' ? '/' : `/?${text}`
}

/** A moment as the server takes it; undefined for now. */
export function momentParameter(at: Moment): string | undefined {
  return at === undefined ? undefined : isoText(at)
}

/** Reads conditions on fields; undefined if the text is no JSON object. */
export function readFilter(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // No JSON: the caller says so beside the text.
    return undefined
  }
}

/** The request for the answer as of a moment; undefined if nothing is asked. */
export function requestOf(state: SearchState, at: Moment): SearchRequest | undefined {
  if (state.query.trim() === '' || state.unread !== undefined) return undefined
  return {
    query: state.query,
    mode: state.mode === 'pro' ? undefined : state.mode,
    site: state.site || undefined,
    filter: state.filter === '' ? undefined : readFilter(state.filter),
    ...Object.fromEntries(timeFilters.map(name => [name, state[name]])),
    query_time: momentParameter(at),
    facets: state.facets.length === 0 ? undefined : state.facets,
    sort: state.sort || undefined,
    max_results: state.results === RESULTS ? undefined : state.results,
    offset: leftOut(state) || undefined,
  }
}

/** The filters, facets and order that are set, with their names in the state. */
export function setFilters(
  state: SearchState,
): { name: 'site' | 'filter' | 'facets' | 'sort' | TimeFilter; value: string }[] {
  return (['site', ...timeFilters, 'filter', 'facets', 'sort'] as const).flatMap(name => {
    const value = name === 'facets' ? state.facets.join(', ') : state[name]
    return value ? [{ name, value }] : []
  })
}

/** What a search has if no filter, facet or order is set. */
export const noFilters: Partial<SearchState> = {
  site: '',
  filter: '',
  facets: [],
  sort: '',
  ...Object.fromEntries(timeFilters.map(name => [name, undefined])),
}
