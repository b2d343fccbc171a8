import type { PdfLine } from './pdf-lines.ts'

/** Maximum number of rows at the top, and at the bottom, of a page that may be running titles. */
const MARGIN_ROWS = 3
/** Minimum number of pages on which a running title appears. */
const MIN_PAGES = 3
/** Maximum distance of a running title on a page from its median height on all pages, points. */
const SAME_HEIGHT = 4
/** Minimum distance of a running title from the text, as a multiple of the usual distance of lines and of the font size. */
const MARGIN_GAP = 1.5
/**
 * Maximum font size of running titles with a page number, as a multiple of the font size of the text. It counts only if nothing else shows
 * that they are running titles.
 */
const SMALLER = 0.95
const MAX_TITLE_CHARS = 200
/** Stands for the number of a page in a text. Text of a PDF never has this character. */
const NUMBER = '\0'
/** Maximum number of lines in a row of a margin. A row with more is part of a table. */
const MAX_ROW_LINES = 6

/** Matches lines that have no words but the number of a page, such as `Page 3 of 10`, `- 3 -` or `iii`. */
const PAGE_NUMBER =
  /^[\s\p{P}|]*(?:(?:page|pg\.?|p\.|seite|s\.|página|pág\.?|pagina|strona|sida|side|стр\.?|страница|第|ページ)\s*)?\0(?:\s*(?:\/|of|von|de|di|sur|из|z|av)?\s*\d{1,5})?[\s\p{P}|页頁]*$/iu

/** Matches lines in which a word or a bar shows that the number is that of a page. */
const LABELED_NUMBER = /(?:\b(?:page|seite|página|pagina|стр\.?|p\.)|[|·•–—])\s?\0$|^\0\s?[|·•–—]/iu

/** A line in the margin of one page. */
interface MarginLine {
  line: PdfLine
  page: number
}

/**
 * Removes running titles and page numbers. Such a line is apart from the text, in the same place on most pages, and at least three of these
 * pages have different texts. Its text is the same on each page, or differs only in a number that counts the pages. Other numbers count as
 * text, because a line of a form has the same words on each page too. A page that has only such lines keeps them.
 */
export function withoutRunningLines(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  if (pages.length < MIN_PAGES) return pages.map(lines => [...lines])
  const spacing = usualSpacing(pages)
  const groups = new Map<string, MarginLine[]>()
  const add = (key: string, margin: MarginLine) => {
    const group = groups.get(key)
    if (group) group.push(margin)
    else groups.set(key, [margin])
  }
  pages.forEach((lines, page) => {
    for (const line of marginLines(lines, spacing)) {
      add(line.text, { line, page })
      const counted = withPageNumber(line.text)
      // The difference between a page number and the index of its page is constant. It is not always 1, because front matter may not be
      // counted.
      if (counted) add(`${counted.words}\n${counted.number - page}`, { line, page })
    }
  })
  const bodySize = usualSize(pages)
  const running = new Set<PdfLine>()
  const numbered = new Map<string, MarginLine[]>()
  for (const [key, group] of groups) {
    const steady = atSameHeight(group)
    const [words = '', offset] = key.split('\n')
    if (offset === undefined) {
      if (isTitle(words) && recurs(steady, pages)) for (const { line } of steady) running.add(line)
    } else if (steady.length >= MIN_PAGES) numbered.set(words, [...(numbered.get(words) ?? []), ...steady])
  }
  for (const [words, group] of numbered) {
    const isNumber =
      PAGE_NUMBER.test(words) ||
      LABELED_NUMBER.test(words) ||
      isSmaller(group, bodySize) ||
      isFacing(words, group, numbered)
    if (isNumber && recurs(group, pages)) for (const { line } of group) running.add(line)
  }
  return pages.map(lines => {
    const kept = lines.filter(line => !running.has(line))
    return kept.length > 0 ? kept : [...lines]
  })
}

/** A row of lines at the same height. */
interface Row {
  lines: PdfLine[]
  height: number
  size: number
}

/** Returns the lines that a gap separates from the text, at the top and at the bottom of a page. */
function marginLines(lines: readonly PdfLine[], spacing: number): PdfLine[] {
  const rows: Row[] = []
  for (const line of [...lines].sort((a, b) => b.bottom - a.bottom)) {
    const row = rows.at(-1)
    if (row && row.height - line.bottom < SAME_HEIGHT) {
      row.lines.push(line)
      row.size = Math.max(row.size, line.size)
    } else rows.push({ lines: [line], height: line.bottom, size: line.size })
  }
  const isGap = (above: Row, below: Row) =>
    above.height - below.height > MARGIN_GAP * Math.max(spacing, above.size, below.size)
  let [top, bottom] = [0, 0]
  // Each margin has fewer than half of the rows, so that the text keeps a row.
  for (let at = 1; at <= MARGIN_ROWS && at * 2 < rows.length; at++) {
    if (isGap(rows[at - 1]!, rows[at]!)) top = at
    if (isGap(rows[rows.length - at - 1]!, rows[rows.length - at]!)) bottom = at
  }
  const margins = [...rows.slice(0, top), ...rows.slice(rows.length - bottom)]
  return margins.flatMap(row => (row.lines.length > MAX_ROW_LINES ? [] : row.lines))
}

