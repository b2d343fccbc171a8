/** Returns the row of a statement that always returns one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new TypeError('a statement that always returns a row returned none')
  return row
}
