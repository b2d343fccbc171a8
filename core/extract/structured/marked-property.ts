import type { StructuredItem } from '../../page.ts'
import { clip, collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'

const MAX_VALUES = 100
const MAX_VALUE_CHARS = 1000
/** What the page shows at more length is its text, which is kept already. */
const MAX_SHOWN_CHARS = 300
/** A property that holds more of the page than this is its content, not a fact about it. */
const MAX_VALUE_NODES = 100

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

/** Gives an item a property; one given again becomes a list. Names that are no property of a vocabulary are passed over. */
export function addProperty(item: StructuredItem, name: string, value: unknown): void {
  if (!/^[A-Za-z]\w{0,63}$/.test(name) || name === 'constructor') return
  const before = Object.hasOwn(item, name) ? item[name] : undefined
  if (before === undefined) item[name] = value
  else if (!Array.isArray(before)) item[name] = [before, value]
  else if (before.length < MAX_VALUES) before.push(value)
}

/** What an element that marks a property says: its attribute for machines, the address it leads to, or its short text. */
export function markedValue(tree: HtmlTree, node: HtmlNode, resolver: LinkResolver): string | undefined {
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
