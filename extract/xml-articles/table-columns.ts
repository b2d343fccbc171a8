import type { Attributes } from '../html/html-tree.ts'

/** Maximum number of columns of a table. */
const MAX_COLUMNS = 1000

/** The place of a cell in a table of the OASIS exchange model. */
export interface CellPlace {
  /** Number of empty cells before it. */
  before: number
  colspan: number | undefined
  rowspan: number | undefined
}

/** The columns of a table of the OASIS exchange model (CALS), in which cells name their columns. */
export class TableColumns {
  readonly #columns = new Map<string, number>()
  readonly #spans = new Map<string, readonly [from: number, to: number]>()
  /** For each column, the number of further rows that a cell above it fills. */
  #filled: number[] = []
  #row: object | undefined
  #next = 0
  #count = 0

  /** Adds a column, or the name of a range of columns. */
  add(element: string, { colname, colnum, namest, nameend, spanname }: Attributes): void {
    if (element === 'colspec') {
      this.#count = Math.min(Number(colnum) || this.#count + 1, MAX_COLUMNS)
      if (colname !== undefined) this.#columns.set(colname, this.#count - 1)
    } else {
      const [from, to] = [this.#columns.get(namest ?? ''), this.#columns.get(nameend ?? '')]
      if (spanname !== undefined && from !== undefined && to !== undefined) this.#spans.set(spanname, [from, to])
    }
  }

  /**
   * Returns the place of the next cell of a row.
   *
   * @param row - the row of the cell. Another object means that a new row begins.
   */
  cell(row: object, { colname, namest, nameend, spanname, morerows }: Attributes): CellPlace {
    if (row !== this.#row) {
      this.#row = row
      this.#next = 0
      this.#filled = this.#filled.map(rows => Math.max(0, rows - 1))
    }
    while ((this.#filled[this.#next] ?? 0) > 0) this.#next++
    const span = this.#spans.get(spanname ?? '')
    const from = span?.[0] ?? this.#columns.get(namest ?? colname ?? '') ?? this.#next
    const to = span?.[1] ?? this.#columns.get(nameend ?? '') ?? from
    const rows = Math.min(Math.max(0, Math.trunc(Number(morerows) || 0)), 10_000)
    let before = 0
    for (; this.#next < from; this.#next++) if ((this.#filled[this.#next] ?? 0) === 0) before++
    const columns = Math.max(1, to - from + 1)
    for (let i = 0; i < columns && this.#next < MAX_COLUMNS; i++) this.#filled[this.#next++] = rows + 1
    return { before, colspan: columns > 1 ? columns : undefined, rowspan: rows > 0 ? rows + 1 : undefined }
  }
}
