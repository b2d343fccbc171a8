import { clip } from '@asof/extract/characters'
import { LONGEST_QUOTE } from '../quotes/quote-verdict.ts'
import { type PagePassage, pagePassages, paragraphParts } from '../snippet/page-passages.ts'
import { plainText } from '../text/markdown/plain-text.ts'

/** Maximum length of a passage, UTF-16 units: that of a quote, so that a caller can verify each passage. */
export const MAX_PASSAGE_UNITS = LONGEST_QUOTE
/** Maximum length of the parts of a code block that is longer than a passage, UTF-16 units. */
const CODE_PART_UNITS = 1_000

/** A part of a page that is either a passage, or joined with its neighbors to one. */
export interface MarkdownPart {
  kind: PagePassage['kind'] | 'table'
  /** UTF-16 offsets `[start, end)` in the Markdown, without white space at both ends. */
  start: number
  end: number
  /** Index of the part that this one belongs under, see {@link PagePassage.under}. */
  under?: number
}

/**
 * Splits the Markdown of a page into parts, in order. A code block, or a table, is one part if it is not longer than `most` units; else its
 * lines, or its rows, are.
 *
 * @param paragraph - maximum length of a part of a paragraph, UTF-16 units.
 */
export function pageParts(markdown: string, most: number, paragraph?: number): MarkdownPart[] {
  const passages = pagePassages(markdown)
  const parts: MarkdownPart[] = []
  /** For each passage, the index of its last part; of one without parts, that of the part that it is under. */
  const partOf: (number | undefined)[] = []
  for (let index = 0; index < passages.length; ) {
    const passage = passages[index]!
    const under = passage.under === undefined ? undefined : partOf[passage.under]
    const last = passage.kind === 'row' ? lastRow(passages, index) : index
    const { start } = passage
    const { end } = passages[last]!
    if (last > index && end - start <= most) {
      parts.push({ kind: 'table', start, end, under })
      for (; index <= last; index++) partOf.push(parts.length - 1)
      continue
    }
    const before = parts.length
    for (const range of partsOf(markdown, passage, most, paragraph)) {
      const part = trimmed(markdown, range)
      if (part.start < part.end) parts.push({ kind: passage.kind, ...part, under })
    }
    partOf.push(parts.length > before ? parts.length - 1 : under)
    index++
  }
  return parts
}

/** Splits a passage that is too long. Returns no parts of a paragraph of which readers see next to nothing. */
function partsOf(
  markdown: string,
  passage: PagePassage,
  most: number,
  paragraph: number | undefined,
): readonly { start: number; end: number }[] {
  const { kind, start, end } = passage
  if (kind === 'code') return codeParts(markdown, passage, most)
  if (kind !== 'paragraph' && kind !== 'item') return [passage]
  return isVisible(markdown.slice(start, end)) ? paragraphParts(markdown, start, end, paragraph) : []
}

/** Matches where something may begin that readers do not see: the target of a link or image, a tag, or a whole definition of a link. */
const HIDDEN = /\]\(|<|^ {0,3}\[[^\]\n]+\]:.*$/gm
/** Share of a text that readers see, below which it has only links, images or tags. */
const LEAST_VISIBLE = 0.3

function isVisible(text: string): boolean {
  if (!text.includes('](') && !text.includes(']:') && !text.includes('<')) return true
  return withoutHidden(text).replace(/\s+/g, ' ').length >= LEAST_VISIBLE * text.length
}

/** Returns a text without what readers do not see. Searches for each end once, because a page may begin a million tags and end none. */
function withoutHidden(text: string): string {
  const [parenthesis, angle, newline] = [')', '>', '\n'].map(sought => nextOf(text, sought))
  let shown = ''
  let from = 0
  HIDDEN.lastIndex = 0
  for (let begin = HIDDEN.exec(text); begin; begin = HIDDEN.exec(text)) {
    let end = HIDDEN.lastIndex
    if (begin[0] === '<') end = angle!(end) + 1
    else if (begin[0] === '](') {
      const close = parenthesis!(end)
      end = close < newline!(end) ? close + 1 : Number.POSITIVE_INFINITY
    }
    if (end > text.length) continue
    shown += text.slice(from, begin.index)
    from = end
    HIDDEN.lastIndex = end
  }
  return shown + text.slice(from)
}

/** Returns a function that returns the first place of a text from an offset on, or Infinity. Offsets must not descend. */
function nextOf(text: string, sought: string): (from: number) => number {
  let next = -1
  return from => {
    if (next < from) next = text.indexOf(sought, from)
    if (next < 0) next = Number.POSITIVE_INFINITY
    return next
  }
}

/** Returns the index of the last row of the table whose head is at `head`. */
function lastRow(passages: readonly PagePassage[], head: number): number {
  let last = head
  while (passages[last + 1]?.kind === 'row' && passages[last + 1]!.under === head) last++
  return last
}

/** Splits a code block that is too long between lines. */
function codeParts(
  markdown: string,
  { start, end }: { start: number; end: number },
  most: number,
): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = []
  let from = start
  while (end - from > most) {
    const latest = from + Math.min(most, CODE_PART_UNITS)
    const line = markdown.lastIndexOf('\n', latest)
    const space = markdown.lastIndexOf(' ', latest)
    const to = line > from ? line : space > from ? space : latest
    parts.push({ start: from, end: to })
    from = to
  }
  parts.push({ start: from, end })
  return parts
}

function trimmed(text: string, { start, end }: { start: number; end: number }): { start: number; end: number } {
  let from = start
  let to = end
  while (from < to && text.charCodeAt(from) <= 0x20) from++
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to--
  return { start: from, end: to }
}

/** Maximum number of parts that a part is said to be under: six headings, the line before a list, and items of lists. */
const MAX_ABOVE = 10

/** Returns the indexes of the nearest parts that a part is under, outermost first. */
export function partsAbove(parts: readonly MarkdownPart[], index: number): number[] {
  const above: number[] = []
  for (let up = parts[index]?.under; up !== undefined && above.length < MAX_ABOVE; up = parts[up]?.under)
    above.unshift(up)
  return above
}

/** Returns a part as a line of plain text, at most `most` UTF-16 units. */
export function plainLine(markdown: string, { start, end }: MarkdownPart, most: number): string {
  return clip(plainText(markdown.slice(start, end)).replaceAll('\n', ' '), most)
}
