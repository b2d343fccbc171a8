import type { SearchResponse } from '../api/wire.ts'
import { readFilter, type SearchState } from './search-state.ts'

/**
 * What a search changes to so that it finds only the matches that a facet counts for a value. Undefined for spans of time, and for a field
 * that no result has: its type is not known then, and a condition of another type would be refused.
 *
 * @param facet - a field, with the size of its buckets if it has any, such as `price:10`.
 */
export function narrowed(
  state: SearchState,
  results: SearchResponse['results'],
  facet: string,
  value: string | number | boolean,
): Partial<SearchState> | undefined {
  const [field = ''] = facet.split(':', 1)
  const example = results.flatMap(({ fields }) => fields?.[field] ?? [])[0]
  const condition = conditionOf(typeof example, bucketOf(facet), value)
  if (condition === undefined) return undefined
  return { filter: JSON.stringify({ ...readFilter(state.filter), [field]: condition }) }
}

/** The size of the buckets of a facet; undefined if it counts values, or the keywords with a beginning. */
export function bucketOf(facet: string): string | undefined {
  return facet.endsWith('*') ? undefined : facet.split(':')[1]
}

function conditionOf(type: string, bucket: string | undefined, value: string | number | boolean): unknown {
  if (typeof value !== type) return undefined
  if (bucket === undefined) return value
  return typeof value === 'number' ? { gte: value, lt: value + Number(bucket) } : undefined
}
