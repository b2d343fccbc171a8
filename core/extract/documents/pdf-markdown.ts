import { escapeInline, escapeLineStart } from '../markdown/markdown-escape.ts'
import type { PdfLine } from './pdf-lines.ts'

/** Minimum font size of a heading, as a multiple of the text's. */
const HEADING_RATIO = 1.15
const MAX_HEADING_CHARS = 250
const MAX_HEADING_LEVEL = 4
/** Number of lines at the top, and at the bottom, that may be running titles. */
const RUNNING_LINES = 2
/** Minimum number of pages on which a running title appears. */
const MIN_RUNNING_PAGES = 3
/** Maximum difference between the heights of a running title, points. */
const SAME_HEIGHT = 4

const BULLET = /^[•‣▪◦●■–—·\uf0b7\uf0a7]\s+/
const PAGE_NUMBER =
  /^\W*(?:[ivxl]+|(?:page|p\.|seite|página|стр\.?)?\s*\d{1,5}(?:\s*(?:\/|of|von|de|из)\s*\d{1,5})?)\W*$/iu
const CJK = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/

/** Writes pages as Markdown, separated by rules. Leaves out running titles and page numbers. */
export function writePdf(pages: readonly (readonly PdfLine[])[]): string {
  const bodies = withoutRunningLines(pages)
  const bodySize = commonSize(bodies.flat())
  const levels = headingLevels(bodies.flat(), bodySize)
  return bodies
    .map(lines =>
      paragraphsOf(lines)
        .map(paragraph => writeParagraph(paragraph, levels))
        .join('\n\n'),
    )
    .filter(page => page !== '')
    .join('\n\n---\n\n')
}

/**
 * Removes running titles and page numbers: lines that are equal except for numbers, at the same height of most pages.
 */
function withoutRunningLines(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const keyOf = ({ text, bottom }: PdfLine) =>
    `${Math.round(bottom / SAME_HEIGHT)} ${text.replace(/\d+/g, '#').toLowerCase()}`
  const runs = new Map<string, { pages: number; texts: Set<string> }>()
  for (const lines of pages) {
    const edge = new Map(
      [...lines.slice(0, RUNNING_LINES), ...lines.slice(-RUNNING_LINES)].map(line => [keyOf(line), line.text]),
    )
    for (const [key, text] of edge) {
      const run = runs.get(key) ?? { pages: 0, texts: new Set() }
      run.pages++
      run.texts.add(text)
      runs.set(key, run)
    }
  }
  const isRunning = (line: PdfLine) => {
    const run = runs.get(keyOf(line))
    if (!run || run.pages < MIN_RUNNING_PAGES) return false
    return run.texts.size > 1 || run.pages >= pages.length / 2
  }
  return pages.map(lines =>
    lines.filter((line, at) => {
      const isEdge = at < RUNNING_LINES || at >= lines.length - RUNNING_LINES
      const isNumber = (at === 0 || at === lines.length - 1) && pages.length > 1 && PAGE_NUMBER.test(line.text)
      return !isNumber && !(isEdge && isRunning(line))
    }),
  )
}

/** Returns the font size of most characters. */
function commonSize(lines: readonly PdfLine[]): number {
  const chars = new Map<number, number>()
  for (const { size, text } of lines) chars.set(roundedSize(size), (chars.get(roundedSize(size)) ?? 0) + text.length)
  let common = 0
  let most = 0
  for (const [size, count] of chars) if (count > most) [common, most] = [size, count]
  return common
}

function roundedSize(size: number): number {
  return Math.round(size * 2) / 2
}

/** Returns the level of headings by font size. The largest size has level 1. */
function headingLevels(lines: readonly PdfLine[], bodySize: number): ReadonlyMap<number, number> {
  const sizes = new Set<number>()
  for (const { size, text } of lines) {
    if (size >= bodySize * HEADING_RATIO && text.length <= MAX_HEADING_CHARS && /\p{L}{2}|\p{Lo}/u.test(text))
      sizes.add(roundedSize(size))
  }
  const ordered = [...sizes].sort((a, b) => b - a)
  return new Map(ordered.map((size, rank) => [size, Math.min(rank + 1, MAX_HEADING_LEVEL)]))
}

/**
 * Groups lines into paragraphs. The lines of a paragraph have the same font size and the usual distance, and only the
 * last one ends early.
 */
function paragraphsOf(lines: readonly PdfLine[]): PdfLine[][] {
  const spacing = commonSpacing(lines)
  const paragraphs: PdfLine[][] = []
  lines.forEach((line, at) => {
    const before = lines[at - 1]
    if (before && !startsParagraph(line, before, spacing)) paragraphs.at(-1)?.push(line)
    else paragraphs.push([line])
  })
  return paragraphs
}

/** True if a line starts a new paragraph. */
function startsParagraph(line: PdfLine, before: PdfLine, spacing: number): boolean {
  const step = before.bottom - line.bottom
  const size = Math.max(before.size, 1)
  if (BULLET.test(line.text) || Math.abs(line.size - before.size) > size * 0.12) return true
  // A line above the one before is at the top of the next column. It starts a paragraph if the sentence before is
  // complete.
  if (step < 0) return /[.!?:。]["”’)]?$/.test(before.text)
  if (step > Math.max(spacing * 1.35, size * 0.9)) return true
  const isIndented = line.left - before.left > size * 0.9 && !BULLET.test(before.text)
  const endsEarly = before.right < line.right - size * 6 && /[.!?:。]["”’)]?$/.test(before.text)
  return isIndented || endsEarly
}

/** Returns the median distance between baselines. */
function commonSpacing(lines: readonly PdfLine[]): number {
  const steps = lines
    .slice(1)
    .map((line, at) => lines[at]!.bottom - line.bottom)
    .filter(step => step > 0)
    .sort((a, b) => a - b)
  return steps[Math.floor(steps.length / 2)] ?? 0
}

function writeParagraph(lines: readonly PdfLine[], levels: ReadonlyMap<number, number>): string {
  const text = joinLines(lines)
  const level = text.length <= MAX_HEADING_CHARS ? levels.get(roundedSize(lines[0]?.size ?? 0)) : undefined
  if (level !== undefined) return `${'#'.repeat(level)} ${escapeInline(text, false)}`
  if (BULLET.test(text)) return `- ${escapeInline(text.replace(BULLET, ''), false)}`
  return escapeLineStart(escapeInline(text, false))
}

/** Joins the lines of a paragraph, and removes the hyphens of words that were divided at the end of a line. */
function joinLines(lines: readonly PdfLine[]): string {
  const parts: string[] = []
  for (const { text } of lines) {
    const last = parts.at(-1)
    if (last === undefined) parts.push(text)
    else if (/\p{Ll}[-\u00ad]$/u.test(last) && /^\p{Ll}/u.test(text)) {
      parts[parts.length - 1] = last.slice(0, -1)
      parts.push(text)
    } else parts.push(CJK.test(last.slice(-1)) && CJK.test(text.slice(0, 1)) ? text : ` ${text}`)
  }
  return parts.join('')
}
