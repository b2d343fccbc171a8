import { decodeHTML, decodeHTMLAttribute } from 'entities'
import { composeTree, hasDocument, isPlaceholder, isShadowRoot } from './composed-tree.ts'
import { kindOf, noKind } from './element-kinds.ts'
import { HtmlTokenizer } from './html-tokenizer.ts'
import { type Attributes, HtmlNode, type HtmlTree, noAttributes } from './html-tree.ts'
import {
  type AttributeFinder,
  findingAlso,
  type IndexedAttribute,
  KEPT_ATTRIBUTES,
  type KeptAttribute,
} from './kept-attributes.ts'
import { type PageTag, PageTags } from './page-tag.ts'
import { closeStrayCdata } from './stray-cdata.ts'
import { closeUnclosedText, type UnclosedText } from './unclosed-text.ts'

/** Maximum depth of the tree. Deeper elements become siblings at this depth, in document order. */
const MAX_DEPTH = 512
const MAX_NODES = 500_000
const COMPOSE_LIMITS = { depth: MAX_DEPTH, nodes: MAX_NODES }
const MAX_ATTRIBUTES = 256
const MAX_ATTRIBUTE_CHARS = 16_384
/** Maximum length of an attribute that is a document. */
const MAX_DOCUMENT_CHARS = 2_000_000
const MAX_TAG_CHARS = 64
/** Maximum number of elements without an end tag, such as `<title/>`, that do not take the rest of the page as their text. */
const MAX_UNCLOSED_TEXTS = 4
/** Elements that may have been meant to be empty. An unclosed script or style is more likely one that was cut off. */
const emptiedTexts = new Set(['title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp'])

/**
 * Parses HTML into an {@link HtmlTree}, in linear time for any input. Limits depth, number of nodes and number of
 * attributes.
 *
 * @param attributes - names of attributes to keep besides the usual ones, in lower case.
 */
export function parseHtml(source: string, attributes: readonly string[] = []): HtmlTree {
  const builder = mendedTreeOf(source, attributes)
  const tree = builder.finish()
  return builder.isComposed
    ? composeTree(tree, inner => mendedTreeOf(inner, attributes).finish(), COMPOSE_LIMITS)
    : tree
}

/** Returns the tree of a source in which mistakes that would hide the rest of the page are mended. */
function mendedTreeOf(source: string, attributes: readonly string[]): TreeBuilder {
  let html = source
  let builder = treeOf(html, attributes)
  if (builder.hasStrayCdata) {
    html = closeStrayCdata(html)
    builder = treeOf(html, attributes)
  }
  for (let times = 0; times < MAX_UNCLOSED_TEXTS && builder.unclosedText; times++) {
    html = closeUnclosedText(html, builder.unclosedText)
    builder = treeOf(html, attributes)
  }
  return builder
}

function treeOf(source: string, attributes: readonly string[]): TreeBuilder {
  const builder = new TreeBuilder(source, attributes)
  const tokenizer = new HtmlTokenizer(builder)
  tokenizer.write(source)
  tokenizer.end()
  return builder
}

/**
 * Builds the tree from events of the tokenizer. It replaces htmlparser2's `Parser`, which adds open elements at the
 * front of an array and so takes quadratic time in the depth.
 */
class TreeBuilder {
  /** True if the tokenizer mistook text for a CDATA section, see {@link closeStrayCdata}. */
  hasStrayCdata = false
  /** True if the page has shadow trees, documents in attributes or streamed parts, see {@link composeTree}. */
  isComposed = false

  readonly #source: string
  readonly #root = new HtmlNode('#root', noKind, 0, undefined, '', noAttributes, false)
  readonly #nodes: HtmlNode[] = []
  readonly #stack: HtmlNode[] = []
  /** The tags of the elements in `#stack`. */
  readonly #openTags: PageTag[] = []
  /** Number of changes of `#stack`. */
  #changes = 0
  readonly #tags = new PageTags()
  readonly #byAttribute = new Map<IndexedAttribute, HtmlNode[]>()
  readonly #paragraph = this.#tags.getOrAdd('p')
  /** Length of `#stack` when it ends with the outermost open element that shows its white space; 0 without such an element. */
  #preformattedFrom = 0
  #foreignDepth = 0
  /** Number of open elements beyond the maximum depth. */
  #overflow = 0
  #truncated = false
  /** The offset after the start tag of the last element. */
  #tagEnd = 0
  /** True if only block elements began or ended since the last text. */
  #atBlockEdge = true

