import { plainText } from '@asof/core/internal'
import { foldedWords } from './value-reading.ts'

/** A range of the Markdown, UTF-16 units. */
export type Range = readonly [start: number, end: number]

/** A text of the page with a label, such as `Price: 12 €` or a row of a table. */
export interface LabeledText {
  label: string
  /** The folded words of the label, without those in brackets. */
  words: readonly string[]
  /** True if the label has more words, in brackets. */
  hasMore: boolean
  value: Range
  /**
   * True if the text may be something else than the value of the label: the next paragraph, or the head of the next column. Only values that
   * are recognized by their form, such as numbers, are taken from it.
   */
  isLoose: boolean
}

/** A table with a head. */
export interface LabeledTable {
  /** The head of each column. */
  head: readonly { label: string; cell: Range }[]
  /** The number of the first column with each head, by the joined folded words of the head. */
  columns: ReadonlyMap<string, number>
  rows: readonly (readonly Range[])[]
}

const MAX_LABEL_CHARS = 60
const MAX_LABEL_WORDS = 6
/** Maximum number of labels of one page. */
const MAX_LABELS = 5_000
/** Maximum number of tables of one page, and of columns of one table. */
const MAX_TABLES = 1_000
const MAX_COLUMNS = 200
/** Matches the row of dashes below the head of a table, without white space at its ends. */
const DELIMITERS = /^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$/
const FENCE = /^\s{0,3}(?:```|~~~)/
const LINE_MARK = /^\s*(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s+|#{1,6}\s+)?/
/** The label is in the same emphasis as the colon, or before it, or plain. */
const LABEL = /^([*_]{0,3})([^:：|*_`<>\n]{1,60}?)([*_]{0,3})\s?[:：]([*_]{0,3})(?=\s|(?<=：))\s*/
/** The next label in the same line: `**Color:** red **Size:** L`, or `SKU: A4 Category: cups`. */
const NEXT_LABEL = /\s(?:(?:\*\*|__)[^:*_\n]{1,60}?(?:\*\*|__)?\s?[:：]|\p{Lu}\p{Ll}{2,30}:\s)/u

interface Line {
  start: number
  end: number
  text: string
}

/** Finds the labels of a page in tables, in lines such as `Label: value`, and in paragraphs before their value. */
export function labelsOf(markdown: string): { labels: LabeledText[]; tables: LabeledTable[] } {
  const labels: LabeledText[] = []
  const tables: LabeledTable[] = []
  const add: AddLabel = (label, value, isLoose = false) => {
    const labeled = labels.length < MAX_LABELS ? labeledText(markdown, label, value, isLoose) : undefined
    if (labeled) labels.push(labeled)
  }
  const lines = linesOf(markdown)
  let rows: Range[][] | undefined
  for (const [at, line] of lines.entries()) {
    const isRow = line.text.includes('|')
    if (rows && isRow) {
      if (!isDelimiters(line)) rows.push(cellsOf(line, MAX_COLUMNS))
    } else if (isRow && tables.length < MAX_TABLES && isDelimiters(lines[at + 1])) {
      rows = []
      const head = cellsOf(line, MAX_COLUMNS).map(cell => {
        return { label: readableText(markdown.slice(...cell)), cell }
      })
      const columns = head.map(({ label }, column): [string, number] => [foldedWords(label).join(''), column])
      tables.push({ head, columns: new Map(columns.reverse()), rows })
    } else {
      rows = undefined
      addLine(line, [lines[at + 1], lines[at + 2]], add)
    }
  }
  for (const { head, rows } of tables) addTable(head, rows, add)
  return { labels, tables }
}

type AddLabel = (label: Range, value: Range, isLoose?: boolean) => void

/** @param behind - the two lines behind the line. */
function addLine(line: Line, [next, value]: readonly (Line | undefined)[], add: AddLabel): void {
  const start = line.start + markOf(line)
  const rest = line.text.slice(markOf(line))
  const found = LABEL.exec(rest)
  if (found) {
    const [all, before = '', label = ''] = found
    const text = rest.slice(all.length)
    const from = start + all.length
    const labelStart = start + before.length
    if (text !== '' && !text.startsWith('//'))
      add([labelStart, labelStart + label.length], [from, from + (NEXT_LABEL.exec(text)?.index ?? text.length)])
    return
  }
  const mayBeLabel = rest.length <= MAX_LABEL_CHARS && /[\p{L}*_]$/u.test(rest) && next?.text === ''
  if (mayBeLabel && value && value.text !== '' && !/^\s*[#|]/.test(value.text))
    add([start, line.end], [value.start + markOf(value), value.end], true)
}

function isDelimiters(line: Line | undefined): boolean {
  return line !== undefined && DELIMITERS.test(line.text.trimStart())
}

function markOf({ text }: Line): number {
  return LINE_MARK.exec(text)?.[0].length ?? 0
}

function linesOf(markdown: string): Line[] {
  const lines: Line[] = []
  let isCode = false
  let start = 0
  for (const text of markdown.split('\n')) {
    if (FENCE.test(text)) isCode = !isCode
    else if (!isCode) lines.push({ start, end: start + text.length, text: text.trimEnd() })
    start += text.length + 1
  }
  return lines
}

/** Adds the rows of a table with two columns, or the one row of a table with more. */
function addTable(head: LabeledTable['head'], rows: LabeledTable['rows'], add: AddLabel): void {
  const [first, second, ...others] = head
  if (first && second && others.length === 0) {
    // The head is the first row of a table that has no head.
    add(first.cell, second.cell, true)
    for (const [label, value] of rows) if (label && value) add(label, value)
  } else if (rows.length === 1)
    for (const [i, { cell }] of head.entries()) {
      const value = rows[0]?.[i]
      if (value) add(cell, value)
    }
}

/** Returns the first cells of a row. */
function cellsOf({ text, start }: Line, most: number): Range[] {
  const cells: Range[] = []
  let from = text.search(/\S/)
  if (text[from] === '|') from++
  for (let at = from; at <= text.length && cells.length < most; at++) {
    if (at < text.length && (text[at] !== '|' || text[at - 1] === '\\')) continue
    if (at === text.length && text.slice(from).trim() === '') break
    cells.push([start + from, start + at])
    from = at + 1
  }
  return cells
}

function labeledText(markdown: string, label: Range, value: Range, isLoose: boolean): LabeledText | undefined {
  const shown = readableText(markdown.slice(...label))
  const range = inner(markdown, value)
  if (shown.length > MAX_LABEL_CHARS || range[0] >= range[1]) return undefined
  const own = shown.replace(/\([^()]*\)/g, ' ')
  const words = foldedWords(own)
  if (words.length === 0 || words.length > MAX_LABEL_WORDS) return undefined
  return { label: shown, words, hasMore: own !== shown, value: range, isLoose }
}

/** Returns a part of a line of Markdown as a reader sees it. At the beginning of a line, `15. May` would be an item of a list. */
export function readableText(markdown: string): string {
  return plainText(`a ${markdown}`).slice(2).trim()
}

/** Returns a range without white space, marks of emphasis, and separators at its ends. */
export function inner(markdown: string, [start, end]: Range): Range {
  let from = start
  let to = end
  while (from < to && OUTER.has(markdown.charAt(from))) from++
  while (to > from && (OUTER.has(markdown.charAt(to - 1)) || SEPARATORS.has(markdown.charAt(to - 1)))) to--
  return [from, to]
}

const OUTER = new Set(' \t\r\n\u00a0*_\\')
const SEPARATORS = new Set(',;|•·')
