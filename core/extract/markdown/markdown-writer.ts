import { clip } from '../../text/characters/surrogates.ts'
import { type Formula, formulaOf } from '../html/formulas.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import { collapse, collapseRuns } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import { pictureSource } from '../html/picture-source.ts'
import { visibleChars } from '../html/text-measure.ts'
import { codeLanguage, codeText } from './code-text.ts'
import { type Footnotes, findFootnotes, isBackLink } from './footnotes.ts'
import { MarkdownBlocks } from './markdown-blocks.ts'
import { codeBlock, codeSpan, escapeInline } from './markdown-escape.ts'
import { MarkdownInline } from './markdown-inline.ts'
import { findDataTables, tableLines } from './markdown-tables.ts'

const MAX_ALT_CHARS = 300
const MAX_LIST_START = 999_999_999

const emphasis = new Map<string, 'strong' | 'emphasis' | 'strike'>([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['em', 'emphasis'],
  ['i', 'emphasis'],
  ['del', 'strike'],
  ['s', 'strike'],
  ['strike', 'strike'],
])

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
  /** For each open list, the number of its next item; 0 for a bulleted list. */
  readonly #lists: number[] = []
  /** The rows of the current data table; undefined outside of tables. Inside, blocks become spaces. */
  #table: string[][] | undefined
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
    const { nodes } = this.#tree
    const openNodes = this.#openNodes
    for (let i = root.index; i < root.end; i++) {
      const node = nodes[i]!
      while (openNodes.length > 0 && openNodes[openNodes.length - 1]!.end <= i) this.#leave(openNodes.pop()!)
      if (this.#dropped[i]) i = node.end - 1
      else if (node.tag === '') this.#text(node)
      else if (this.#writeWhole(node)) i = node.end - 1
      else {
        this.#enter(node)
        openNodes.push(node)
      }
    }
    while (openNodes.length > 0) this.#leave(openNodes.pop()!)
    this.#endBlock()
  }

  finish(): string {
    return this.#blocks.toString()
  }

  #text(node: HtmlNode): void {
    if (visibleChars(node) === 0) {
      this.#inline.space()
      return
    }
    this.#inline.text(escapeInline(collapseRuns(node.text), this.#table !== undefined))
  }

  /**
   * Writes an element that becomes one piece of Markdown. Returns false for other elements, whose descendants the
   * caller must write.
   */
  #writeWhole(node: HtmlNode): boolean {
    const { notes, references } = this.#footnotes
    if (notes.size > 0) {
      const number = references.get(node.index)
      if (number !== undefined) this.#inline.raw(`[^${number}]`)
      if (number !== undefined || (this.#note !== undefined && isBackLink(this.#tree, node))) return true
    }
    const formula = formulaOf(this.#tree, node)
    if (formula) {
      this.#formula(formula)
      return true
    }
    switch (node.tag) {
      case 'br':
        this.#lineBreak(node)
        return true
      case 'hr':
        this.#endBlock()
        if (!this.#table) this.#blocks.add(['---'])
        return true
      case 'img':
        this.#image(node)
        return true
      case 'pre':
      case 'listing':
      case 'xmp':
        this.#code(node)
        return true
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt': {
        const text = collapse(codeText(this.#tree, node, this.#dropped))
        if (text !== '') this.#inline.raw(codeSpan(text, this.#table !== undefined))
        return true
      }
      default:
        return false
    }
  }

  #enter(node: HtmlNode): void {
    const { tag, kind } = node
    const mark = emphasis.get(tag)
    if (mark) {
      if (this.#heading === 0) this.#inline.open(mark)
      return
    }
    if (tag === 'a') {
      const { href } = node.attributes
      const url = this.#links.resolve(href)
      if (url !== undefined && href?.startsWith('#') === false) this.#inline.open('link', url)
      return
    }
    if (!kind.isBlock) return
    if (this.#table) {
      if (tag === 'tr') this.#table.push([])
      else this.#inline.space()
      return
    }
    this.#endBlock()
    const note = this.#table ? undefined : this.#footnotes.notes.get(node.index)
    if (note !== undefined && this.#note === undefined) {
      this.#note = node
      this.#blocks.openNote(note)
    } else if (tag === 'table' && this.#dataTables.has(node.index)) this.#table = []
    else if (tag === 'blockquote') this.#blocks.openQuote()
    else if (tag === 'ul' || tag === 'menu' || tag === 'dir') this.#lists.push(0)
    else if (tag === 'ol') this.#lists.push(listStart(node.attributes.start))
    else if (tag === 'li') this.#openItem()
    else if (kind.isHeading) this.#heading = Number(tag[1])
  }

  #leave(node: HtmlNode): void {
    const { tag, kind } = node
    const mark = emphasis.get(tag)
    if (mark) {
      this.#inline.close(mark)
      return
    }
    if (tag === 'a') {
      this.#inline.close('link')
      return
    }
    if (!kind.isBlock) return
    if (this.#table) {
      if (tag === 'td' || tag === 'th') this.#endCell(node, this.#table)
      else if (tag === 'table') this.#endTable(this.#table)
      else this.#inline.space()
      return
    }
    this.#endBlock()
    if (node === this.#note) {
      this.#note = undefined
      this.#blocks.close()
    } else if (tag === 'blockquote' || tag === 'li') this.#blocks.close()
    else if (tag === 'ul' || tag === 'ol' || tag === 'menu' || tag === 'dir') this.#lists.pop()
    else if (kind.isHeading) this.#heading = 0
  }

  #endBlock(): void {
    const text = this.#inline.take()
    if (text !== '') this.#blocks.addText(text, this.#heading)
  }

  #openItem(): void {
    const at = this.#lists.length - 1
    const number = this.#lists[at] ?? 0
    this.#blocks.openItem(number > 0 ? `${number}.` : '-')
    if (number > 0) this.#lists[at] = Math.min(number + 1, MAX_LIST_START)
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

  #formula({ tex, isDisplay }: Formula): void {
    if (isDisplay && !this.#table && this.#heading === 0) {
      this.#endBlock()
      this.#blocks.add([`$$${tex}$$`])
    } else this.#inline.raw(`$${this.#table ? tex.replaceAll('|', '\\vert ') : tex}$`)
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
    const text = codeText(this.#tree, node, this.#dropped)
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

  #endCell(node: HtmlNode, table: string[][]): void {
    const cell = this.#inline.take()
    const row = table.at(-1) ?? []
    if (table.length === 0) table.push(row)
    row.push(cell.replaceAll(/\s*\n\s*/g, ' '))
    const span = Math.min(Number(node.attributes.colspan) || 1, 20)
    for (let extra = 1; extra < span; extra++) row.push('')
  }

  #endTable(table: readonly string[][]): void {
    const caption = this.#inline.take()
    const rows = table.filter(row => row.some(cell => cell !== ''))
    this.#table = undefined
    if (caption !== '') this.#blocks.addText(caption, 0)
    if (rows.length > 0) this.#blocks.add(tableLines(rows))
  }
}

function listStart(start: string | undefined): number {
  const number = Number(start ?? 1)
  return Number.isSafeInteger(number) && number > 0 && number <= MAX_LIST_START ? number : 1
}
