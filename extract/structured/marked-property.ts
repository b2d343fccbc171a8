import { clip } from '../characters/surrogates.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { StructuredItem } from '../page.ts'

const MAX_VALUES = 100
const MAX_VALUE_CHARS = 1000
/** Maximum length of a text that becomes a value. A longer text is in the content of the page anyway. */
const MAX_SHOWN_CHARS = 300
/** Maximum number of nodes in an element that is a value. A larger element is content. */
const MAX_VALUE_NODES = 100

/** For each tag, the attribute with the element's URL. */
const urlAttributes: Readonly<Record<string, 'href' | 'src'>> = {
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

/** Adds a property to an item. A repeated property becomes a list. Ignores invalid names. */
export function addProperty(item: StructuredItem, name: string, value: unknown): void {
  if (!/^[A-Za-z]\w{0,63}$/.test(name) || name === 'constructor') return
  const before = Object.hasOwn(item, name) ? item[name] : undefined
  if (before === undefined) item[name] = value
  else if (!Array.isArray(before)) item[name] = [before, value]
  else if (before.length < MAX_VALUES) before.push(value)
}

/**
 * Returns the value of an element that marks a property: its `content` or `datetime`, or else its URL, or else its text
 * if that is short.
 */
export function markedValue(tree: HtmlTree, node: HtmlNode, resolver: LinkResolver): string | undefined {
  const { tag, attributes } = node
  const urlAttribute = Object.hasOwn(urlAttributes, tag) ? urlAttributes[tag] : undefined
  const reference = urlAttribute === undefined ? undefined : attributes[urlAttribute]
  const written = attributes.content ?? (tag === 'time' ? attributes.datetime : undefined)
  if (written !== undefined) return clip(collapse(clip(written, 4 * MAX_VALUE_CHARS)), MAX_VALUE_CHARS)
  if (reference !== undefined) return resolver.resolve(reference)
  if ((tag === 'data' || tag === 'meter') && attributes.value !== undefined)
    return clip(collapse(attributes.value), MAX_VALUE_CHARS)
  if (node.end - node.index > MAX_VALUE_NODES) return undefined
  const shown = textOf(tree, node, MAX_SHOWN_CHARS + 1)
  return shown.length > MAX_SHOWN_CHARS ? undefined : shown
}
