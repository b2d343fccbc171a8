import type { ElementKind } from './element-kinds.ts'
import type { ElementName } from './element-name.ts'
import type { IndexedAttribute } from './kept-attributes.ts'

/** The attributes kept of an element; the rest never leave the tokenizer. */
export type Attributes = Readonly<Record<string, string>>

export const noAttributes: Attributes = Object.freeze({})

/**
 * One element or text of a page. Nodes stand in one array in document order; the descendants of a node are
 * `nodes[index + 1]` to `nodes[end - 1]`, so every walk is a loop over a range and depth costs no stack.
 */
export class HtmlNode {
  /** Lower-case tag name; empty for text. */
  readonly tag: string
  readonly kind: ElementKind
  readonly index: number
  /** Index after the last descendant. */
  end: number
  readonly parent: HtmlNode | undefined
  /** The characters of a text, entities decoded, white space as written; empty for elements. */
  text: string
  attributes: Attributes
  /** Whether it has one of the attributes that elements are found by. */
  isMarked: boolean
  /** What class and id say, once somebody asked. */
  name: ElementName | undefined
  /** Visible characters of a text, once somebody counted them; -1 before. */
  visibleChars: number

  constructor(
    tag: string,
    kind: ElementKind,
    index: number,
    parent: HtmlNode | undefined,
    text: string,
    attributes: Attributes,
    isMarked: boolean,
  ) {
    this.tag = tag
    this.kind = kind
    this.index = index
    this.end = index + 1
    this.parent = parent
    this.text = text
    this.attributes = attributes
    this.isMarked = isMarked
    this.name = undefined
    this.visibleChars = -1
  }
}

export interface HtmlTree {
  /** An element named `#root`, which holds all others. */
  readonly root: HtmlNode
  /** In document order, the root first. */
  readonly nodes: readonly HtmlNode[]
  /** Elements by tag, of tags that HTML knows, and by attribute; both in document order. See `tagged` and `having`. */
  readonly byTag: ReadonlyMap<string, { readonly elements: readonly HtmlNode[] }>
  readonly byAttribute: ReadonlyMap<IndexedAttribute, readonly HtmlNode[]>
  /** True when a limit cut the page short. */
  readonly truncated: boolean
}

/** The text under a node, white space collapsed, at most `limit` characters of it. */
export function textOf(tree: HtmlTree, node: HtmlNode, limit = 10_000): string {
  const parts: string[] = []
  let length = 0
  for (let i = node.index; i < node.end && length < limit * 2; i++) {
    const { tag, kind, text } = tree.nodes[i]
    if (tag === '') {
      parts.push(text.length > limit * 2 ? text.slice(0, limit * 2) : text)
      length += text.length
    } else if (tag === 'script' || tag === 'style') i = tree.nodes[i].end - 1
    else if (tag === 'br' || kind.isBlock) parts.push(' ')
  }
  return clip(collapse(parts.join('')), limit)
}

/** Runs of white space become one space; none at either end. */
export function collapse(text: string): string {
  return collapseRuns(text).trim()
}

/** Any white space but single spaces: looking for it costs less than replacing each of these by itself. */
const uncollapsed = /[^\S ]|[\u200b\ufeff]| {2}/

/** Runs of white space become one space, at either end too. */
export function collapseRuns(text: string): string {
  return uncollapsed.test(text) ? text.replace(/[\s\u200b\ufeff]+/g, ' ') : text
}

/** The first `limit` UTF-16 units, never ending inside a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit)
}

/** The next element or text after a node's whole range that has the same parent, if any. */
export function nextSibling(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  const next = tree.nodes[node.end]
  return next?.parent === node.parent ? next : undefined
}
