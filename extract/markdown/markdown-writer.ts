import { clip } from '../characters/surrogates.ts'
import { isListing } from '../html/code-listings.ts'
import { type Formula, formulaOf, texFormula } from '../html/formulas.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import { collapse, collapseRuns, textOf } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import { pictureSource } from '../html/picture-source.ts'
import { type ScriptElement, scriptElement } from '../html/script-elements.ts'
import { isSentenceButton } from '../html/sentence-button.ts'
import { visibleChars } from '../html/text-measure.ts'
import { codeLanguage, codeText, isGutterColumn } from './code-text.ts'
import { type Footnotes, findFootnotes, isBackLink } from './footnotes.ts'
import { markOf } from './inline-marks.ts'
import { isApart } from './inline-neighbors.ts'
import { boxOfCell, ListMarkers } from './list-markers.ts'
import { MarkdownBlocks } from './markdown-blocks.ts'
import { codeBlock, codeSpan, escapeInline } from './markdown-escape.ts'
import { MarkdownInline } from './markdown-inline.ts'
import { captionAfter, findDataTables, TableGrid } from './markdown-tables.ts'
import { quotationMarks, startsWithMark } from './quotation-marks.ts'
import { RubyReadings } from './ruby-readings.ts'
import { splitTex } from './tex-in-text.ts'

const MAX_ALT_CHARS = 300
const lists = new Set(['ul', 'ol', 'menu', 'dir'])

/** The parts of a page to write. */
export interface ChosenParts {
  /** The elements to write, in document order. None contains another. */
  roots: readonly HtmlNode[]
  /** For each node, not 0 if it is left out with all its descendants. */
  dropped: Uint8Array
  /** Captions of images, by node index of the image. */
  captions: ReadonlyMap<number, string>
}

/** Writes the chosen parts of a page as CommonMark with GFM tables and strikethrough, directly from the tree. */
export function writeMarkdown(tree: HtmlTree, parts: ChosenParts, links: LinkResolver): string {
  const writer = new MarkdownWriter(tree, parts, links)
  for (const root of parts.roots) writer.write(root)
  return writer.finish()
}

class MarkdownWriter {
  readonly #tree: HtmlTree
  readonly #dropped: Uint8Array
  readonly #captions: ReadonlyMap<number, string>
  readonly #links: LinkResolver
  readonly #footnotes: Footnotes
  readonly #dataTables: Set<number>
  readonly #blocks = new MarkdownBlocks()
  readonly #inline = new MarkdownInline()
  /** Elements whose start is written and whose end is not. */
  readonly #openNodes: HtmlNode[] = []
  readonly #lists = new ListMarkers()
  readonly #readings = new RubyReadings()
  /** What is written when an open element ends, by node index: the closing mark of a quotation or reference. */
  readonly #closing = new Map<number, string>()
  /** Lists directly in lists, which are written in the item before them. */
  readonly #indented = new Set<number>()
  /** Captions that were written before their table. */
  readonly #written = new Set<number>()
  /** Number of open elements whose line breaks are shown. */
  #keepsLines = 0
  /** The current data table; undefined outside of tables. Inside, blocks become spaces. */
  #table: TableGrid | undefined
  /** Level of the current heading; 0 outside of headings. */
  #heading = 0
  /** The current footnote; undefined outside of footnotes. */
  #note: HtmlNode | undefined

  constructor(tree: HtmlTree, { dropped, captions }: ChosenParts, links: LinkResolver) {
    this.#tree = tree
    this.#dropped = dropped
    this.#captions = captions
    this.#links = links
    this.#footnotes = findFootnotes(tree, dropped)
    this.#dataTables = findDataTables(tree, dropped)
  }

  write(root: HtmlNode): void {
    this.#walk(root)
    this.#endBlock()
  }

  /** Writes an element. Calls itself for the caption of a table, which is written before the table even if it follows it in the page. */
  #walk(root: HtmlNode): void {
    const { nodes } = this.#tree
    const openNodes = this.#openNodes
    const outer = openNodes.length
    for (let i = root.index; i < root.end; i++) {
      const node = nodes[i]!
      while (openNodes.length > outer && openNodes[openNodes.length - 1]!.end <= i) this.#leave(openNodes.pop()!)
      if (this.#dropped[i] || this.#written.has(i)) i = node.end - 1
      else if (node.tag === '') this.#text(node)
      else {
        const end = this.#writeWhole(node)
        if (end > i) i = end - 1
        else {
          this.#enter(node)
          openNodes.push(node)
        }
      }
    }
    while (openNodes.length > outer) this.#leave(openNodes.pop()!)
  }

