import { escapeInline, escapeLineStart } from '../markdown/markdown-escape.ts'
import type { PdfLine } from './pdf-lines.ts'
import { roundedSize, usualSize, withoutRunningLines } from './pdf-running-lines.ts'

/** Minimum font size of a heading, as a multiple of the font size of the text. */
const HEADING_RATIO = 1.15
const MAX_HEADING_CHARS = 250
const MAX_HEADING_LEVEL = 4
/** Maximum distance between the lines of a heading, as a multiple of its font size. */
const HEADING_SPACING = 1.6

const BULLET = /^[•‣▪◦●■–—·\uf0b7\uf0a7]\s+/
/** Matches the number of a section, which starts a heading of its own. */
const SECTION_NUMBER = /^(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z]|[IVX]{1,6})[.)]?\s/
const CJK = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/

/** Writes pages as Markdown, separated by rules. Leaves out running titles and page numbers. */
export function writePdf(pages: readonly (readonly PdfLine[])[]): string {
  const bodies = withoutRunningLines(pages)
  const bodySize = usualSize(bodies)
  const levels = headingLevels(bodies.flat(), bodySize)
  return bodies
    .map(lines =>
      paragraphsOf(lines, levels)
        .map(paragraph => writeParagraph(paragraph, levels))
        .join('\n\n'),
    )
    .filter(page => page !== '')
    .join('\n\n---\n\n')
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
function paragraphsOf(lines: readonly PdfLine[], levels: ReadonlyMap<number, number>): PdfLine[][] {
  const spacing = commonSpacing(lines)
  const isHeading = ({ size }: PdfLine) => levels.has(roundedSize(size))
  const paragraphs: PdfLine[][] = []
  lines.forEach((line, at) => {
    const before = lines[at - 1]
    if (before && !(isHeading(line) ? startsHeading(line, before) : startsParagraph(line, before, spacing)))
      paragraphs.at(-1)?.push(line)
    else paragraphs.push([line])
  })
  return paragraphs.flatMap(paragraph => (isHeading(paragraph[0]!) ? [paragraph] : withShortLinesApart(paragraph)))
}

/**
 * Starts a new part after each line that was broken although it was not full: the first word of the next line would have fit. If most lines
 * are so short, as in a form, a poem or an address, each line is a part of its own.
 */
function withShortLinesApart(lines: readonly PdfLine[]): PdfLine[][] {
  const parts: PdfLine[][] = []
  for (const column of columnsOf(lines)) {
    const limit = column.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY)
    const isShort = column.slice(1).map((line, at) => hasRoomFor(line, column[at]!, limit))
    const areMostShort = isShort.length > 1 && isShort.filter(Boolean).length * 2 > isShort.length
    column.forEach((line, at) => {
      const isFirst = at === 0 && parts.length === 0
      if (isFirst || (at > 0 && ((areMostShort && !endsInHyphen(column[at - 1]!)) || isShort[at - 1])))
        parts.push([line])
      else parts.at(-1)!.push(line)
    })
  }
  return parts
}

/** Splits the lines of a paragraph where the paragraph continues at the top of the next column. */
function columnsOf(lines: readonly PdfLine[]): PdfLine[][] {
  const columns: PdfLine[][] = []
  for (const line of lines) {
    const column = columns.at(-1)
    if (column && column.at(-1)!.bottom >= line.bottom) column.push(line)
    else columns.push([line])
  }
  return columns
}

function endsInHyphen({ text }: PdfLine): boolean {
  return /[-\u00ad]$/.test(text)
}

/** True if the first word of a line would have fit at the end of the line before. */
function hasRoomFor(line: PdfLine, before: PdfLine, limit: number): boolean {
  if (endsInHyphen(before) || CJK.test(line.text.slice(0, 1))) return false
  const word = line.text.split(' ', 1)[0]!.length + 1
  const charWidth = (line.end - line.start) / line.text.length
  return before.end + word * charWidth + line.size < limit
}

/**
 * True if a line in the font of a heading starts a new one. Headings are often centered, so where a line begins says
 * nothing.
 */
function startsHeading(line: PdfLine, before: PdfLine): boolean {
  const step = before.bottom - line.bottom
  const isApart = step < 0 || step > line.size * HEADING_SPACING
  return isApart || Math.abs(line.size - before.size) > before.size * 0.12 || SECTION_NUMBER.test(line.text)
}

/** True if a line starts a new paragraph. */
function startsParagraph(line: PdfLine, before: PdfLine, spacing: number): boolean {
  const step = before.bottom - line.bottom
  const size = Math.max(before.size, 1)
  if (BULLET.test(line.text) || Math.abs(line.size - before.size) > size * 0.12) return true
  // A line above the one before is at the top of the next column. It starts a paragraph if the sentence before is
  // complete.
  if (step < 0) return /[.!?:。؟۔]["”’)]?$/.test(before.text)
  if (step > Math.max(spacing * 1.35, size * 0.9)) return true
  const isIndented = line.start - before.start > size * 0.9 && !BULLET.test(before.text)
  const endsEarly = before.end < line.end - size * 6 && /[.!?:。؟۔]["”’)]?$/.test(before.text)
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
