import { findByTag } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'

const MAX_COLUMNS = 100
/** Maximum characters of a cell in a data table. A cell with more is a column of the layout. */
const MAX_CELL_CHARS = 600

/**
 * Returns the node indexes of tables with data. A data table has at least two rows and two columns. It contains no
 * table, heading, code block or form, and no list or long cell unless it has header cells. Other tables only lay out the page, so their cells are written as
 * blocks.
 */
export function findDataTables(tree: HtmlTree, dropped: Uint8Array): Set<number> {
  if (findByTag(tree, 'table').length === 0) return new Set()
  const { nodes } = tree
  const owner = new Int32Array(nodes.length).fill(-1)
  const layout = new Set<number>()
  const shape = new Map<number, TableShape>()
  let cellStart = 0
  let cellChars = 0
  for (let i = 1; i < nodes.length; i++) {
    if (dropped[i]) {
      i = nodes[i]!.end - 1
      continue
    }
    const node = nodes[i]!
    const table = owner[node.parent?.index ?? 0]!
    owner[i] = table
    switch (node.tag) {
      case 'table':
        if (table >= 0) layout.add(table)
        if (node.attributes.role === 'presentation' || node.attributes.role === 'none') layout.add(i)
        owner[i] = i
        shape.set(i, { rows: 0, cells: 0, most: 0, wide: 0, spannedTo: 0, isHeaded: false, hasBlocks: false })
        break
      case 'tr': {
        const row = shape.get(table)
        if (row) {
          row.rows++
          row.cells = row.rows <= row.spannedTo ? 1 : 0
        }
        break
      }
      case 'td':
      case 'th': {
        const row = shape.get(table)
        if (row) {
          row.isHeaded ||= node.tag === 'th'
          row.most = Math.max(row.most, ++row.cells)
          if (row.cells === 2) row.wide++
          if (node.attributes.rowspan !== undefined)
            row.spannedTo = Math.max(row.spannedTo, row.rows + (Number(node.attributes.rowspan) || 1) - 1)
        }
        cellStart = node.end
        cellChars = 0
        break
      }
      case '':
        if (table >= 0 && i < cellStart) {
          cellChars += node.text.length
          if (cellChars > MAX_CELL_CHARS && node.text.trim().length > MAX_CELL_CHARS / 4)
            shape.get(table)!.hasBlocks = true
        }
        break
      case 'h1':
      case 'h2':
      case 'h3':
      case 'pre':
      case 'form':
        if (table >= 0) layout.add(table)
        break
      case 'blockquote':
      case 'ul':
      case 'ol':
      case 'dl':
        if (table >= 0) shape.get(table)!.hasBlocks = true
        break
    }
  }
  const data = new Set<number>()
  for (const [index, { rows, most, wide, isHeaded, hasBlocks }] of shape) {
    const isLayout = layout.has(index) || (hasBlocks && !isHeaded)
    if (rows >= 2 && most >= 2 && wide >= 2 && most <= MAX_COLUMNS && !isLayout) data.add(index)
  }
  return data
}

/** What shows whether a table has data. */
interface TableShape {
  rows: number
  /** Number of cells in the current row. */
  cells: number
  most: number
  /** Number of rows with at least two cells. */
  wide: number
  /** The last row into which a cell reaches from above. */
  spannedTo: number
  isHeaded: boolean
  /** True if a cell has a list, a quotation or much text. */
  hasBlocks: boolean
}

/**
 * The cells of a table, each in the column in which browsers show it. A cell that spans several places has its text in the first one; the
 * others are empty.
 */
export class TableGrid {
  readonly #rows: string[][] = []
  /** For each column, the first row that is free of a cell from above. */
  #freeFrom: number[] = []
  #column = 0
  #caption = ''

  get caption(): string {
    return this.#caption
  }

  addCaption(text: string): void {
    this.#caption = `${this.#caption} ${text}`.trim()
  }

  addRow(): void {
    this.#rows.push([])
    this.#column = 0
  }

  /** Adds a cell of inline Markdown to the last row. `colspan` and `rowspan` are limited as in HTML 4.9.11. */
  addCell(markdown: string, { colspan, rowspan }: { colspan?: string; rowspan?: string }): void {
    if (this.#rows.length === 0) this.addRow()
    const at = this.#rows.length - 1
    const row = this.#rows[at]!
    while ((this.#freeFrom[this.#column] ?? 0) > at) this.#column++
    const text = markdown.replaceAll(/\s*\n\s*/g, ' ')
    // Beyond the last column, the text stays in the last cell.
    const column = Math.min(this.#column, MAX_COLUMNS - 1)
    row[column] = row[column] ? `${row[column]} ${text}` : text
    const end = Math.min(column + (spanOf(colspan) || 1), MAX_COLUMNS)
    const rows = rowspan === undefined ? 1 : spanOf(rowspan)
    // A span of 0 reaches to the end of the row group.
    const free = rows === 0 ? Number.POSITIVE_INFINITY : at + rows
    for (let covered = column; rows !== 1 && covered < end; covered++) this.#freeFrom[covered] = free
    this.#column = end
  }

  /** Ends a group of rows. No cell reaches beyond it. */
  endGroup(): void {
    this.#freeFrom = []
  }

  /** Returns the lines of a GFM table. Leaves out empty rows, and empty columns at the end. */
  lines(): string[] {
    const rows = this.#rows.filter(row => row.some(cell => cell !== ''))
    return rows.length === 0 ? [] : tableLines(rows.map(row => row.slice(0, row.findLastIndex(cell => cell) + 1)))
  }
}

/** Returns the lines of a GFM table whose first row is the head. Cells must be inline Markdown. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.min(
    MAX_COLUMNS,
    rows.reduce((most, row) => Math.max(most, row.length), 0),
  )
  const line = (row: readonly string[]) => {
    const cells: string[] = []
    for (let at = 0; at < columns; at++) cells.push(row[at] ?? '')
    return `| ${cells.join(' | ')} |`
  }
  const [head = [], ...body] = rows
  return [line(head), `|${' --- |'.repeat(columns)}`, ...body.map(line)]
}

/** Returns the number at the start of a span; 1 if there is none. */
function spanOf(written: string | undefined): number {
  const number = Number.parseInt(written ?? '', 10)
  return number >= 0 ? number : 1
}

/** Maximum number of levels from a table up to its figure, and of elements from the table to the caption. */
const MAX_LEVELS = 4
const MAX_STEPS = 20

/** Returns the caption below a table, if they are in one figure. Markdown has the caption before the table. */
export function captionAfter(tree: HtmlTree, table: HtmlNode): HtmlNode | undefined {
  let figure: HtmlNode | undefined = table
  for (let level = 0; level < MAX_LEVELS && figure && figure.tag !== 'figure'; level++) figure = figure.parent
  if (figure?.tag !== 'figure') return undefined
  for (let i = table.end, steps = 0; i < figure.end && steps < MAX_STEPS; i = tree.nodes[i]!.end, steps++)
    if (tree.nodes[i]!.tag === 'figcaption') return tree.nodes[i]
  return undefined
}
