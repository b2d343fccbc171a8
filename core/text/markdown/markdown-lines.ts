/** The kind of a line of Markdown, without the markers of quotes and list items at its start. */
export type LineKind = 'blank' | 'rule' | 'fence' | 'heading' | 'row' | 'text'

/** One line of Markdown, with the position of its content. */
export interface MarkdownLine {
  kind: LineKind
  /** UTF-16 offsets of the content `[start, end)`. */
  start: number
  end: number
  /** Number of quotes that the line is in. */
  quoteDepth: number
  /** True if a list item begins here. */
  opensItem: boolean
  /** True if the item belongs to an ordered list. */
  ordered: boolean
}

/** What the lines before say about the current line. */
export interface LineContext {
  /** True if the previous line was text of a paragraph. */
  inParagraph: boolean
  inOrderedList: boolean
  inTable: boolean
}

/** Maximum depth of quotes and list items in a line. Deeper markers are read as text, so that the time is linear. */
const MAX_CONTAINERS = 32
const MAX_ORDINAL_DIGITS = 9
const SPACE = 0x20
const DASH = 0x2d
const COLON = 0x3a
const QUOTE = 0x3e
const BACKTICK = 0x60
const PIPE = 0x7c
const TILDE = 0x7e

/** Reads the line `[from, end)`, without its line feed. */
export function readLine(text: string, from: number, end: number, context: LineContext): MarkdownLine {
  const line: MarkdownLine = { kind: 'text', start: from, end, quoteDepth: 0, opensItem: false, ordered: false }
  for (let depth = 0; ; depth++) {
    line.start = skipBlanks(text, line.start, end)
    if (line.start === end) {
      line.kind = 'blank'
      return line
    }
    if (isRule(text, line.start, end, context.inParagraph && !line.opensItem)) {
      line.kind = 'rule'
      return line
    }
    if (depth === MAX_CONTAINERS || !readContainer(text, line, context)) break
  }
  const fence = fenceLength(text, line.start, end)
  if (fence > 0) line.kind = 'fence'
  else if (text[line.start] === '#') readHeading(text, line)
  else if (text[line.start] === '|' || context.inTable || isTableHead(text, line)) line.kind = 'row'
  return line
}

/**
 * Updates the context after a line.
 *
 * @param continues - true if the line continues a paragraph.
 */
export function followLine(context: LineContext, line: MarkdownLine, continues: boolean): void {
  if (line.kind === 'blank' || line.kind === 'heading' || line.kind === 'fence') context.inOrderedList = false
  if (line.opensItem) context.inOrderedList = line.ordered
  else if (!continues && line.kind === 'text') context.inOrderedList = false
  context.inTable = line.kind === 'row' || (line.kind === 'rule' && context.inTable)
  context.inParagraph = line.kind === 'text'
}

/** Returns the offset of the line feed that ends the line, or the end of the text. */
export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Returns the length of the code fence at `start`; 0 if there is none. */
export function fenceLength(text: string, start: number, end: number): number {
  const mark = text.charCodeAt(start)
  if (mark !== BACKTICK && mark !== TILDE) return 0
  let at = start
  while (at < end && text.charCodeAt(at) === mark) at++
  const length = at - start
  if (length < 3) return 0
  if (mark === BACKTICK) for (; at < end; at++) if (text.charCodeAt(at) === BACKTICK) return 0
  return length
}

/** True if `[at, end)` contains only blanks. */
export function isBlankLine(text: string, at: number, end: number): boolean {
  return skipBlanks(text, at, end) === end
}

export function skipBlanks(text: string, from: number, end: number): number {
  let at = from
  while (at < end && text.charCodeAt(at) <= 0x20) at++
  return at
}

/** Returns the labels of all link definitions (`[label]: destination`) in a text, in the form of {@link normalLabel}. */
export function findLabels(text: string): Set<string> {
  const labels = new Set<string>()
  for (let close = text.indexOf(']:'); close >= 0; close = text.indexOf(']:', close + 2)) {
    let open = close - 1
    while (open >= 0 && close - open <= 1000 && !'[]\n'.includes(text[open]!)) open--
    if (open < 0 || text[open] !== '[' || text[open + 1] === '^' || open + 1 === close) continue
    let before = open - 1
    while (before >= 0 && open - before <= 64 && (text[before] === ' ' || text[before] === '>')) before--
    if (before < 0 || text[before] === '\n') labels.add(normalLabel(text.slice(open + 1, close)))
  }
  return labels
}

