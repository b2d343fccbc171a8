import { findByTag } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'

const MAX_COLUMNS = 100
/** Maximum characters of a cell in a data table. A cell with more is a column of the layout. */
const MAX_CELL_CHARS = 600

/**
 * Returns the node indexes of tables with data. A data table has at least two rows and two columns. It contains no
 * table, heading, list, code block or cell of prose. Other tables only lay out the page, so their cells are written as
 * blocks.
 */
export function findDataTables(tree: HtmlTree, dropped: Uint8Array): Set<number> {
  if (findByTag(tree, 'table').length === 0) return new Set()
  const { nodes } = tree
  const owner = new Int32Array(nodes.length).fill(-1)
  const layout = new Set<number>()
  const shape = new Map<number, { rows: number; cells: number; most: number; wide: number }>()
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
        shape.set(i, { rows: 0, cells: 0, most: 0, wide: 0 })
        break
      case 'tr': {
        const row = shape.get(table)
        if (row) {
          row.rows++
          row.cells = 0
        }
        break
      }
      case 'td':
      case 'th': {
        const row = shape.get(table)
        if (row) {
          row.most = Math.max(row.most, ++row.cells)
          if (row.cells === 2) row.wide++
        }
        cellStart = node.end
        cellChars = 0
        break
      }
      case '':
        if (table >= 0 && i < cellStart) {
          cellChars += node.text.length
          if (cellChars > MAX_CELL_CHARS && node.text.trim().length > MAX_CELL_CHARS / 4) layout.add(table)
        }
        break
      case 'h1':
      case 'h2':
      case 'h3':
      case 'pre':
      case 'blockquote':
      case 'ul':
      case 'ol':
      case 'form':
        if (table >= 0) layout.add(table)
        break
    }
  }
  const data = new Set<number>()
  for (const [index, { rows, most, wide }] of shape) {
    if (rows >= 2 && most >= 2 && wide >= 2 && most <= MAX_COLUMNS && !layout.has(index)) data.add(index)
  }
  return data
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
