import { cpus, release, totalmem, type } from 'node:os'

export interface Machine {
  system: string
  processor: string
  cores: number
  memoryBytes: number
  node: string
}

export function machine(): Machine {
  return {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
  }
}

export const count = (value: number): string => Math.round(value).toLocaleString('en')
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
export const milliseconds = (ms: number): string => ms.toFixed(ms < 10 ? 2 : 1)

/** Lays rows out under their heads: the first column to the left, figures to the right. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(row => row[column].length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd()
  return [line(heads), widths.map(width => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
