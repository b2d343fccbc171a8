import { clip } from '../characters/surrogates.ts'
import { findByAttribute } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { StructuredItem } from '../page.ts'
import { addProperty, markedValue } from './marked-property.ts'

const MAX_ITEMS = 200
const MAX_DEPTH = 16
const MAX_PROPERTIES = 2000

/** Matches types for parts of the layout, which are not what the page is about. */
const layout = /^(?:WP\w+|SiteNavigationElement|ImageGallery)$/
const vocabulary = /^\s*https?:\/\/(?:www\.)?schema\.org\/(\w+)/i

/**
 * Returns the schema.org items that a page marks with `itemscope` and `itemprop`, in the format of JSON-LD and in page
 * order. A repeated property becomes a list. Ignores `itemref`.
 */
export function parseMicrodata(tree: HtmlTree, resolver: LinkResolver): StructuredItem[] {
  const found: StructuredItem[] = []
  if (!tree.byAttribute.has('itemscope')) return found
  const open: { item: StructuredItem; end: number }[] = []
  let items = 0
  let properties = 0
  for (const node of findByAttribute(tree, 'itemscope', 'itemprop')) {
    const { itemprop, itemscope, itemtype } = node.attributes
    while (open.length > 0 && open[open.length - 1]!.end <= node.index) open.pop()
    const owner = open.at(-1)?.item
    let item: StructuredItem | undefined
    if (itemscope !== undefined) {
      if (items >= MAX_ITEMS || open.length >= MAX_DEPTH) continue
      items++
      const type = vocabulary.exec(itemtype ?? '')?.[1]
      item = type === undefined ? {} : { '@type': type }
      open.push({ item, end: node.end })
      const isOwn = itemprop === undefined || owner === undefined
      if (isOwn && type !== undefined && !layout.test(type)) found.push(item)
    }
    if (itemprop === undefined || owner === undefined || properties >= MAX_PROPERTIES) continue
    const value = item ?? markedValue(tree, node, resolver)
    if (value === undefined || value === '') continue
    for (const name of clip(itemprop, 200).trim().split(/\s+/, 5)) {
      properties++
      addProperty(owner, name, value)
    }
  }
  return found
}
