import { clip } from '../characters/surrogates.ts'
import type { ElementKind } from './element-kinds.ts'
import type { ElementName } from './element-name.ts'
import type { IndexedAttribute } from './kept-attributes.ts'
import { loweredForm, raisedForm } from './raised-text.ts'

/** Attributes of an element. The tree keeps only some. */
export type Attributes = Readonly<Record<string, string>>

export const noAttributes: Attributes = Object.freeze({})

/**
 * One element or text of a page. All nodes are in one array, in document order. The descendants of a node are
 * `nodes[index + 1]` to `nodes[end - 1]`, so that loops can visit them without recursion.
 */
export class HtmlNode {
  /** Tag name in lower case; '' for text. */
  readonly tag: string
  readonly kind: ElementKind
  readonly index: number
  /** The index after the last descendant. */
  end: number
  readonly parent: HtmlNode | undefined
  /** Text with entities decoded and white space unchanged; '' for elements. */
  text: string
  attributes: Attributes
  /** True if the element has an attribute that the tree indexes. */
  isMarked: boolean
  /** What class and id say about the element. Undefined until needed, see `nameOf`. */
  name: ElementName | undefined
  /** Number of visible characters of a text. −1 until needed, see `visibleChars`. */
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
  /** The element that contains all others. Its tag is `#root`. */
  readonly root: HtmlNode
  /** All nodes in document order, the root first. */
  readonly nodes: readonly HtmlNode[]
  /** Elements by tag, in document order, for tags that HTML defines. To be read with `findByTag`. */
  readonly byTag: ReadonlyMap<string, { readonly elements: readonly HtmlNode[] }>
  /** Elements by attribute, in document order. To be read with `findByAttribute`. */
  readonly byAttribute: ReadonlyMap<IndexedAttribute, readonly HtmlNode[]>
  /** True if the page exceeded a limit and its rest is missing. */
  readonly truncated: boolean
}

/**
 * Returns the text of a node and its descendants with white space collapsed, at most `limit` UTF-16 units. Leaves out
 * the readings of ruby.
 */
export function textOf(tree: HtmlTree, node: HtmlNode, limit = 10_000): string {
  const parts: string[] = []
  let length = 0
  for (let i = node.index; i < node.end && length < limit * 2; i++) {
    const { tag, kind, text } = tree.nodes[i]!
    if (tag === '') {
      parts.push(text.length > limit * 2 ? text.slice(0, limit * 2) : text)
      length += text.length
    } else if (tag === 'script' || tag === 'style' || tag === 'rt' || tag === 'rp' || tag === 'rtc')
      i = tree.nodes[i]!.end - 1
    else if (tag === 'br' || kind.isBlock) parts.push(' ')
    else if ((tag === 'sup' || tag === 'sub') && i > node.index && tree.nodes[i]!.end === i + 2) {
      parts.push(scriptOf(tree.nodes[i]!, parts.at(-1) ?? '', tree.nodes[++i]!.text, tree.nodes[i + 1]?.text ?? ''))
    }
  }
  return clip(collapse(parts.join('')), limit)
}

/** Returns a raised or lowered text as plain text, such as `²`. A mark of a note or a remark is written after a space. */
function scriptOf({ tag }: HtmlNode, before: string, text: string, after: string): string {
  const script = { text: collapse(text), before: before.slice(-40), after, isReference: false, isAfterItalics: false }
  const form = tag === 'sup' ? raisedForm(script) : loweredForm(script)
  return form.kind === 'text' ? form.text : ` ${text}`
}

/** Replaces each run of white space by one space and trims both ends. */
export function collapse(text: string): string {
  return collapseRuns(text).trim()
}

/** Matches white space that must be collapsed. Testing first is faster than replacing every single space by itself. */
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

/** Returns the node itself if it is a heading, or else the first heading inside. Undefined if the node has no heading. */
export function headingIn(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  for (let i = node.index; i < node.end; i++) if (tree.nodes[i]!.kind.isHeading) return tree.nodes[i]
  return undefined
}
