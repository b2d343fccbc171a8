/** Writes a whole number with thousands separators. */
export const count = (value: number): string => Math.round(value).toLocaleString('en')
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
export const milliseconds = (ms: number): string => ms.toFixed(ms < 1 ? 3 : ms < 10 ? 2 : 1)

/** Formats a table as text, with columns of words aligned left and columns of numbers aligned right. */
export function table(heads: string[], rows: string[][]): string {
  const leftmost = heads.map((_, column) => rows.some(row => /^[a-z]/.test(row[column] ?? '')))
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (leftmost[column] ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(heads), widths.map(width => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
