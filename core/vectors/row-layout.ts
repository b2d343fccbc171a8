/** Number of components of the first part of a row. With `MIDDLE`, these are macros of row-scan.c. */
export const HEAD = 96
/** Number of components of the second part: whole lines of the cache of a processor, because it is read of few rows. */
export const MIDDLE = 128
/** Rows of fewer components are not divided. */
export const MIN_DIVIDED = 256

/**
 * Where the components of rows are in the memory of a table. Rows are divided in three parts, and each part is with that part of the other
 * rows, so that a search can read the first components of all rows without the others.
 */
export class RowLayout {
  /** Number of components of each part. A row that is not divided has only the first. */
  readonly widths: readonly [head: number, middle: number, rest: number]
  /** For each part, the offset of that of the first row. */
  readonly offsets: readonly [head: number, middle: number, rest: number]

  /** @param rows - the number of rows for which there is room. */
  constructor(dimensions: number, rows: number) {
    const isDivided = dimensions >= MIN_DIVIDED
    this.widths = isDivided ? [HEAD, MIDDLE, dimensions - HEAD - MIDDLE] : [dimensions, 0, 0]
    const middle = Math.ceil((this.widths[0] * rows) / MIDDLE) * MIDDLE
    this.offsets = [0, middle, middle + this.widths[1] * rows]
  }

  get isDivided(): boolean {
    return this.widths[1] > 0
  }
}