  /** The part of the current text before the current range; undefined if there is none. */
  #textBefore: string | undefined
  #textStart = -1
  #textEnd = -1

  #tag = this.#paragraph
  #tagCount = 0
  #attributes: Record<string, string> | undefined
  #attributeCount = 0
  #attribute: KeptAttribute | undefined
  #attributeValue = ''
  /** For each kept attribute, the value of `#tagCount` when it was last seen. */
  readonly #lastSeen: Int32Array
  readonly #findAttribute: AttributeFinder
  /** The attributes of the current tag that the tree indexes. */
  #indexed: IndexedAttribute[] = []

  constructor(source: string, attributes: readonly string[]) {
    this.#source = source
    this.#findAttribute = findingAlso(attributes)
    this.#lastSeen = new Int32Array(KEPT_ATTRIBUTES + attributes.length)
    this.#push(this.#root, this.#tags.getOrAdd('#root'))
  }

  /** The element that takes the rest of the page as its text, if there is one. */
  get unclosedText(): UnclosedText | undefined {
    const { tag, kind } = this.#stack[this.#stack.length - 1]!
    const isSelfClosed = kind.isRawText && this.#source[this.#tagEnd - 2] === '/'
    if (this.#textStart !== this.#tagEnd || !(emptiedTexts.has(tag) || isSelfClosed)) return undefined
    return { tag, start: this.#tagEnd }
  }

  finish(): HtmlTree {
    this.#flushText()
    while (this.#stack.length > 0) this.#pop()
    return {
      root: this.#root,
      nodes: this.#nodes,
      byTag: this.#tags,
      byAttribute: this.#byAttribute,
      truncated: this.#truncated,
    }
  }

  // Callbacks of the tokenizer

  ontext(start: number, end: number): void {
    if (this.#textEnd === start) {
      this.#textEnd = end
      return
    }
    this.#closeTextRange()
    this.#textStart = start
    this.#textEnd = end
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.isInForeignContext()) this.ontext(start, end - endOffset)
    else this.hasStrayCdata = true
  }

  oncomment(start: number): void {
    // The tokenizer reports an unclosed CDATA section as a comment.
    if (this.#source.startsWith('[CDATA[', start)) this.hasStrayCdata = true
  }

  // Never called, because the tokenizer does not decode entities.
  ontextentity(): void {}
  onattribentity(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  onopentagname(start: number, end: number): void {
    this.#tag = this.#tagAt(start, end)
    this.#tagCount++
    this.#attributes = undefined
    this.#attributeCount = 0
    if (this.#indexed.length > 0) this.#indexed = []
  }

  onattribname(start: number, end: number): void {
    this.#attribute = undefined
    if (++this.#attributeCount > MAX_ATTRIBUTES) return
    const attribute = this.#findAttribute(this.#source, start, end)
    // If an attribute is repeated, the first one counts.
    if (attribute === undefined || this.#lastSeen[attribute.number] === this.#tagCount) return
    this.#lastSeen[attribute.number] = this.#tagCount
    this.#attribute = attribute
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === undefined) return
    const most = this.#attribute.name === 'srcdoc' ? MAX_DOCUMENT_CHARS : MAX_ATTRIBUTE_CHARS
    const value = this.#source.slice(start, Math.min(end, start + most))
    this.#attributeValue = value.includes('&') ? decodeHTMLAttribute(value) : value
  }

  onattribend(): void {
    const attribute = this.#attribute
    if (attribute === undefined) return
    this.#attributes ??= {}
    this.#attributes[attribute.name] = this.#attributeValue
    if (attribute.indexed !== undefined) this.#indexed.push(attribute.indexed)
    this.#attribute = undefined
    this.#attributeValue = ''
  }

  onopentagend(end: number): void {
    this.#tagEnd = end + 1
    const tag = this.#tag.name === 'image' ? this.#tags.getOrAdd('img') : this.#tag
    this.#startTag(tag, this.#attributes ?? noAttributes, false)
  }

  onselfclosingtag(end: number): void {
    this.#tagEnd = end + 1
    this.#startTag(this.#tag, this.#attributes ?? noAttributes, this.isInForeignContext() || this.#tag.name === 'svg')
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#tagAt(start, end)
    if (this.#indexed.length > 0) this.#indexed = []
    if (tag.name === 'br') this.#startTag(tag, noAttributes, true)
    else if (!tag.kind.isVoid) this.#endTag(tag)
  }

  isInForeignContext(): boolean {
    return this.#foreignDepth > 0
  }

  #tagAt(start: number, end: number): PageTag {
    // Cutting long names bounds their cost. No known tag is longer.
    return this.#tags.getOrAdd(this.#source.slice(start, Math.min(end, start + MAX_TAG_CHARS)))
  }

  // Construction of the tree

  #startTag(tag: PageTag, attributes: Attributes, selfClosing: boolean): void {
    const { name, kind } = tag
    this.#flushText()
    this.#atBlockEdge = kind.isBlock
    if (this.#nodes.length >= MAX_NODES) {
      this.#truncated = true
      return
    }
    if ((name === 'html' || name === 'body') && tag.open > 0) {
      this.#mergeAttributes(tag, attributes)
      return
    }
    if (name === 'form' && tag.open > 0) return
    if (this.#stack[this.#stack.length - 1]!.tag === 'head' && !kind.isOfHead) this.#pop()
    this.#closeImplied(tag)
    if (this.#stack.length >= MAX_DEPTH && !kind.isVoid && !selfClosing) {
      this.#pop()
      this.#overflow++
    }
    const isMarked = this.#indexed.length > 0
    const parent = this.#stack[this.#stack.length - 1]
    const shownAs =
      isMarked && name === 'span' && (isShownAsBlock(attributes.style) || blockRoles.has(attributes.role ?? ''))
        ? blockKind
        : kind
    const node = new HtmlNode(name, shownAs, this.#nodes.length, parent, '', attributes, isMarked)
    if (tag.isKnown) tag.elements.push(node)
    this.isComposed ||= isShadowRoot(node) || hasDocument(node) || isPlaceholder(node)
    if (isMarked) for (const attribute of this.#indexed) this.#elementsWith(attribute).push(node)
    this.#push(node, tag)
    if (selfClosing || kind.isVoid) this.#pop()
  }

  #elementsWith(attribute: IndexedAttribute): HtmlNode[] {
    let elements = this.#byAttribute.get(attribute)
    if (elements === undefined) {
      elements = []
      this.#byAttribute.set(attribute, elements)
    }
    return elements
  }

  #closeImplied({ kind }: PageTag): void {
    if (kind.closesParagraph && this.#paragraph.open > 0) this.#closeInScope(this.#paragraph)
    const { impliedEnds } = kind
    if (impliedEnds) this.#closeItem(impliedEnds.items, impliedEnds.containers)
    else if (kind.isHeading && this.#stack[this.#stack.length - 1]!.kind.isHeading) this.#pop()
  }

  /** Closes the nearest open element among `items`, unless an element of `containers` is in between. */
  #closeItem(items: readonly string[], containers: ReadonlySet<string>): void {
    if (!items.some(item => this.#tags.getOrAdd(item).open > 0)) return
    for (let at = this.#stack.length - 1; at > 0; at--) {
      const { tag } = this.#stack[at]!
      if (items.includes(tag)) {
        this.#popTo(at)
        return
      }
      if (containers.has(tag)) return
    }
  }

  #closeInScope(tag: PageTag): void {
    for (let at = this.#stack.length - 1; at > 0; at--) {
      if (this.#openTags[at] === tag) {
        this.#popTo(at)
        return
      }
      if (this.#openTags[at]!.kind.isBarrier) return
    }
  }

  #endTag(tag: PageTag): void {
    const { name, kind } = tag
    this.#flushText()
    this.#atBlockEdge = kind.isBlock
    if (this.#overflow > 0) {
      this.#overflow--
      if (this.#stack.length >= MAX_DEPTH) this.#pop()
      return
    }
    if (name === 'html' || name === 'body') return
    if (tag.open === 0 || tag.unmatchedAt === this.#changes) {
      if (name === 'p') this.#startTag(tag, noAttributes, true)
      return
    }
    for (let at = this.#openTags.length - 1; at > 0; at--) {
      const open = this.#openTags[at]!
      if (open === tag) {
        this.#popTo(at)
        return
      }
      // The end tag of an inline element never closes a block, and only that of a table part closes a cell.
      if (kind.isTablePart ? open.name === 'table' : kind.isBlock ? open.kind.isBarrier : open.kind.isBlock) break
    }
    tag.unmatchedAt = this.#changes
  }

  #mergeAttributes(tag: PageTag, attributes: Attributes): void {
    const node = this.#stack[this.#openTags.indexOf(tag)]
    if (node === undefined) return
    for (const attribute of this.#indexed) {
      if (node.attributes[attribute] !== undefined) continue
      node.isMarked = true
      const elements = this.#elementsWith(attribute)
      elements.splice(elements.findLastIndex(({ index }) => index < node.index) + 1, 0, node)
    }
    node.attributes = { ...attributes, ...node.attributes }
  }

  #push(node: HtmlNode, tag: PageTag): void {
    this.#nodes.push(node)
    this.#stack.push(node)
    this.#openTags.push(tag)
    this.#changes++
    if (this.#preformattedFrom === 0 && showsWhiteSpace(node)) this.#preformattedFrom = this.#stack.length
    if (tag.open++ === 0 && !tag.isKnown) this.#tags.set(tag.name, tag)
    if (tag.kind.isForeign) this.#foreignDepth++
  }

  #pop(): void {
    const node = this.#stack.pop()
    const tag = this.#openTags.pop()
    if (!node || !tag) return
    node.end = this.#nodes.length
    this.#changes++
    if (this.#stack.length < this.#preformattedFrom) this.#preformattedFrom = 0
    if (--tag.open === 0 && !tag.isKnown) this.#tags.delete(tag.name)
    if (tag.kind.isForeign) this.#foreignDepth--
  }

  #popTo(at: number): void {
    while (this.#stack.length > at) this.#pop()
  }

  #closeTextRange(): void {
    if (this.#textStart >= 0) {
      const text = this.#source.slice(this.#textStart, this.#textEnd)
      const decoded = text.includes('&') && !this.#isInRawText() ? decodeHTML(text) : text
      this.#textBefore = this.#textBefore === undefined ? decoded : this.#textBefore + decoded
    }
    this.#leaveTextRange()
  }

  #leaveTextRange(): void {
    this.#textStart = -1
    this.#textEnd = -1
  }

  #isInRawText(): boolean {
    return this.#stack[this.#stack.length - 1]!.kind.isRawText && !this.isInForeignContext()
  }

  /**
   * True if white space is dropped: at the edge of a block, where browsers do not show it. Most texts of a page are
   * such white space.
   */
  #dropsWhiteSpace(): boolean {
    return this.#atBlockEdge && this.#preformattedFrom === 0
  }

  #flushText(): void {
    if (this.#textBefore === undefined && this.#dropsWhiteSpace()) {
      if (isWhiteSpace(this.#source, this.#textStart, this.#textEnd)) this.#leaveTextRange()
    }
    this.#closeTextRange()
    const text = this.#textBefore
    if (text === undefined) return
    this.#textBefore = undefined
    const isBlank = isWhiteSpace(text, 0, text.length)
    if (isBlank && this.#dropsWhiteSpace()) return
    if (!isBlank) this.#atBlockEdge = false
    let parent = this.#stack[this.#stack.length - 1]!
    if (this.#nodes.length >= MAX_NODES) {
      this.#truncated = true
      return
    }
    if (parent.tag === 'head') {
      if (isBlank) return
      this.#pop()
      parent = this.#stack[this.#stack.length - 1]!
    }
    this.#nodes.push(new HtmlNode('', noKind, this.#nodes.length, parent, text, noAttributes, false))
  }
}

const blockKind = kindOf('div')

/** Roles of elements that are shown apart from the elements beside them, as blocks are. */
const blockRoles = new Set(['row', 'cell', 'gridcell', 'columnheader', 'rowheader', 'listitem', 'paragraph', 'heading'])

/** True for the style of an inline element that is shown on lines of its own. */
function isShownAsBlock(style: string | undefined): boolean {
  return (
    style !== undefined && /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item)\b/i.test(style.slice(0, 500))
  )
}

/** True for elements whose white space is shown: by their tag, their style, or as a line of code on GitHub. */
function showsWhiteSpace({ tag, isMarked, attributes }: HtmlNode): boolean {
  if (tag === 'pre' || tag === 'textarea' || tag === 'listing' || tag === 'xmp') return true
  if (tag === 'td' && attributes.class?.includes('blob-code') === true) return true
  if (!isMarked) return false
  const { style } = attributes
  return style !== undefined && /white-space\s*:\s*(?:pre|break-spaces)/i.test(style.slice(0, 500))
}

/** True if the range has only white space, or if both ends are −1. */
function isWhiteSpace(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d && code !== 0x0c)) return false
  }
  return true
}
