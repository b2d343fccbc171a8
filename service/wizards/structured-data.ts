import type { StructuredItem } from '@asof/core'

const MAX_NODES = 2_000
const MAX_FOUND = 200
const MAX_DEPTH = 12
const MAX_TEXT_CHARS = 300
const MAX_LIST = 50

/** Properties that contain items which the page is not about. */
const asides = new Set(['isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'review', 'reviews', 'comment'])

export function isItem(value: unknown): value is StructuredItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the types of an item, without the URL of their vocabulary. */
export function typesOf(item: StructuredItem): string[] {
  return listOf(item['@type'])
    .filter(type => typeof type === 'string')
    .map(type => type.slice(0, 200).replace(/^.*[/#:]/, ''))
}

/**
 * Finds the wanted items in the data of a page, including nested ones. Items are in page order, outer before inner. Depth and
 * number are limited.
 */
export function findItems(data: readonly unknown[], wanted: (item: StructuredItem) => boolean): StructuredItem[] {
  const found: StructuredItem[] = []
  const pending: { value: unknown; depth: number }[] = []
  let room = MAX_NODES
  const push = (values: readonly unknown[], depth: number) => {
    for (let at = Math.min(values.length, room) - 1; at >= 0; at--) {
      const value = values[at]
      if (typeof value !== 'object' || value === null) continue
      room--
      pending.push({ value, depth })
    }
  }
  push(data, 0)
  for (let next = pending.pop(); next && found.length < MAX_FOUND; next = pending.pop()) {
    const { value, depth } = next
    if (isItem(value) && wanted(value)) found.push(value)
    if (depth >= MAX_DEPTH) continue
    if (Array.isArray(value)) push(value, depth + 1)
    else if (isItem(value)) {
      const inner = Object.entries(value).filter(([name]) => !asides.has(name))
      push(
        inner.map(([, property]) => property),
        depth + 1,
      )
    }
  }
  return found
}

/** Returns a value that may be single or a list as a list of at most 50. */
export function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.slice(0, MAX_LIST) : [value]
}

/** Returns the first text of a value, which may be a string, a number, an item with a name, or a list of these. */
export function textOf(value: unknown): string | undefined {
  for (const one of listOf(value)) {
    const plain = isItem(one) ? (one['@value'] ?? one.name) : one
    const first = Array.isArray(plain) ? plain[0] : plain
    if (typeof first !== 'string' && typeof first !== 'number') continue
    const text = clipped(String(first))
    if (text !== '') return text
  }
  return undefined
}

/** HTML escapes, which many templates write into JSON by mistake. */
const escapes: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  '#34': '"',
  '#39': "'",
  '#039': "'",
  nbsp: ' ',
}

function clipped(text: string): string {
  const collapsed = text
    .slice(0, 4 * MAX_TEXT_CHARS)
    .replace(/&(amp|quot|#34|#0?39|nbsp);/g, (escaped, name: string) => escapes[name] ?? escaped)
    .replace(/\s+/g, ' ')
    .trim()
  return collapsed.length > MAX_TEXT_CHARS
    ? collapsed.slice(0, MAX_TEXT_CHARS).toWellFormed()
    : collapsed.toWellFormed()
}

/** Returns all texts of a value in order, without duplicates. */
export function textsOf(value: unknown): string[] {
  return [...new Set(listOf(value).flatMap(one => textOf(one) ?? []))]
}

/** Returns a member of an enumeration (`https://schema.org/InStock`, `InStock`) in snake case (`in_stock`). */
export function memberOf(value: unknown): string | undefined {
  const [first] = listOf(value)
  const written = isItem(first) ? (first['@id'] ?? first.name) : first
  if (typeof written !== 'string' || written.length > 200) return undefined
  const name = written.replace(/^.*[/#]/, '').trim()
  if (!/^[A-Za-z]\w*(?:[ -]\w+)*$/.test(name)) return undefined
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[ -]+/g, '_')
    .toLowerCase()
}

/** Returns a value as an absolute http(s) URL. A relative URL is resolved against `base`. */
export function urlOf(value: unknown, base: string): string | undefined {
  const [first] = listOf(value)
  const written = isItem(first) ? (first.url ?? first['@id']) : first
  if (typeof written !== 'string' || written.trim() === '' || written.length > 2048) return undefined
  const url = URL.parse(written.trim(), base)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** Removes fields that are `undefined`, an empty text or an empty list. */
export function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
