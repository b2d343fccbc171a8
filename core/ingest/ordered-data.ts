import type { StructuredItem } from '../page.ts'

/** Objects that are nested more deeply keep the order of their keys. */
const MAX_DEPTH = 200

/** Sorts the keys of each object in structured data, because the order in which a page writes them has no meaning. */
export function orderedData(data: readonly StructuredItem[]): StructuredItem[] {
  return data.map(item => ordered(item, MAX_DEPTH) as StructuredItem)
}

function ordered(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map(one => ordered(one, depth - 1))
  const item = value as Record<string, unknown>
  const names = Object.keys(item).sort()
  return Object.fromEntries(names.map(name => [name, ordered(item[name], depth - 1)]))
}
