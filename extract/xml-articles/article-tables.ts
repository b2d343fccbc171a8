import { attributeHtml, type HtmlOutput } from './html-output.ts'
import type { OpenElement } from './open-element.ts'
import { TableColumns } from './table-columns.ts'

/** Opens a group of columns and rows, which is a table of HTML. */
export function openGroup(out: HtmlOutput, element: OpenElement): void {
  out.openTag(element, 'table')
  element.columns = new TableColumns()
}

/** Opens a head, body or foot of a table. */
export function openRows(out: HtmlOutput, element: OpenElement, parent: OpenElement | undefined): void {
  openTable(out, parent)
  out.openTag(element, element.name)
  element.columns = parent?.columns
}

/** Opens a row of a table. */
export function openRow(out: HtmlOutput, element: OpenElement, parent: OpenElement | undefined): void {
  openTable(out, parent)
  out.openTag(element, 'tr')
}

/** Opens a table of HTML's model at its first row, because its caption may come before that. */
function openTable(out: HtmlOutput, parent: OpenElement | undefined): void {
  if (parent?.rule.role !== 'table' || parent.close !== '') return
  out.push('<table>')
  parent.close = '</table>'
}

/** Opens a cell, after the empty cells of the columns that the row leaves out. */
export function openCell(
  out: HtmlOutput,
  element: OpenElement,
  row: OpenElement | undefined,
  rows: OpenElement | undefined,
): void {
  const { attributes } = element
  if (row?.rule.role === 'rows' && !row.close.startsWith('</tr>')) {
    out.push('<tr>')
    row.close = `</tr>${row.close}`
  }
  const columns = rows?.columns ?? row?.columns
  const cell = columns?.cell(row!, attributes)
  const tag = element.name === 'th' || row?.name === 'thead' || rows?.name === 'thead' ? 'th' : 'td'
  for (let i = 0; i < (cell?.before ?? 0); i++) out.push(`<${tag}></${tag}>`)
  const colspan = cell?.colspan ?? attributes.colspan
  const rowspan = cell?.rowspan ?? attributes.rowspan
  out.openTag(element, tag, attributeHtml('colspan', colspan) + attributeHtml('rowspan', rowspan))
}
