import type { HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { StructuredItem } from '../page.ts'
import { isItem } from './json-ld.ts'
import { parseMicrodata } from './microdata.ts'
import { parseOpenGraph } from './open-graph.ts'
import type { PageMetadata } from './page-metadata.ts'
import { parseRdfaLite } from './rdfa-lite.ts'

const MAX_ITEMS = 50
const MAX_ITEMS_BYTES = 256 * 1024
/** Maximum depth to which JSON-LD is read. */
const MAX_DEPTH = 64
/** Maximum total size of the items that replace references, characters of JSON. */
const MAX_REFERENCE_CHARS = 64 * 1024

const vocabulary = /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)(?=\w)/i
/** Properties whose references are not followed, because they lead to parts of the page or back to the item. */
const structural = new Set(['isPartOf', 'hasPart', 'mainEntityOfPage', 'breadcrumb', 'potentialAction', 'subjectOf'])

/**
 * Returns the structured data of a page as one list of schema.org items. They come from JSON-LD, microdata and RDFa
 * Lite, in this order, and from OpenGraph for types that the others lack. At most 50 items and 256 KiB of JSON.
 *
 * Types and properties have no vocabulary URL, and `@value`s are plain values. A reference to another item of the page
 * is replaced by that item, but not inside the replacement. Repeated items are left out, as are long texts that the
 * page shows anyway.
 */
export function structuredData(tree: HtmlTree, metadata: PageMetadata, resolver: LinkResolver): StructuredItem[] {
  const marked = [...jsonLdItems(metadata), ...parseMicrodata(tree, resolver), ...parseRdfaLite(tree, resolver)]
  return keepItems([...marked, ...parseOpenGraph(metadata, marked)])
}

/** Returns the items of the JSON-LD of a page, as {@link structuredData} does but without its limits. */
export function jsonLdItems({ jsonLd }: PageMetadata): StructuredItem[] {
  return followReferences(jsonLd.flatMap(normalizeItem))
}

function normalizeItem(item: StructuredItem): StructuredItem[] {
  const value = normalize(item, 0)
  return isItem(value) ? [value] : []
}

function normalize(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) {
    const values = value.map(one => normalize(one, depth + 1)).filter(one => one !== undefined && one !== null)
    return values.length === 1 ? values[0] : values
  }
  if (!isItem(value)) return value
  if (Object.hasOwn(value, '@value')) return isItem(value['@value']) ? undefined : normalize(value['@value'], depth + 1)
  const item: StructuredItem = {}
  for (const [key, inner] of Object.entries(value)) {
    const name = key.replace(vocabulary, '')
    // `@graph` is left out, because its items are in the list already.
    if (name === '@context' || name === '@graph' || name === '__proto__' || Object.hasOwn(item, name)) continue
    const given = name === '@type' ? typeNames(inner) : normalize(inner, depth + 1)
    if (given !== undefined && given !== null) item[name] = given
  }
  return item
}

function typeNames(type: unknown): string | string[] | undefined {
  const names = (Array.isArray(type) ? type.slice(0, 20) : [type])
    .filter(name => typeof name === 'string')
    .map(name => name.replace(vocabulary, ''))
  return names.length > 1 ? names : names[0]
}

/** Replaces each `{ "@id": … }` by the item with that id, but not inside the replacement. */
function followReferences(items: readonly StructuredItem[]): StructuredItem[] {
  const named = new Map<string, StructuredItem>()
  for (const item of items) {
    const id = item['@id']
    if (typeof id === 'string' && !named.has(id)) named.set(id, item)
  }
  if (named.size === 0) return [...items]
  let room = MAX_REFERENCE_CHARS
  const followed = (value: unknown, self: StructuredItem): unknown => {
    if (Array.isArray(value)) return value.map(one => followed(one, self))
    if (!isItem(value)) return value
    const id = value['@id']
    const target = typeof id === 'string' && Object.keys(value).length === 1 ? named.get(id) : undefined
    if (target && target !== self && room > 0) {
      room -= JSON.stringify(target).length
      return room > 0 ? target : value
    }
    return withFollowed(value, self)
  }
  const withFollowed = (item: StructuredItem, self: StructuredItem): StructuredItem =>
    Object.fromEntries(
      Object.entries(item).map(([name, value]) => [name, structural.has(name) ? value : followed(value, self)]),
    )
  return items.map(item => withFollowed(item, item))
}

/** Returns distinct items without `articleBody`, up to the limits. */
function keepItems(items: readonly StructuredItem[]): StructuredItem[] {
  const kept: StructuredItem[] = []
  const seen = new Set<string>()
  let bytes = 0
  for (const item of items) {
    if (kept.length >= MAX_ITEMS) break
    const { articleBody: _body, ...rest } = item
    const json = JSON.stringify(rest)
    const size = Buffer.byteLength(json)
    if (seen.has(json) || bytes + size > MAX_ITEMS_BYTES) continue
    seen.add(json)
    bytes += size
    kept.push(rest)
  }
  return kept
}
