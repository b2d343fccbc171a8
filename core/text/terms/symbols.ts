import { isAsciiLetter, isAsciiLetterOrDigit } from '../characters/ascii-letters.ts'
import { SKIPPED, STRIPPED, SURROGATE, unitClasses, WORD } from '../characters/char-table.ts'

/** A word together with the adjacent symbols that distinguish it from other words, such as `C++`. */
export interface SymbolForm {
  /**
   * The word with its symbols, in lower case. It begins with a letter or a full stop and contains `+`, `#`, `&` or `.`
   */
  term: string
  /** UTF-16 offsets `[start, end)` in the text. */
  start: number
  end: number
}

const HASH = 0x23
const AMPERSAND = 0x26
const PLUS = 0x2b
const FULL_STOP = 0x2e
/** Maximum number of letters of a word that can be part of a form with symbols. Names are not longer. */
const MAX_LETTERS = 32
/** Maximum number of letters on each side of an ampersand. */
const MAX_INITIALS = 3
/** Words that can precede `.NET`. Any other word before `.net` belongs to a host name. */
const BEFORE_NET: ReadonlySet<string> = new Set(['asp', 'ado', 'vb'])

/**
 * The letters of `js` and `net` as bytes of a number. Only these two words can form a name with the word before them.
 */
export const PACKED_JS = 0x6a73
export const PACKED_NET = 0x6e6574

/** True for a character that can form a name with the word before it, see {@link symbolForms}. */
export function isSymbolMark(unit: number): boolean {
  return unit === PLUS || unit === HASH || unit === AMPERSAND
}

const NONE: readonly SymbolForm[] = []

/**
 * Returns the forms with symbols that begin or end with the ASCII word `text[start, end)`, longest first. Empty for
 * nearly all words. The forms are:
 *
 * - `C++`, `i++`: a word before two plus signs;
 * - `C#`, `F#`: a single letter before a number sign, if no letters follow (as in `foo#bar`);
 * - `R&D`, `AT&T`: up to three letters on each side of an ampersand, but not in query strings and entities;
 * - `node.js`: any word before `.js`, if the given word is `js`;
 * - `.NET`, `ASP.NET`, `VB.NET` and `ADO.NET`, if the given word is `net`.
 */
export function symbolForms(text: string, start: number, end: number): readonly SymbolForm[] {
  const marked = endOfMarked(text, start, end)
  if (marked > 0) return [formOf(text, start, marked)]
  if (start === 0 || end - start > 3 || text.charCodeAt(start - 1) !== FULL_STOP) return NONE
  const word = text.slice(start, end).toLowerCase()
  if (word !== 'js' && word !== 'net') return NONE
  const head = headBefore(text, start - 1)
  if (word === 'js') return head < start - 1 ? [formOf(text, head, end)] : NONE
  if (start > 1 && text.charCodeAt(start - 2) === FULL_STOP) return NONE
  const dotNet = formOf(text, start - 1, end)
  if (head < start - 1)
    return BEFORE_NET.has(text.slice(head, start - 1).toLowerCase()) ? [formOf(text, head, end), dotNet] : NONE
  return start > 1 && isPartOfWord(text.charCodeAt(start - 2)) ? NONE : [dotNet]
}

/** Matches most terms. It is faster than the pattern of names with symbols. */
const ASCII_WORD = /^[a-z\d]*$/

/**
 * Returns the word of a term with symbols that {@link symbolForms} starts from: `c` for `c++`, `js` for `node.js`.
 * Returns '' for other terms.
 */
export function wordOfSymbol(term: string): string {
  if (ASCII_WORD.test(term)) return ''
  const [, before, behind] = /^(?:([a-z][a-z0-9]*)(?:\+\+|#|&[a-z]+)|[a-z0-9]*\.(js|net))$/.exec(term) ?? []
  return before ?? behind ?? ''
}

/**
 * Returns the plain words that mean the same as a term with symbols, such as `node` and `js` for `node.js`. Empty if
 * the meaning is another, as for `c++`.
 */
export function partsOfSymbol(term: string): string[] {
  return wordOfSymbol(term) !== '' && /^\w+[.&]/.test(term) ? term.split(/[.&]/) : []
}

function formOf(text: string, start: number, end: number): SymbolForm {
  return { term: text.slice(start, end).toLowerCase(), start, end }
}

/** Returns the end of the form that a word makes with the symbols after it; 0 if they make none. */
function endOfMarked(text: string, start: number, end: number): number {
  const mark = text.charCodeAt(end)
  if (!isSymbolMark(mark) || end - start > MAX_LETTERS || !isAsciiLetter(text.charCodeAt(start))) return 0
  if (mark === PLUS) return text.charCodeAt(end + 1) === PLUS ? end + 2 : 0
  if (mark === HASH) return end - start === 1 && !isLetterAt(text, end + 1) ? end + 1 : 0
  return endOfInitials(text, start, end)
}

function endOfInitials(text: string, start: number, end: number): number {
  let to = end + 1
  while (to - end <= MAX_INITIALS && isAsciiLetter(text.charCodeAt(to))) to++
  if (to === end + 1 || end - start > MAX_INITIALS || isPartOfWord(text.charCodeAt(to))) return 0
  for (let at = start; at < end; at++) if (!isAsciiLetter(text.charCodeAt(at))) return 0
  const isOfQuery = '?&'.includes(text[start - 1] ?? ' ') || '=;'.includes(text[to] ?? ' ')
  return isOfQuery ? 0 : to
}

/** Returns the start of the ASCII word that ends at `end`; `end` if there is no word that can be part of a form. */
function headBefore(text: string, end: number): number {
  let from = end
  while (from > 0 && end - from <= MAX_LETTERS && isAsciiLetterOrDigit(text.charCodeAt(from - 1))) from--
  if (end - from > MAX_LETTERS || !isAsciiLetter(text.charCodeAt(from))) return end
  return from > 0 && isPartOfWord(text.charCodeAt(from - 1)) ? end : from
}

/** True for a letter or underscore. A digit does not count, so that `C#7` contains `C#`. */
function isLetterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit < 128 ? isAsciiLetter(unit) || unit === 0x5f : isPartOfWord(unit)
}

/** True for a unit that can be part of a word in a script with spaces. False for NaN, which `charCodeAt` returns outside the text. */
function isPartOfWord(unit: number): boolean {
  const charClass = unitClasses[unit]
  return charClass === WORD || charClass === SKIPPED || charClass === STRIPPED || charClass === SURROGATE
}