  finish(): string {
    return this.#blocks.toString()
  }

  #text(node: HtmlNode): void {
    this.#readings.addBase(node.text)
    if (this.#keepsLines > 0 && node.text.includes('\n') && !this.#table && this.#heading === 0) {
      this.#lines(node.text)
      return
    }
    if (visibleChars(node) === 0) {
      this.#inline.space()
      return
    }
    for (const part of splitTex(node.text)) {
      const formula = part.isFormula ? texFormula(part.text, part.isDisplay) : undefined
      if (formula) this.#formula(formula)
      else this.#words(part.text)
    }
  }

  #words(text: string): void {
    this.#inline.text(escapeInline(collapseRuns(text), this.#table !== undefined))
  }

  /** Writes text whose line breaks are shown. An empty line ends the paragraph. */
  #lines(text: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) {
        if (this.#inline.endsLine) this.#endBlock()
        else this.#inline.lineBreak()
      }
      if (line.trim() !== '') this.#words(line)
    }
  }

  /**
   * Writes an element that becomes one piece of Markdown, and returns the index after its last node. Returns 0 for other
   * elements, whose descendants the caller must write.
   */
  #writeWhole(node: HtmlNode): number {
    const { notes, references, loose } = this.#footnotes
    if (loose.has(node.index)) {
      const mark = textOf(this.#tree, node, MAX_MARK_NODES).replace(/[[\]()\s]/g, '')
      this.#inline.raw(`\\[${escapeInline(mark, true)}\\]`)
      return node.end
    }
    if (notes.size > 0) {
      const number = references.get(node.index)
      if (number !== undefined) this.#inline.raw(`[^${number}]`)
      if (number !== undefined || (this.#note !== undefined && isBackLink(this.#tree, node, this.#note)))
        return node.end
    }
    const formula = formulaOf(this.#tree, node)
    if (formula) {
      this.#formula(formula)
      return node.end
    }
    switch (node.tag) {
      case 'br':
        this.#lineBreak(node)
        return node.end
      case 'hr':
        this.#endBlock()
        if (!this.#table) this.#blocks.add(['---'])
        return node.end
      case 'img':
        this.#image(node)
        return node.end
      case 'pre':
      case 'listing':
      case 'xmp':
      case 'plaintext':
        if (!isGutterColumn(this.#tree, node)) this.#code(node)
        return node.end
      case 'td':
        return !this.#table && isGutterColumn(this.#tree, node) ? node.end : 0
      case 'table':
      case 'div':
        if (node.tag === 'div' && isGutterColumn(this.#tree, node)) return node.end
        if (!isListing(this.#tree, node)) return 0
        this.#code(node)
        return node.end
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        this.#codeInText(node)
        return node.end
      case 'rt':
      case 'rtc':
        this.#readings.addReading(this.#tree, node)
        return node.end
      default:
        return this.#script(node)
    }
  }

  /** Writes a raised or lowered element as {@link scriptElement} says. */
  #script(node: HtmlNode): number {
    const script = scriptElement(this.#tree, node)
    if (script === undefined) return 0
    if (script.kind === 'text') {
      this.#words(script.text)
      return script.end
    }
    this.#openScript(node, script)
    return 0
  }

  /** Separates a raised or lowered element from the words around it: the mark of a note by brackets, other text by spaces. */
  #openScript(node: HtmlNode, { kind, end }: ScriptElement): void {
    const { nodes } = this.#tree
    const { references } = this.#footnotes
    let isReference = false
    let text = ''
    for (let i = node.index + 1; i < end && i < node.index + MAX_MARK_NODES; i++) {
      isReference ||= references.has(i)
      text += nodes[i]!.text
    }
    if (isReference || text.trim() === '') return
    if (kind === 'remark') {
      this.#inline.space()
      if (/^[\p{L}\p{N}]/u.test(nodes[end]?.text ?? '')) this.#closing.set(node.index, ' ')
    } else if (!/^\s*[[(]/.test(text)) {
      this.#inline.raw('\\[')
      this.#closing.set(node.index, '\\]')
    }
  }

  #enter(node: HtmlNode): void {
    const { tag, kind } = node
    if (keepsLines(node)) this.#keepsLines++
    const mark = markOf(node)
    if (mark) {
      if (this.#heading === 0) this.#inline.open(mark)
      return
    }
    if (tag === 'q') this.#openQuotation(node)
    else if (tag === 'ruby') this.#readings.open()
    if (tag === 'a') {
      const { href } = node.attributes
      const url = this.#links.resolve(href)
      if (url !== undefined && href?.startsWith('#') === false) this.#inline.open('link', url)
      return
    }
    if (isApart(this.#tree, node)) this.#inline.space()
    if (!kind.isBlock || isSentenceButton(this.#tree, node)) return
    if (this.#table) {
      if (tag === 'tr') this.#table.addRow()
      else this.#inline.space()
      return
    }
    if (!isParagraph(tag) || !this.#inline.isLabelOnly) this.#endBlock()
    const note = this.#table ? undefined : this.#footnotes.notes.get(node.index)
    if (note !== undefined && this.#note === undefined) {
      this.#note = node
      this.#blocks.openNote(note)
    } else if (tag === 'table' && this.#dataTables.has(node.index)) this.#openTable(node)
    else if (tag === 'blockquote') this.#blocks.openQuote()
    else if (lists.has(tag)) this.#openList(node)
    else if (tag === 'li') this.#openItem(node)
    else if (kind.isHeading) this.#heading = Number(tag[1])
  }

  #leave(node: HtmlNode): void {
    const { tag, kind } = node
    if (keepsLines(node)) this.#keepsLines--
    const mark = markOf(node)
    if (mark) this.#inline.close(mark)
    const closing = this.#closing.get(node.index)
    if (closing === ' ') this.#inline.space()
    else if (closing !== undefined) this.#inline.raw(closing)
    if (mark) return
    if (tag === 'ruby') this.#readings.close()
    if (tag === 'a') {
      this.#inline.close('link')
      return
    }
    if (!kind.isBlock || isSentenceButton(this.#tree, node)) return
    if (this.#table) {
      if (tag === 'td' || tag === 'th')
        this.#table.addCell(this.#takeText() || boxOfCell(this.#tree, node), node.attributes)
      else if (tag === 'caption') this.#table.addCaption(this.#takeText())
      else if (tag === 'table') this.#endTable(this.#table)
      else if (tag === 'tbody' || tag === 'thead' || tag === 'tfoot') this.#table.endGroup()
      else this.#inline.space()
      return
    }
    this.#endBlock()
    if (node === this.#note) {
      this.#note = undefined
      this.#blocks.close()
    } else if (tag === 'blockquote' || tag === 'li') this.#blocks.close()
    else if (lists.has(tag)) this.#closeList(node)
    else if (kind.isHeading) this.#heading = 0
  }

  #endBlock(): void {
    const text = this.#takeText()
    if (text !== '') this.#blocks.addText(text, this.#heading)
  }

  /** Returns the Markdown of the current block, with the readings of its ruby at the end. */
  #takeText(): string {
    const readings = this.#readings.take()
    if (readings !== '') {
      this.#inline.space()
      this.#words(readings)
    }
    return this.#inline.take()
  }

  #openQuotation(node: HtmlNode): void {
    const before = this.#tree.nodes[node.index - 1]
    const first = this.#tree.nodes[node.index + 1]
    if (startsWithMark(before?.text.slice(-1) ?? '') || startsWithMark(first?.text ?? '')) return
    const [open, close] = quotationMarks(node)
    this.#inline.text(open)
    this.#closing.set(node.index, close)
  }

  #openList(node: HtmlNode): void {
    // A list directly in a list belongs to the item before it.
    if (lists.has(node.parent?.tag ?? '') && this.#lists.width > 0) {
      this.#blocks.openIndent(this.#lists.width)
      this.#indented.add(node.index)
    }
    this.#lists.open(this.#tree, node)
  }

  #closeList(node: HtmlNode): void {
    this.#lists.close()
    if (this.#indented.delete(node.index)) this.#blocks.close()
  }

  #openItem(node: HtmlNode): void {
    const { marker, label } = this.#lists.next(this.#tree, node)
    this.#blocks.openItem(marker)
    if (label !== '') this.#inline.label(label)
  }

  /** Writes a `<br>`. Two in a row end the paragraph, as they appear to readers. */
  #lineBreak(node: HtmlNode): void {
    if (this.#table || this.#heading > 0) {
      this.#inline.space()
      return
    }
    let next = node.index + 1
    while (
      next < this.#tree.nodes.length &&
      this.#tree.nodes[next]!.tag === '' &&
      this.#tree.nodes[next]!.text.trim() === ''
    )
      next++
    if (this.#tree.nodes[next]?.tag === 'br') this.#endBlock()
    else this.#inline.lineBreak()
  }

  #formula({ source, isTex, isDisplay }: Formula): void {
    const ownLine = isDisplay && !this.#table && this.#heading === 0
    if (ownLine) this.#endBlock()
    if (!isTex) {
      if (/^\d/.test(source) && this.#inline.endsWithDigit) this.#inline.space()
      this.#words(source)
      if (ownLine) this.#endBlock()
    } else if (ownLine) this.#blocks.add([`$$${source}$$`])
    else this.#inline.raw(`$${this.#table ? source.replaceAll('|', '\\vert ') : source}$`)
  }

  #image(node: HtmlNode): void {
    const url = this.#links.resolve(pictureSource(node.attributes))
    if (url === undefined) return
    const caption = this.#captions.get(node.index)
    const alt = escapeInline(caption ?? clip(collapse(node.attributes.alt ?? ''), MAX_ALT_CHARS), true)
    this.#inline.raw(`![${alt}](${url.replace(/[()|\s]/g, char => `%${char.charCodeAt(0).toString(16)}`)})`)
    this.#inline.space()
  }

  #code(node: HtmlNode): void {
    const text = codeText(this.#tree, node)
      .replace(/^(?:[^\S\n]*\n)+/, '')
      .trimEnd()
    if (text === '') return
    if (this.#table) {
      this.#inline.raw(codeSpan(collapse(text), true))
      return
    }
    this.#endBlock()
    this.#blocks.add(codeBlock(text, codeLanguage(this.#tree, node)))
  }

  /** Writes code in a line of text. If it has lines of its own, it is a block. */
  #codeInText(node: HtmlNode): void {
    const { nodes } = this.#tree
    let hasLines = false
    for (let i = node.index + 1; i < node.end && !hasLines; i++) hasLines = nodes[i]!.tag === 'br'
    if ((hasLines || keepsLines(node)) && !this.#table && this.#heading === 0) {
      this.#code(node)
      return
    }
    const text = collapse(codeText(this.#tree, node))
    if (text !== '') this.#inline.raw(codeSpan(text, this.#table !== undefined))
  }

  #openTable(node: HtmlNode): void {
    const caption = captionAfter(this.#tree, node)
    if (caption && !this.#dropped[caption.index] && !this.#written.has(caption.index)) {
      this.#walk(caption)
      this.#endBlock()
      this.#written.add(caption.index)
    }
    this.#table = new TableGrid()
  }

  #endTable(table: TableGrid): void {
    const rest = this.#takeText()
    if (rest !== '') table.addCaption(rest)
    this.#table = undefined
    if (table.caption !== '') this.#blocks.addText(table.caption, 0)
    const lines = table.lines()
    if (lines.length > 0) this.#blocks.add(lines)
  }
}

/** Maximum number of nodes of a raised or lowered element in which a reference to a footnote is searched for. */
const MAX_MARK_NODES = 40

/** True for elements whose text may follow the label of an item. */
function isParagraph(tag: string): boolean {
  return tag === 'p' || tag === 'div'
}

/** True if the line breaks in an element are shown, by its style or a class of Tailwind. */
function keepsLines({ isMarked, attributes: { class: classes, style } }: HtmlNode): boolean {
  if (isMarked && style !== undefined && /white-space\s*:\s*(?:pre|break-spaces)/i.test(style.slice(0, 500)))
    return true
  return classes?.includes('whitespace-pre') === true
}
