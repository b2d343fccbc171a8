import { collapse } from '../html/html-tree.ts'
import { isRightToLeft, type PdfRun, rightToLeftText } from './pdf-right-to-left.ts'
import { joinedRuns } from './pdf-scripts.ts'

/** A line of a page. Positions are in points, measured from the lower left corner. */
export interface PdfLine {
  text: string
  /** Positions at which the line starts and ends in its reading direction. Both are negative for a line from right to left. */
  start: number
  end: number
  /** Position of the baseline. */
  bottom: number
  /** The largest font size used by at least a third of the characters. */
  size: number
}

/** Joins pieces of text to lines, in the order of the page's content. */
export function linesOf(runs: readonly PdfRun[]): PdfLine[] {
  const lines: PdfLine[] = []
  let open: PdfRun[] = []
  const end = () => {
    const line = lineOf(open)
    if (line) lines.push(line)
    open = []
  }
  for (const run of runs) {
    const first = open[0]
    if (first && Math.abs(run.transform[5] - first.transform[5]) > Math.max(first.height, run.height, 1) * 0.6) end()
    open.push(run)
    if (run.hasEOL) end()
  }
  end()
  return lines
}

function lineOf(runs: readonly PdfRun[]): PdfLine | undefined {
  const shown = runs.filter(({ str }) => str.trim() !== '')
  const [first] = shown
  if (!first) return undefined
  const isRtl = isRightToLeft(shown)
  const text = collapse(isRtl ? rightToLeftText(shown) : joinedRuns(runs))
  // A footnote number or drop cap must not decide the font size of its line.
  const sizes = new Map<number, number>()
  for (const { height, str } of shown) sizes.set(height, (sizes.get(height) ?? 0) + str.length)
  const chars = shown.reduce((sum, { str }) => sum + str.length, 0)
  let size = 0
  for (const [height, share] of sizes) if (share * 3 >= chars) size = Math.max(size, height)
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  for (const { transform, width } of shown) {
    left = Math.min(left, transform[4])
    right = Math.max(right, transform[4] + width)
  }
  return { text, start: isRtl ? -right : left, end: isRtl ? -left : right, bottom: first.transform[5], size }
}
