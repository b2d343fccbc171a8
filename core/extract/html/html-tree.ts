import { clip } from '../../text/characters/surrogates.ts'
import type { ElementKind } from './element-kinds.ts'
import type { ElementName } from './element-name.ts'
import type { IndexedAttribute } from './kept-attributes.ts'

/** The attributes of an element that the tree keeps. */
export type Attributes = Readonly<Record<string, string>>

export const noAttributes: Attributes = Object.freeze({})

/**
 * One element or text of a page. All nodes are in one array in document order. The descendants of a node are
 * `nodes[index + 1]` to `nodes[end - 1]`, so walking them is a loop over a range, without recursion.
 */
export class HtmlNode {
  /** Tag name in lower case; empty for text. */
  readonly tag: string
  readonly kind: ElementKind
  readonly index: number
  /** Index after that of the last descendant. */
  end: number
  readonly parent: HtmlNode | undefined
  /** The characters of a text with entities decoded and white space unchanged; empty for elements. */
  text: string
  attributes: Attributes
  /** True if it has an attribute by which elements are indexed. */
  isMarked: boolean
  /** What class and id say; undefined until first read, see `nameOf`. */
  name: ElementName | undefined
  /** Number of visible characters of a text; -1 until first counted, see `visibleChars`. */
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
  /** Elements by tag, for tags that HTML defines, in document order; read it with `tagged`. */
  readonly byTag: ReadonlyMap<string, { readonly elements: readonly HtmlNode[] }>
  /** Elements by attribute, in document order; read it with `having`. */
  readonly byAttribute: ReadonlyMap<IndexedAttribute, readonly HtmlNode[]>
  /** True if a limit cut the page short. */
  readonly truncated: boolean
}

/** The text of a node and its descendants with white space collapsed, at most `limit` characters. */
export function textOf(tree: HtmlTree, node: HtmlNode, limit = 10_000): string {
  const parts: string[] = []
  let length = 0
  for (let i = node.index; i < node.end && length < limit * 2; i++) {
    const { tag, kind, text } = tree.nodes[i]!
    if (tag === '') {
      parts.push(text.length > limit * 2 ? text.slice(0, limit * 2) : text)
      length += text.length
    } else if (tag === 'script' || tag === 'style') i = tree.nodes[i]!.end - 1
    else if (tag === 'br' || kind.isBlock) parts.push(' ')
  }
  return clip(collapse(parts.join('')), limit)
}

/** Replaces each run of white space by one space and trims both ends. */
export function collapse(text: string): string {
  return collapseRuns(text).trim()
}

/** Any white space but a single space. Testing for it costs less than replacing every space by itself. */
const uncollapsed = /[^\S ]|[\u200b\ufeff]| {2}/

/** Replaces each run of white space by one space, also at both ends. */
export function collapseRuns(text: string): string {
  return uncollapsed.test(text) ? text.replace(/[\s\u200b\ufeff]+/g, ' ') : text
}

/** The next sibling of a node, if any. */
export function nextSibling(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  const next = tree.nodes[node.end]
  return next?.parent === node.parent ? next : undefined
}
