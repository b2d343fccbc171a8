import type { StructuredItem } from '../page.ts'
import { clip, collapse, type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import type { LinkResolver } from './link-resolver.ts'

const MAX_ITEMS = 200
const MAX_DEPTH = 16
const MAX_PROPERTIES = 2000
const MAX_VALUES = 100
const MAX_VALUE_CHARS = 1000
/** What the page shows at more length is its text, which is kept already. */
const MAX_SHOWN_CHARS = 300
/** A property that holds more of the page than this is its content, not a fact about it. */
const MAX_VALUE_NODES = 100

/** Types that mark the parts of a page, not what it is about. */
const layout = /^(?:WP\w+|SiteNavigationElement|ImageGallery)$/
const vocabulary = /^\s*https?:\/\/(?:www\.)?schema\.org\/(\w+)/i
const addressOfTag: Readonly<Record<string, 'href' | 'src'>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  video: 'src',
}

/**
 * The schema.org items that a page marks with `itemscope` and `itemprop`, in the form of JSON-LD, in page order. A
 * property given more than once is a list. `itemref` is not followed.
 */
export function parseMicrodata(tree: HtmlTree, resolver: LinkResolver): StructuredItem[] {
  const found: StructuredItem[] = []
  const open: { item: StructuredItem; end: number }[] = []
  let items = 0
  let properties = 0
  for (const node of tree.nodes) {
    const { itemprop, itemscope, itemtype } = node.attributes
    if (itemscope === undefined && itemprop === undefined) continue
    while (open.length > 0 && open[open.length - 1].end <= node.index) open.pop()
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
    const value = item ?? propertyValue(tree, node, resolver)
    if (value === undefined || value === '') continue
    for (const name of clip(itemprop, 200).trim().split(/\s+/, 5)) {
      properties++
      addTo(owner, name, value)
    }
  }
  return found
}

function addTo(item: StructuredItem, name: string, value: unknown): void {
  if (!/^[A-Za-z]\w{0,63}$/.test(name) || name === 'constructor') return
  const before = Object.hasOwn(item, name) ? item[name] : undefined
  if (before === undefined) item[name] = value
  else if (!Array.isArray(before)) item[name] = [before, value]
  else if (before.length < MAX_VALUES) before.push(value)
}

function propertyValue(tree: HtmlTree, node: HtmlNode, resolver: LinkResolver): string | undefined {
  const { tag, attributes } = node
  const address = Object.hasOwn(addressOfTag, tag) ? attributes[addressOfTag[tag]] : undefined
  const written = attributes.content ?? (tag === 'time' ? attributes.datetime : undefined)
  if (written !== undefined) return clip(collapse(clip(written, 4 * MAX_VALUE_CHARS)), MAX_VALUE_CHARS)
  if (address !== undefined) return resolver.resolve(address)
  if ((tag === 'data' || tag === 'meter') && attributes.value !== undefined)
    return clip(collapse(attributes.value), MAX_VALUE_CHARS)
  if (node.end - node.index > MAX_VALUE_NODES) return undefined
  const shown = textOf(tree, node, MAX_SHOWN_CHARS + 1)
  return shown.length > MAX_SHOWN_CHARS ? undefined : shown
}
