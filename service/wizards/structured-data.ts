import type { StructuredItem } from '@asof/core'

const MAX_NODES = 2_000
const MAX_FOUND = 200
const MAX_DEPTH = 12
const MAX_TEXT_CHARS = 300
const MAX_LIST = 50

/** Properties whose items are not what the page is about. */
const asides = new Set(['isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'review', 'reviews', 'comment'])

export function isStructuredItem(value: unknown): value is StructuredItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the types of an item, without the URL of the vocabulary. */
export function itemTypesOf(item: StructuredItem): string[] {
  return listOf(item['@type'])
    .filter(type => typeof type === 'string')
    .map(type => type.slice(0, 200).replace(/^.*[/#:]/, ''))
}

/**
 * Finds the wanted items in the data of a page, even nested ones, in page order and outer before inner. Limits depth
 * and number.
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
    if (isStructuredItem(value) && wanted(value)) found.push(value)
    if (depth >= MAX_DEPTH) continue
    if (Array.isArray(value)) push(value, depth + 1)
    else if (isStructuredItem(value)) {
      const inner = Object.entries(value).filter(([name]) => !asides.has(name))
      push(
        inner.map(([, property]) => property),
        depth + 1,
      )
    }
  }
  return found
}

/** Returns the values of a property, which may be a single value or a list. At most 50. */
export function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.slice(0, MAX_LIST) : [value]
}

/** Returns the first text in a value, which may be a string, a number, an item with a name, or a list of these. */
export function valueText(value: unknown): string | undefined {
  for (const one of listOf(value)) {
    const plain = isStructuredItem(one) ? (one['@value'] ?? one.name) : one
    const first = Array.isArray(plain) ? plain[0] : plain
    if (typeof first !== 'string' && typeof first !== 'number') continue
    const text = clipped(String(first))
    if (text !== '') return text
  }
  return undefined
}

/** HTML entities, which many templates write into JSON by mistake. */
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

/** Returns all texts in a value in order, each once. */
export function valueTexts(value: unknown): string[] {
  return [...new Set(listOf(value).flatMap(one => valueText(one) ?? []))]
}

/**
 * Returns a member of an enumeration in snake case, such as `in_stock` for `https://schema.org/InStock` or `InStock`.
 */
export function memberOf(value: unknown): string | undefined {
  const [first] = listOf(value)
  const written = isStructuredItem(first) ? (first['@id'] ?? first.name) : first
  if (typeof written !== 'string' || written.length > 200) return undefined
  const name = written.replace(/^.*[/#]/, '').trim()
  if (!/^[A-Za-z]\w*(?:[ -]\w+)*$/.test(name)) return undefined
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[ -]+/g, '_')
    .toLowerCase()
}

/** Returns a value as an absolute http(s) URL. Resolves a relative URL against `base`. */
export function valueUrl(value: unknown, base: string): string | undefined {
  const [first] = listOf(value)
  const written = isStructuredItem(first) ? (first.url ?? first['@id']) : first
  if (typeof written !== 'string' || written.trim() === '' || written.length > 2048) return undefined
  const url = URL.parse(written.trim(), base)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** Removes fields that are undefined, '' or an empty list. */
export function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
