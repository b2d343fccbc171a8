import type { StructuredItem } from '../page.ts'
import { isItem, typesOf } from '../structured/json-ld.ts'

/** Maximum number of items that are looked at, and of values that are read. */
const MAX_ITEMS = 2_000
const MAX_READ = 1_000

/**
 * Returns the values at a path of properties in the first item that has any: items of the page first, then items inside of them, the
 * outermost first. A list stands for all of its values. An item at the end of the path stands for its `name`.
 *
 * @param type - the item must have this type. Default: any.
 */
export function valuesAtPath(
  items: readonly StructuredItem[],
  { type, path }: { type: string | undefined; path: readonly string[] },
): unknown[] {
  const queue: unknown[] = [...items]
  for (let at = 0; at < queue.length && at < MAX_ITEMS; at++) {
    const value = queue[at]
    if (isItem(value)) {
      const values = type === undefined || typesOf(value).includes(type) ? valuesIn(value, path) : []
      if (values.length > 0) return values
    }
    const inner = Array.isArray(value) ? value : isItem(value) ? Object.values(value) : []
    for (const one of inner) if (typeof one === 'object' && one !== null && queue.length < MAX_ITEMS) queue.push(one)
  }
  return []
}

function valuesIn(item: StructuredItem, path: readonly string[]): unknown[] {
  let values: unknown[] = [item]
  for (const name of [...path, undefined]) {
    const flat = values.flat(MAX_LIST_DEPTH).slice(0, MAX_READ)
    values = flat.flatMap(value => {
      if (name === undefined) return isItem(value) ? (property(value, 'name') ?? []) : value
      return isItem(value) ? (property(value, name) ?? []) : []
    })
  }
  return values
    .flat(MAX_LIST_DEPTH)
    .filter(value => value !== null && typeof value !== 'object')
    .slice(0, MAX_READ)
}

const MAX_LIST_DEPTH = 4

function property(item: StructuredItem, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined
}
