import { WORD } from '../../text/characters/char-table.ts'
import { classAt } from '../../text/terms/tokens.ts'

/** A quotation in a query, as UTF-16 offsets. */
export interface Quotation {
  /** Offset of the opening mark. */
  start: number
  /** Offset after the closing mark. */
  end: number
}

/**
 * Families of marks that pair with one another: each opening mark with the marks that close it. Inside a quotation, marks of
 * other families are text.
 */
const FAMILIES: readonly Readonly<Record<string, string>>[] = [
  { '"': '"＂', '＂': '"＂' },
  // English “…”, German „…“, Polish „…”, Swedish ”…”.
  { '“': '”', '‟': '”', '„': '“”', '”': '”' },
  // French « … », German »…«, Finnish »…».
  { '«': '»', '»': '«»' },
  { '‹': '›', '›': '‹›' },
  { '‘': '’', '‛': '’', '‚': '‘’' },
  { '「': '」' },
  { '『': '』' },
]

interface Mark {
  family: number
  /** The marks that close a quotation opened by this mark; '' if it cannot open one. */
  closers: string
}

const MARKS: ReadonlyMap<string, Mark> = new Map(
  FAMILIES.flatMap((pairs, family) => [
    ...Object.values(pairs).flatMap(closers => Array.from(closers, mark => [mark, { family, closers: '' }] as const)),
    ...Object.entries(pairs).map(([mark, closers]) => [mark, { family, closers }] as const),
  ]),
)
const MARK = new RegExp(`[${[...MARKS.keys()].join('')}]`, 'g')

/** Marks that usually close a quotation. They open one only where they cannot close one. */
const USUALLY_CLOSING = '”»›'
const SINGLE = '‘’‚‛'
const BRACKETS = '「」『』'

const BEFORE_OPENING = /[\s([{<>=:\-–—/]/
const AFTER_CLOSING = /[\s)\]}>.,;:!?…\-–—/]/

/**
 * True if a character always opens a quotation, so that `webql` requires a closing mark. False for single marks, which may
 * be apostrophes.
 */
export function opensQuotation(char: string): boolean {
  return !SINGLE.includes(char) && !USUALLY_CLOSING.includes(char) && (MARKS.get(char)?.closers ?? '') !== ''
}

/**
 * Finds the quotations in a query, in time linear in its length. Of nested quotations only the outer one counts. Unpaired
 * marks, apostrophes and inch marks are plain text.
 */
export function quotationsIn(text: string): Quotation[] {
  if (text.search(MARK) < 0) return []
  const begun: ({ at: number; closers: string } | undefined)[] = []
  const found: Quotation[] = []
  for (const { 0: char, index: at } of text.matchAll(MARK)) {
    const { family, closers } = MARKS.get(char)!
    const opening = begun[family]
    if (opening?.closers.includes(char) && mayClose(text, at)) {
      found.push({ start: opening.at, end: at + 1 })
      begun[family] = undefined
    } else if (closers !== '' && mayOpen(text, at)) begun[family] = { at, closers }
  }
  return outermost(text, found).sort((a, b) => a.start - b.start)
}

/**
 * Removes quotations inside others, and single-mark quotations that overlap another one, because their marks may be
 * apostrophes.
 */
function outermost(text: string, found: Quotation[]): Quotation[] {
  // Nearly always they lie one after another.
  if (found.every(({ start }, i) => i === 0 || start >= found[i - 1]!.end)) return found
  const isSingle = ({ start }: Quotation): boolean => SINGLE.includes(text[start]!)
  const isQuoted = new Uint8Array(text.length)
  let from = 0
  const kept = found
    .filter(quotation => !isSingle(quotation))
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      if (start < from) return false
      isQuoted.fill(1, start, end)
      from = end
      return true
    })
  const single = found.filter(
    quotation => isSingle(quotation) && !isQuoted.subarray(quotation.start, quotation.end).includes(1),
  )
  return [...kept, ...single]
}

function mayOpen(text: string, at: number): boolean {
  const char = text[at]!
  if (BRACKETS.includes(char)) return true
  const follows = at === 0 || BEFORE_OPENING.test(text[at - 1]!)
  const precedes = at + 1 === text.length || AFTER_CLOSING.test(text[at + 1]!)
  if (USUALLY_CLOSING.includes(char)) return follows && !precedes
  if (SINGLE.includes(char)) return !isWordAt(text, at - 1) && at + 1 < text.length && !/\s/.test(text[at + 1]!)
  return follows || !precedes
}

function mayClose(text: string, at: number): boolean {
  const char = text[at]!
  if (BRACKETS.includes(char)) return true
  if (SINGLE.includes(char)) return !/\s/.test(text[at - 1]!) && !isWordAt(text, at + 1)
  const follows = BEFORE_OPENING.test(text[at - 1]!)
  const precedes = at + 1 === text.length || AFTER_CLOSING.test(text[at + 1]!)
  return precedes || !follows
}

/** True if a letter or digit of a script with spaces is at an offset. A single mark next to one is an apostrophe. */
function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && classAt(text, at) === WORD
}