/** Returns the number of a page at the start or end of a text, and the other words with {@link NUMBER} in its place. */
function withPageNumber(text: string): { words: string; number: number } | undefined {
  const roman = /^[\s\p{P}]*([ivxl]{1,8})[\s\p{P}]*$/iu.exec(text)?.[1]
  if (roman !== undefined) return { words: NUMBER, number: romanNumber(roman.toLowerCase()) }
  const found = [...text.matchAll(/\d+/g)]
  for (const match of [found[0], found.at(-1)]) {
    if (match === undefined || match[0].length > 6) continue
    const before = text.slice(0, match.index)
    const after = text.slice(match.index + match[0].length)
    const words = `${before}${NUMBER}${after}`
    if (before === '' || after === '' || PAGE_NUMBER.test(words)) return { words, number: Number(match[0]) }
  }
  return undefined
}

function romanNumber(text: string): number {
  const values: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50 }
  return [...text].reduce((sum, char, at) => {
    const value = values[char] ?? 0
    return value < (values[text[at + 1] ?? ''] ?? 0) ? sum - value : sum + value
  }, 0)
}

/** Returns the lines that are at the median height of the group. */
function atSameHeight(group: readonly MarginLine[]): MarginLine[] {
  const heights = group.map(({ line }) => line.bottom).sort((a, b) => a - b)
  const middle = heights[Math.floor(heights.length / 2)] ?? 0
  return group.filter(({ line }) => Math.abs(line.bottom - middle) <= SAME_HEIGHT)
}

/** True if a line is on most pages, or on most of the left or the right pages, and these pages have different texts. */
function recurs(group: readonly MarginLine[], pages: readonly (readonly PdfLine[])[]): boolean {
  const on = new Set(group.map(({ page }) => page))
  const isOneSide = new Set([...on].map(page => page % 2)).size === 1
  const all = isOneSide ? pages.length / 2 : pages.length
  if (on.size < MIN_PAGES || on.size * 2 <= all) return false
  const own = new Set(group.map(({ line }) => line))
  const texts = new Set<string>()
  for (const page of on) {
    texts.add(pages[page]!.flatMap(line => (own.has(line) ? [] : line.text)).join('\n'))
    if (texts.size === MIN_PAGES) return true
  }
  return false
}

/** True if a line has words. A table row that has the same numbers on each page has none. */
function isTitle(text: string): boolean {
  if (text.length > MAX_TITLE_CHARS) return false
  const [letters, digits] = [/\p{L}/gu, /\p{N}/gu].map(kind => text.match(kind)?.length ?? 0) as [number, number]
  return letters > digits || (letters > 0 && !text.split(' ').some(word => !/\p{L}/u.test(word)))
}

function bare(words: string): string {
  return words.replaceAll(/[\s\0]/g, '')
}

/**
 * True if the number is on the outer side of left and right pages: at the start of the line on one side, at the end on the other. If the
 * file has the number at the same end of both lines, their other words must be equal.
 */
function isFacing(
  words: string,
  group: readonly MarginLine[],
  numbered: ReadonlyMap<string, readonly MarginLine[]>,
): boolean {
  const [first] = group
  if (!first || words.length > MAX_TITLE_CHARS) return false
  for (const [others, [other]] of numbered) {
    if (words === others || !other) continue
    if (words.startsWith(NUMBER) === others.startsWith(NUMBER) && bare(words) !== bare(others)) continue
    const isOpposite = (first.page - other.page) % 2 !== 0
    if (isOpposite && Math.abs(first.line.bottom - other.line.bottom) <= SAME_HEIGHT) return true
  }
  return false
}

function isSmaller(group: readonly MarginLine[], bodySize: number): boolean {
  return group.every(({ line }) => line.size < bodySize * SMALLER)
}

/** Returns the distance between lines that a quarter of all distances are below (the first quartile), points. */
function usualSpacing(pages: readonly (readonly PdfLine[])[]): number {
  const steps = pages
    .flatMap(lines => lines.slice(1).map((line, at) => lines[at]!.bottom - line.bottom))
    .filter(step => step >= 1)
    .sort((a, b) => a - b)
  return steps[Math.floor(steps.length / 4)] ?? 0
}

/** Returns the font size of most characters. */
export function usualSize(pages: readonly (readonly PdfLine[])[]): number {
  const chars = new Map<number, number>()
  for (const { size, text } of pages.flat())
    chars.set(roundedSize(size), (chars.get(roundedSize(size)) ?? 0) + text.length)
  let common = 0
  let most = 0
  for (const [size, count] of chars) if (count > most) [common, most] = [size, count]
  return common
}

export function roundedSize(size: number): number {
  return Math.round(size * 2) / 2
}
