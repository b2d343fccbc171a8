import { stringOfUnits } from '../characters/unit-strings.ts'
import { escapeLineStart, mustEscape } from './markdown-escape.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BACKSLASH = 0x5c
/** Number of units of a line that `escapeLineStart` looks at, and one more: a number of nine digits, its full stop and a space. */
const LINE_START = 12
/** A character is written as at most two units, and a line has at most one escape and one line feed more. */
const MAX_UNITS_PER_UNIT = 4
/** Memory for more units than this is not used again. */
const MAX_KEPT_UNITS = 1 << 18

/** For each ASCII character, 1 if `escapeInline` may escape it. */
const inlineMarks = new Uint8Array(128)
for (const mark of '\\`*_[]<&~|') inlineMarks[mark.charCodeAt(0)] = 1
/** For each ASCII character, 1 if `escapeLineStart` may escape a line that begins with it. */
const firstMarks = new Uint8Array(128)
for (const mark of '#+->=|~:0123456789') firstMarks[mark.charCodeAt(0)] = 1

/** The units of the text, and those of its Markdown. A string for each line would take longer, and so does reading units of a string. */
let source = new Uint16Array(1 << 14)
let units = new Uint16Array(MAX_UNITS_PER_UNIT << 14)

/** A plain text as Markdown. */
export interface EscapedLines {
  /** The lines without white space at both ends, each escaped, and no empty lines at the ends. */
  markdown: string
  /** The first line with text, as written. Undefined if no line has text. */
  first?: string
}

/** Escapes the lines of a plain text, as `escapeInline` and `escapeLineStart` do. */
export function escapeLines(text: string): EscapedLines {
  reserve(text.length)
  const length = Buffer.from(source.buffer).write(text, 'utf16le') / 2
  const from = source
  const to = units
  let first: string | undefined
  let written = 0
  let all = 0
  for (let at = 0; at < length; at++) {
    let start = at
    while (at < length && from[at] !== LINE_FEED && from[at] !== CARRIAGE_RETURN) at++
    let end = at
    if (from[at] === CARRIAGE_RETURN && at + 1 < length && from[at + 1] === LINE_FEED) at++
    while (start < end && isWhite(from[start]!)) start++
    while (end > start && isWhite(from[end - 1]!)) end--
    if (start < end) {
      first ??= text.slice(start, end)
      const begin = start
      const mark = from[begin]!
      if (mark < 128 && firstMarks[mark] === 1) {
        const marked = escapedAtStart(text.slice(start, Math.min(end, start + LINE_START)))
        for (const stop = start + marked; start < stop; start++) to[written++] = from[start]!
        if (marked >= 0) {
          to[written++] = BACKSLASH
          to[written++] = from[start++]!
        }
      }
      for (; start < end; start++) {
        const unit = from[start]!
        if (unit < 128 && inlineMarks[unit] === 1 && isEscaped(from, start, begin, end)) to[written++] = BACKSLASH
        to[written++] = unit
        all |= unit
      }
    }
    if (written > 0) to[written++] = LINE_FEED
  }
  while (written > 0 && to[written - 1] === LINE_FEED) written--
  return { markdown: stringOfUnits(to, written, all), first }
}

/** Makes room for a text. Memory that a huge text needed is not kept. */
function reserve(length: number): void {
  if (length <= source.length && source.length <= MAX_KEPT_UNITS) return
  source = new Uint16Array(Math.max(length, 1 << 14))
  units = new Uint16Array(MAX_UNITS_PER_UNIT * source.length)
}

/** Returns the offset of the mark that `escapeLineStart` escapes; -1 if it escapes none. */
function escapedAtStart(line: string): number {
  const escaped = escapeLineStart(line)
  if (escaped.length === line.length) return -1
  let at = 0
  while (escaped[at] === line[at]) at++
  return at
}

/** True if the unit at `at` of the line `[start, end)` must be escaped. */
function isEscaped(from: Uint16Array, at: number, start: number, end: number): boolean {
  const before = at > start ? from[at - 1]! : Number.NaN
  const next = at + 1 < end ? from[at + 1]! : Number.NaN
  return mustEscape(from[at]!, before, next, false)
}

/** True for white space, as `trim` removes it. */
function isWhite(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return String.fromCharCode(unit).trim() === ''
}
