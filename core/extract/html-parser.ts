import { decodeHTML, decodeHTMLAttribute } from 'entities'
import {
  blockElements,
  closesParagraph,
  headElements,
  headingElements,
  knownTag,
  rawTextElements,
  scopeBarriers,
  tableParts,
  voidElements,
} from './element-kinds.ts'
import { HtmlTokenizer } from './html-tokenizer.ts'
import { type Attributes, HtmlNode, type HtmlTree } from './html-tree.ts'
import { closeStrayCdata } from './stray-cdata.ts'

/** Elements nested deeper become siblings at this depth, in reading order. */
const MAX_DEPTH = 512
const MAX_NODES = 500_000
const MAX_ATTRIBUTES = 256
const MAX_ATTRIBUTE_CHARS = 16_384
const MAX_TAG_CHARS = 64

/** By themselves: a name cut out of the source is another string, and slower to compare. */
const keptAttributes = new Map(
  (
    'alt alttext aria-hidden aria-label cite class colspan content data-content-language data-lang ' +
    'data-language data-lazy-src data-original data-src data-srcset datetime display encoding height hidden ' +
    'href hreflang http-equiv id itemprop itemscope itemtype lang language name open property pubdate rel resource ' +
    'role src srcset start style title type typeof value vocab width xml:lang'
  )
    .split(' ')
    .map(name => [name, name]),
)
const MAX_ATTRIBUTE_NAME_CHARS = 24
const noAttributes: Attributes = Object.freeze({})

/** Start tag → the open elements that it ends, unless one of the containers stands between (HTML 13.2.6.4.7 and on). */
const impliedEnds = new Map<string, { items: readonly string[]; containers: ReadonlySet<string> }>()
for (const [tags, items, containers] of [
  [['li'], ['li'], ['ul', 'ol', 'menu', 'dir']],
  [['dd', 'dt'], ['dd', 'dt'], ['dl']],
  [['tr'], ['tr'], ['table']],
  [
    ['td', 'th'],
    ['td', 'th'],
    ['tr', 'table'],
  ],
  [['tbody', 'thead', 'tfoot'], ['tbody', 'thead', 'tfoot'], ['table']],
  [['option', 'optgroup'], ['option'], ['select', 'datalist', 'optgroup']],
  [['a'], ['a'], [...blockElements]],
]) {
  for (const tag of tags) impliedEnds.set(tag, { items, containers: new Set(containers) })
}

/** Parses HTML into an {@link HtmlTree} in one pass: linear time, bounded depth, nodes and attributes, any input. */
export function parseHtml(source: string): HtmlTree {
  const builder = treeOf(source)
  return (builder.hasStrayCdata ? treeOf(closeStrayCdata(source)) : builder).finish()
}

function treeOf(source: string): TreeBuilder {
  const builder = new TreeBuilder(source)
  const tokenizer = new HtmlTokenizer(builder)
  tokenizer.write(source)
  tokenizer.end()
  return builder
}

/**
 * Builds the tree from the tokenizer's events. htmlparser2's own `Parser` keeps its open elements in an array that it
 * shifts, which is quadratic in depth; here the stack grows at its end and is at most {@link MAX_DEPTH} long.
 */
class TreeBuilder {
  /** The tokenizer took for a CDATA section what is none: see {@link closeStrayCdata}. */
  hasStrayCdata = false

  private readonly source: string
  private readonly nodes: HtmlNode[] = []
  private readonly stack: HtmlNode[] = []
  private readonly tags = new Set<string>()
  private readonly attributeNames = new Set<string>()
  /** Open elements by tag, so that a stray end tag costs nothing. */
  private readonly open = new Map<string, number>()
  private foreignDepth = 0
  /** End tags known to match nothing in reach until the stack changes. */
  private readonly unmatched = new Set<string>()
  /** Elements beyond the depth limit that are open. */
  private overflow = 0
  private truncated = false
  /** Nothing but blocks started or ended since the last text. */
  private atBlockEdge = true

  private textParts: string[] = []
  private textStart = -1
  private textEnd = -1

  private tagName = ''
  private attributes: Record<string, string> | undefined
  private attributeCount = 0
  private attributeName = ''
  private attributeValue = ''

