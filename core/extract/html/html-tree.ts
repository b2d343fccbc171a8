import { clip } from '../../text/characters/surrogates.ts'
import type { ElementKind } from './element-kinds.ts'
import type { ElementName } from './element-name.ts'
import type { IndexedAttribute } from './kept-attributes.ts'

/** The attributes of an element that the tree keeps. */
export type Attributes = Readonly<Record<string, string>>

export const noAttributes: Attributes = Object.freeze({})

/**
 * One element or text of a page. All nodes are in one array in document order. The descendants of a node are
 * `nodes[index + 1]` to `nodes[end - 1]`, so a loop over this range visits them without recursion.
 */
export class HtmlNode {
  /** Tag name in lower case; empty for text. */
  readonly tag: string
  readonly kind: ElementKind
  readonly index: number
  /** The index after the last descendant. */
  end: number
  readonly parent: HtmlNode | undefined
  /** The characters of a text with entities decoded and white space unchanged; empty for elements. */
  text: string
  attributes: Attributes
  /** True if the node has an attribute by which elements are indexed. */
  isMarked: boolean
  /** What class and id show about the element. Undefined until it is first read, see `nameOf`. */
  name: ElementName | undefined
  /** Number of visible characters of a text. -1 until they are first counted, see `visibleChars`. */
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
  /** An element named `#root` that contains all others. */
  readonly root: HtmlNode
  /** All nodes in document order, the root first. */
  readonly nodes: readonly HtmlNode[]
  /** Elements by tag, for tags that HTML defines, in document order; read it with `findByTag`. */
  readonly byTag: ReadonlyMap<string, { readonly elements: readonly HtmlNode[] }>
  /** Elements by attribute, in document order; read it with `findByAttribute`. */
  readonly byAttribute: ReadonlyMap<IndexedAttribute, readonly HtmlNode[]>
  /** True if a limit cut off the rest of the page. */
  readonly truncated: boolean
}

/** Returns the text of a node and its descendants with white space collapsed, at most `limit` characters. */
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

/** Matches white space other than a single space. A test for it is faster than replacing every space by itself. */
const uncollapsed = /[^\S ]|[\u200b\ufeff]| {2}/

/** Replaces each run of white space by one space, also at both ends. */
export function collapseRuns(text: string): string {
  return uncollapsed.test(text) ? text.replace(/[\s\u200b\ufeff]+/g, ' ') : text
}

/** Returns the next sibling of a node, if there is one. */
export function nextSibling(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  const next = tree.nodes[node.end]
  return next?.parent === node.parent ? next : undefined
}
