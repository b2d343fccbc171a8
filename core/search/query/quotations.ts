import { WORD } from '../../text/characters/char-table.ts'
import { classAt } from '../../text/terms/tokens.ts'

/** A quotation of a query, as UTF-16 offsets. */
export interface Quotation {
  /** Offset of the opening mark. */
  start: number
  /** Offset behind the closing mark. */
  end: number
}

/** Marks that pair with one another: each opening mark with the marks that close it. A mark in another family is text. */
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
  /** The marks that close a quotation which this one opens; '' if it opens none. */
  closers: string
}

const MARKS: ReadonlyMap<string, Mark> = new Map(
  FAMILIES.flatMap((pairs, family) => [
    ...Object.values(pairs).flatMap(closers => Array.from(closers, mark => [mark, { family, closers: '' }] as const)),
    ...Object.entries(pairs).map(([mark, closers]) => [mark, { family, closers }] as const),
  ]),
)

/** Marks that usually close: they open a quotation only where nothing else can be meant. */
const USUALLY_CLOSING = '”»›'
const SINGLE = '‘’‚‛'
const BRACKETS = '「」『』'

const BEFORE_OPENING = /[\s([{<\-–—/]/
const BEHIND_CLOSING = /[\s)\]}>.,;:!?…\-–—/]/

/** Whether a character opens quotations: in `webql` it must then be closed. Single marks may be apostrophes. */
export function opensQuotation(char: string): boolean {
  return !SINGLE.includes(char) && !USUALLY_CLOSING.includes(char) && (MARKS.get(char)?.closers ?? '') !== ''
}

/**
 * Finds the quotations of a query, in time linear in its length. Where one lies within another, only the outer one
 * counts. A mark without its counterpart is plain text, as are apostrophes and the marks of inches.
 */
export function quotationsIn(text: string): Quotation[] {
  const begun: ({ at: number; closers: string } | undefined)[] = []
  const found: Quotation[] = []
  for (let at = 0; at < text.length; at++) {
    const mark = MARKS.get(text[at])
    if (!mark) continue
    const { family, closers } = mark
    const opening = begun[family]
    if (opening?.closers.includes(text[at]) && mayClose(text, at)) {
      found.push({ start: opening.at, end: at + 1 })
      begun[family] = undefined
    } else if (closers !== '' && mayOpen(text, at)) begun[family] = { at, closers }
  }
  return outermost(text, found).sort((a, b) => a.start - b.start)
}

/** Leaves out quotations within others, and those in single marks that overlap any: their marks may be apostrophes. */
function outermost(text: string, found: Quotation[]): Quotation[] {
  const isSingle = ({ start }: Quotation): boolean => SINGLE.includes(text[start])
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
  const char = text[at]
  if (BRACKETS.includes(char)) return true
  const follows = at === 0 || BEFORE_OPENING.test(text[at - 1])
  const precedes = at + 1 === text.length || BEHIND_CLOSING.test(text[at + 1])
  if (USUALLY_CLOSING.includes(char)) return follows && !precedes
  if (SINGLE.includes(char)) return !isWordAt(text, at - 1) && at + 1 < text.length && !/\s/.test(text[at + 1])
  return follows || !precedes
}

function mayClose(text: string, at: number): boolean {
  const char = text[at]
  if (BRACKETS.includes(char)) return true
  if (SINGLE.includes(char)) return !/\s/.test(text[at - 1]) && !isWordAt(text, at + 1)
  const follows = BEFORE_OPENING.test(text[at - 1])
  const precedes = at + 1 === text.length || BEHIND_CLOSING.test(text[at + 1])
  return precedes || !follows
}

/** Whether a letter or digit of a script with spaces is at an offset: next to one a single mark is an apostrophe. */
function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && classAt(text, at) === WORD
}