  constructor(source: string) {
    this.source = source
    this.push(new HtmlNode('#root', 0, undefined, '', noAttributes))
  }

  finish(): HtmlTree {
    this.flushText()
    while (this.stack.length > 0) this.pop()
    return { nodes: this.nodes, tags: this.tags, attributes: this.attributeNames, truncated: this.truncated }
  }

  // Tokenizer events

  ontext(start: number, end: number): void {
    if (this.textEnd === start) {
      this.textEnd = end
      return
    }
    this.closeTextRange()
    this.textStart = start
    this.textEnd = end
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.isInForeignContext()) this.ontext(start, end - endOffset)
    else this.hasStrayCdata = true
  }

  oncomment(start: number): void {
    // A section that nothing ends is told as a comment.
    if (this.source.startsWith('[CDATA[', start)) this.hasStrayCdata = true
  }

  // The tokenizer leaves entities as they are.
  ontextentity(): void {}
  onattribentity(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  onopentagname(start: number, end: number): void {
    this.tagName = this.tagAt(start, end)
    this.attributes = undefined
    this.attributeCount = 0
  }

  onattribname(start: number, end: number): void {
    this.attributeName = ''
    if (++this.attributeCount > MAX_ATTRIBUTES || end - start > MAX_ATTRIBUTE_NAME_CHARS) return
    const written = this.source.slice(start, end)
    const name = keptAttributes.get(written) ?? keptAttributes.get(written.toLowerCase())
    if (name !== undefined && this.attributes?.[name] === undefined) this.attributeName = name
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName === '') return
    const value = this.source.slice(start, Math.min(end, start + MAX_ATTRIBUTE_CHARS))
    this.attributeValue = value.includes('&') ? decodeHTMLAttribute(value) : value
  }

  onattribend(): void {
    if (this.attributeName !== '') {
      this.attributes ??= {}
      this.attributes[this.attributeName] = this.attributeValue
      this.attributeNames.add(this.attributeName)
    }
    this.attributeName = ''
    this.attributeValue = ''
  }

  onopentagend(): void {
    this.startTag(this.tagName === 'image' ? 'img' : this.tagName, this.attributes ?? noAttributes, false)
  }

  onselfclosingtag(): void {
    this.startTag(this.tagName, this.attributes ?? noAttributes, this.isInForeignContext() || this.tagName === 'svg')
  }

  onclosetag(start: number, end: number): void {
    const tag = this.tagAt(start, end)
    if (tag === 'br') this.startTag('br', noAttributes, true)
    else if (!voidElements.has(tag)) this.endTag(tag)
  }

  isInForeignContext(): boolean {
    return this.foreignDepth > 0
  }

  private tagAt(start: number, end: number): string {
    // A tag name this long is no element anybody knows; clipping it bounds what a name can cost.
    return knownTag(this.source.slice(start, Math.min(end, start + MAX_TAG_CHARS)))
  }

  // Tree construction

  private startTag(tag: string, attributes: Attributes, selfClosing: boolean): void {
    this.flushText()
    this.atBlockEdge = blockElements.has(tag)
    if (this.nodes.length >= MAX_NODES) {
      this.truncated = true
      return
    }
    const top = this.stack[this.stack.length - 1]
    if ((tag === 'html' || tag === 'body') && this.isOpen(tag)) {
      this.mergeAttributes(tag, attributes)
      return
    }
    if (tag === 'form' && this.isOpen('form')) return
    if (top.tag === 'head' && !headElements.has(tag)) this.pop()
    this.closeImplied(tag)
    if (this.stack.length >= MAX_DEPTH && !voidElements.has(tag) && !selfClosing) {
      this.pop()
      this.overflow++
    }
    this.tags.add(tag)
    const node = new HtmlNode(tag, this.nodes.length, this.stack[this.stack.length - 1], '', attributes)
    this.push(node)
    if (selfClosing || voidElements.has(tag)) this.pop()
  }

  private closeImplied(tag: string): void {
    if (closesParagraph.has(tag) && this.isOpen('p')) this.closeInScope('p')
    const implied = impliedEnds.get(tag)
    if (implied) this.closeItem(implied.items, implied.containers)
    else if (headingElements.has(tag) && headingElements.has(this.stack[this.stack.length - 1].tag)) this.pop()
  }

  /** Ends the nearest open element named in `items`, unless one of `containers` stands between. */
  private closeItem(items: readonly string[], containers: ReadonlySet<string>): void {
    if (!items.some(item => this.isOpen(item))) return
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]
      if (items.includes(tag)) {
        this.popTo(at)
        return
      }
      if (containers.has(tag)) return
    }
  }

  private closeInScope(tag: string): void {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const open = this.stack[at].tag
      if (open === tag) {
        this.popTo(at)
        return
      }
      if (scopeBarriers.has(open)) return
    }
  }

  private endTag(tag: string): void {
    this.flushText()
    this.atBlockEdge = blockElements.has(tag)
    if (this.overflow > 0) {
      this.overflow--
      if (this.stack.length >= MAX_DEPTH) this.pop()
      return
    }
    if (tag === 'html' || tag === 'body') return
    if (!this.isOpen(tag) || this.unmatched.has(tag)) {
      if (tag === 'p') this.startTag('p', noAttributes, true)
      return
    }
    const isBlock = blockElements.has(tag)
    const isTablePart = tableParts.has(tag)
    for (let at = this.stack.length - 1; at > 0; at--) {
      const open = this.stack[at].tag
      if (open === tag) {
        this.popTo(at)
        return
      }
      // A misnested inline end tag never ends a block, and nothing but table tags leaves a cell.
      if (isTablePart ? open === 'table' : isBlock ? scopeBarriers.has(open) : blockElements.has(open)) break
    }
    this.unmatched.add(tag)
  }

  private mergeAttributes(tag: string, attributes: Attributes): void {
    const node = this.stack.find(open => open.tag === tag)
    if (node) node.attributes = { ...attributes, ...node.attributes }
  }

  private isOpen(tag: string): boolean {
    return (this.open.get(tag) ?? 0) > 0
  }

  private push(node: HtmlNode): void {
    this.nodes.push(node)
    this.stack.push(node)
    this.open.set(node.tag, (this.open.get(node.tag) ?? 0) + 1)
    if (node.tag === 'svg' || node.tag === 'math') this.foreignDepth++
    if (this.unmatched.size > 0) this.unmatched.clear()
  }

  private pop(): void {
    const node = this.stack.pop()
    if (!node) return
    node.end = this.nodes.length
    if (node.tag === 'svg' || node.tag === 'math') this.foreignDepth--
    const open = (this.open.get(node.tag) ?? 1) - 1
    // Made-up tag names must not pile up in the map.
    if (open === 0) this.open.delete(node.tag)
    else this.open.set(node.tag, open)
    if (this.unmatched.size > 0) this.unmatched.clear()
  }

  private popTo(at: number): void {
    while (this.stack.length > at) this.pop()
  }

  private closeTextRange(): void {
    if (this.textStart >= 0) {
      const text = this.source.slice(this.textStart, this.textEnd)
      this.textParts.push(text.includes('&') && !this.isInRawText() ? decodeHTML(text) : text)
    }
    this.textStart = -1
    this.textEnd = -1
  }

  private isInRawText(): boolean {
    return rawTextElements.has(this.stack[this.stack.length - 1].tag) && !this.isInForeignContext()
  }

  private flushText(): void {
    this.closeTextRange()
    if (this.textParts.length === 0) return
    const text = this.textParts.length === 1 ? this.textParts[0] : this.textParts.join('')
    this.textParts = []
    const isBlank = isWhiteSpace(text)
    // White space next to a block's edge is never rendered; most of a page's texts are such.
    if (isBlank && this.atBlockEdge && !this.isOpen('pre') && !this.isOpen('textarea')) return
    if (!isBlank) this.atBlockEdge = false
    const parent = this.stack[this.stack.length - 1]
    if (this.nodes.length >= MAX_NODES) {
      this.truncated = true
      return
    }
    if (parent.tag === 'head' && isBlank) return
    if (parent.tag === 'head') this.pop()
    this.nodes.push(new HtmlNode('', this.nodes.length, this.stack[this.stack.length - 1], text, noAttributes))
  }
}

function isWhiteSpace(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d && code !== 0x0c)) return false
  }
  return true
}