/** Returns a link label in the form for comparison: trimmed, ASCII letters in lower case. */
export function normalLabel(label: string): string {
  return label.trim().replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** True if a list or heading marker can end at `at`, which is before a blank or at the end of the line. */
function endsMarker(text: string, at: number, end: number): boolean {
  return at >= end || text.charCodeAt(at) <= 0x20
}

/** Skips one marker of a quote or list item. Returns false if there is none. */
function readContainer(text: string, line: MarkdownLine, context: LineContext): boolean {
  const { start, end } = line
  // Most lines begin with a letter.
  if (text.charCodeAt(start) > QUOTE) return false
  const mark = text[start]
  if (mark === '>') {
    line.quoteDepth++
    line.start++
    return true
  }
  let after = start + 1
  if (mark === '-' || mark === '*' || mark === '+') {
    if (!endsMarker(text, after, end)) return false
  } else {
    after = ordinalEnd(text, start, end)
    if (after === start) return false
    // Only `1.` or `1)` may interrupt a paragraph (CommonMark 5.2), because any other line of it may begin with a year
    // and a full stop.
    const interrupts = context.inParagraph && !context.inOrderedList && !line.opensItem
    if (interrupts && (text[start] !== '1' || after - start !== 2)) return false
    line.ordered = true
  }
  line.opensItem = true
  line.start = after
  return true
}

function ordinalEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && at - start < MAX_ORDINAL_DIGITS && isDigit(text.charCodeAt(at))) at++
  if (at === start) return start
  const closes = at > start && (text[at] === '.' || text[at] === ')') && endsMarker(text, at + 1, end)
  return closes ? at + 1 : start
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function readHeading(text: string, line: MarkdownLine): void {
  let at = line.start
  while (text[at] === '#') at++
  if (at - line.start > 6 || !endsMarker(text, at, line.end)) return
  line.kind = 'heading'
  line.start = at
  let end = line.end
  while (end > at && text.charCodeAt(end - 1) <= 0x20) end--
  let closing = end
  while (closing > at && text[closing - 1] === '#') closing--
  if (closing > at && text.charCodeAt(closing - 1) <= 0x20) end = closing
  line.end = end
}

const ruleMarks: ReadonlySet<number> = new Set(Array.from('-*_=|:', mark => mark.charCodeAt(0)))

/** True for a horizontal rule, the line below a heading, and the dashes below the head of a table. */
function isRule(text: string, start: number, end: number, afterText: boolean): boolean {
  if (!ruleMarks.has(text.charCodeAt(start))) return false
  const mark = text[start]!
  let marks = 0
  let pipes = 0
  let dashes = 0
  let blanks = 0
  for (let at = start; at < end; at++) {
    const char = text[at]!
    if (char === mark) marks++
    if (char === '|') pipes++
    else if (char === '-') dashes++
    else if (char.charCodeAt(0) <= 0x20) blanks++
    else if (char !== mark && char !== ':') return false
  }
  if (dashes > 0 && pipes > 0) return !'*_='.includes(mark)
  if (marks + blanks !== end - start) return false
  if (mark === '=') return afterText
  if (mark === '-' && afterText && marks > 1) return true
  return marks >= 3 && mark !== '|' && mark !== ':'
}

/** True if the line is the head of a table, which the dashes in the next line show. */
function isTableHead(text: string, line: MarkdownLine): boolean {
  if (line.end >= text.length) return false
  let below = line.end + 1
  while (text.charCodeAt(below) === SPACE || text.charCodeAt(below) === QUOTE) below++
  const first = text.charCodeAt(below)
  if (first !== DASH && first !== COLON && first !== PIPE) return false
  let end = text.indexOf('\n', below)
  if (end < 0) end = text.length
  let pipes = 0
  for (let at = below; at < end; at++) {
    const char = text[at]!
    if (char === '|') pipes++
    else if (char !== '-' && char !== ':' && char.charCodeAt(0) > 0x20) return false
  }
  return pipes > 0
}
