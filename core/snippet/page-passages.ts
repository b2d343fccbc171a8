import { isLowSurrogate } from '@asof/extract/characters'
import {
  endOfLine,
  fenceLength,
  followLine,
  isBlankLine,
  type LineContext,
  type MarkdownLine,
  readLine,
} from '../text/markdown/markdown-lines.ts'

/** A part of a page that an answer shows in full. */
export interface PagePassage {
  kind: 'heading' | 'paragraph' | 'item' | 'row' | 'code'
  /**
   * UTF-16 offsets `[start, end)` in the Markdown. A passage is made of whole lines, except for the parts of a long
   * paragraph.
   */
  start: number
  end: number
  /**
   * Index of the earlier passage that this one belongs under: the heading of its section, the head of its table, the
   * line that introduces it with a colon, or the list item that contains it.
   */
  under?: number
  /** Level of a heading, 1 to 6. Absent for other passages. */
  level?: number
}

/** Maximum length of a paragraph, UTF-16 units. Longer paragraphs are split. */
export const MAX_PARAGRAPH_UNITS = 1_000

/** Splits the Markdown of a page into headings, paragraphs, list items, table rows and code blocks, in order. */
export function pagePassages(markdown: string): PagePassage[] {
  const reader = new PassageReader(markdown)
  for (let at = 0; at < markdown.length; ) {
    const end = endOfLine(markdown, at)
    reader.line(at, end)
    at = end + 1
  }
  return reader.passages
}

class PassageReader {
  readonly passages: PagePassage[] = []
  readonly #text: string
  readonly #context: LineContext = { inParagraph: false, inOrderedList: false, inTable: false }
  /** Indexes of the headings that the current text is under, outermost first. */
  readonly #headings: number[] = []
  /** The current list item, and the items that contain it, outermost first. */
  #items: { index: number; indent: number }[] = []
  /** Index of the passage that the current list belongs under. */
  #lead: number | undefined
  /** Index of the passage that is the head of the current table. */
  #tableHead: number | undefined
  /** The fence that opened the current code block. Undefined outside of code blocks. */
  #fence: { mark: string; length: number } | undefined

  constructor(text: string) {
    this.#text = text
  }

  line(start: number, end: number): void {
    if (this.#fence) {
      this.#codeLine(start, end)
      return
    }
    const line = readLine(this.#text, start, end, this.#context)
    const continues = line.kind === 'text' && this.#context.inParagraph && !line.opensItem
    if (line.kind !== 'row' && line.kind !== 'rule') this.#tableHead = undefined
    if (continues) this.#last.end = end
    else this.#begin(line, start, end)
    followLine(this.#context, line, continues)
  }

  get #last(): PagePassage {
    return this.passages[this.passages.length - 1]!
  }

  #begin(line: MarkdownLine, start: number, end: number): void {
    switch (line.kind) {
      case 'blank':
        break
      case 'rule':
        // A row of dashes directly below the head of a table belongs to the head. Any other rule ends a list.
        if (this.#context.inTable && this.#tableHead === this.passages.length - 1) this.#last.end = end
        else this.#leaveList()
        break
      case 'heading':
        this.#heading(line, start, end)
        break
      case 'fence':
        this.#fence = { mark: this.#text[line.start]!, length: fenceLength(this.#text, line.start, end) }
        this.#add('code', start, end, this.#introduced())
        break
      case 'row':
        if (this.#tableHead === undefined) {
          this.#add('row', start, end, this.#introduced())
          this.#tableHead = this.passages.length - 1
        } else this.#add('row', start, end, this.#tableHead)
        break
      case 'text':
        if (line.opensItem) this.#item(start, end)
        else this.#paragraph(start, end)
    }
  }

  #codeLine(start: number, end: number): void {
    const { mark, length } = this.#fence!
    this.#last.end = end
    let at = start
    while (at < end && (this.#text.charCodeAt(at) <= 0x20 || this.#text[at] === '>')) at++
    const marks = fenceLength(this.#text, at, end)
    if (this.#text[at] === mark && marks >= length && isBlankLine(this.#text, at + marks, end)) this.#fence = undefined
  }

  #heading(line: MarkdownLine, start: number, end: number): void {
    let level = 0
    while (this.#text[line.start - level - 1] === '#') level++
    while (this.#headings.length > 0 && this.passages[this.#headings.at(-1)!]!.level! >= level) this.#headings.pop()
    this.#leaveList()
    this.#add('heading', start, end, this.#headings.at(-1))
    this.#last.level = level
    this.#headings.push(this.passages.length - 1)
  }

  #paragraph(start: number, end: number): void {
    const nested = this.#items.length > 0 && this.#text.charCodeAt(start) <= 0x20
    if (!nested) this.#leaveList()
    this.#add('paragraph', start, end, nested ? this.#items.at(-1)!.index : this.#headings.at(-1))
  }

  #item(start: number, end: number): void {
    let indent = 0
    while (this.#text.charCodeAt(start + indent) <= 0x20) indent++
    const lead = this.#items.length === 0 ? this.#introduced() : this.#lead
    this.#lead = lead
    while (this.#items.length > 0 && this.#items.at(-1)!.indent >= indent) this.#items.pop()
    this.#add('item', start, end, this.#items.at(-1)?.index ?? lead)
    this.#items.push({ index: this.passages.length - 1, indent })
  }

  /** Returns the index of the passage under which a list, table or code block that starts here belongs. */
  #introduced(): number | undefined {
    const before = this.passages.length - 1
    const last = this.passages[before]
    const introduces =
      last &&
      last.kind !== 'heading' &&
      this.#text
        .slice(last.end - 3, last.end)
        .trimEnd()
        .endsWith(':')
    return introduces ? before : this.#headings.at(-1)
  }

  #leaveList(): void {
    this.#items = []
    this.#lead = undefined
  }

  #add(kind: PagePassage['kind'], start: number, end: number, under: number | undefined): void {
    this.passages.push({ kind, start, end, under })
  }
}

/**
 * Splits a range of text into parts of at most `most` units. A part ends at the last end of a sentence
 * in its second half or, if there is none, between words. Without any gap it ends at the limit, but never inside a
 * surrogate pair.
 */
export function paragraphParts(
  text: string,
  start: number,
  end: number,
  most = MAX_PARAGRAPH_UNITS,
): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = []
  let from = start
  while (end - from > most) {
    const to = from + most
    const half = from + most / 2
    let partEnd = 0
    let gap = 0
    for (let at = to; at > half && partEnd === 0; at--) {
      if (text.charCodeAt(at) > 0x20 && !'。！？'.includes(text[at - 1]!)) continue
      if (gap === 0) gap = at
      if ('.!?。！？'.includes(text[at - 1]!)) partEnd = at
    }
    if (partEnd === 0) partEnd = gap
    if (partEnd === 0) partEnd = isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to
    parts.push({ start: from, end: partEnd })
    from = partEnd
  }
  parts.push({ start: from, end })
  return parts
}
