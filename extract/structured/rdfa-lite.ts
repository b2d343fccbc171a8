import { clip } from '../characters/surrogates.ts'
import { findByAttribute } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { StructuredItem } from '../page.ts'
import { addProperty, markedValue } from './marked-property.ts'

const MAX_ITEMS = 200
const MAX_DEPTH = 16
const MAX_PROPERTIES = 2000

const vocabularyAddress = /^\s*https?:\/\/(?:www\.)?schema\.org\/?\s*$/i
const fullName = /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)(\w+)$/i
/** Matches types for parts of the layout, which are not what the page is about. */
const layout = /^(?:WP\w+|SiteNavigationElement|ImageGallery)$/

/** What applies to the descendants of an open element. */
interface Scope {
  end: number
  /** True if the vocabulary is schema.org. */
  isSchema: boolean
  /** The item to which properties are added; undefined outside of items. */
  owner: StructuredItem | undefined
  depth: number
}

/**
 * Returns the schema.org items that a page marks with `vocab`, `typeof`, `property` and `resource` (RDFa Lite 1.1), in
 * the format of JSON-LD and in page order. Ignores `prefix`; `schema:` always means schema.org, as in RDFa's initial
 * context.
 */
export function parseRdfaLite(tree: HtmlTree, resolver: LinkResolver): StructuredItem[] {
  const found: StructuredItem[] = []
  if (!tree.byAttribute.has('typeof')) return found
  const page: Scope = { end: tree.nodes.length, isSchema: false, owner: undefined, depth: 0 }
  const scopes: Scope[] = []
  let items = 0
  let properties = 0
  for (const node of findByAttribute(tree, 'vocab', 'typeof', 'property')) {
    const { vocab, typeof: type, property, resource } = node.attributes
    while (scopes.length > 0 && scopes[scopes.length - 1]!.end <= node.index) scopes.pop()
    const outer = scopes.at(-1) ?? page
    const isSchema = vocab === undefined ? outer.isSchema : vocabularyAddress.test(clip(vocab, 200))
    const id = resource === undefined ? undefined : resolver.resolve(resource)
    let item: StructuredItem | undefined
    if (type !== undefined && items < MAX_ITEMS && outer.depth < MAX_DEPTH) {
      const names = namesIn(type, isSchema)
      if (names.length > 0) {
        items++
        item = { '@type': names.length === 1 ? names[0] : names }
        if (id !== undefined) item['@id'] = id
        const isOwn = property === undefined || outer.owner === undefined
        if (isOwn && !names.every(name => layout.test(name))) found.push(item)
      }
    }
    // An item that is dropped still opens a scope without an owner. Otherwise its properties would be added to the
    // outer item.
    if (type !== undefined) scopes.push({ end: node.end, isSchema, owner: item, depth: outer.depth + 1 })
    else if (vocab !== undefined) scopes.push({ ...outer, end: node.end, isSchema })
    if (property === undefined || outer.owner === undefined) continue
    const value = item ?? id ?? markedValue(tree, node, resolver)
    if (value === undefined || value === '') continue
    for (const name of namesIn(property, isSchema)) {
      if (++properties > MAX_PROPERTIES) return found
      addProperty(outer.owner, name, value)
    }
  }
  return found
}

/** Returns the schema.org names in an attribute, without the URL of the vocabulary. */
function namesIn(words: string, isSchema: boolean): string[] {
  return clip(words, 300)
    .trim()
    .split(/\s+/, 5)
    .flatMap(word => fullName.exec(word)?.[1] ?? (isSchema && /^\w+$/.test(word) ? word : []))
}
