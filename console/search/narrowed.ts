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
  value: string,
): Partial<SearchState> | undefined {
  const [field = '', bucket] = facet.split(':')
  const example = results.flatMap(({ fields }) => fields?.[field] ?? [])[0]
  const condition = conditionOf(typeof example, bucket, value)
  if (condition === undefined) return undefined
  return { filter: JSON.stringify({ ...readFilter(state.filter), [field]: condition }) }
}

function conditionOf(type: string, bucket: string | undefined, value: string): unknown {
  if (type === 'number') {
    if (bucket === undefined) return Number(value)
    return { gte: Number(value), lt: Number(value) + Number(bucket) }
  }
  if (bucket !== undefined) return undefined
  if (type === 'boolean') return value === 'true'
  return type === 'string' ? value : undefined
}
