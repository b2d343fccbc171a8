import { isLowSurrogate } from '@asof/extract/characters'
import { isAsciiLetter, isAsciiLetterOrDigit } from '../characters/ascii-letters.ts'
import { astralClass, FIRST_BIGRAM, SEPARATOR, unitClasses } from '../characters/char-table.ts'
import { foldWord } from '../characters/fold.ts'
import { isFunctionWord } from '../languages/function-words.ts'
import { MAX_TERM_UNITS } from './word-term.ts'

/** Several words with marks between them that can also be written as one word, such as `plug-in` and `U.S.A.` */
export interface JoinedWords {
  /** The joined word, folded: `plugin`, `usa`. */
  word: string
  /** UTF-16 offsets `[start, end)` in the text. */
  start: number
  end: number
}

const FULL_STOP = 0x2e
/** Maximum number of letters and digits of each of the words; longer ones are not joined. */
const MAX_LETTERS = MAX_TERM_UNITS / 2
/** Maximum number of initials that are joined. */
const MAX_INITIALS = 8

/**
 * Joins the words of which the ASCII word `text[start, end)` is the last. Returns undefined for nearly all words. Joined are
 *
 * - a word and the one before its hyphen, such as `e-mail` and `utf-8`, but not two numbers, and not `of-the`;
 * - two or more initials with full stops, such as `U.S.A.`, unless they make a function word, as `a.m.` does.
 *
 * A page has the joined word as a further term, at the position of the last of the words. So `email` and `e-mail` both find it.
 */
export function joinedWords(text: string, start: number, end: number): JoinedWords | undefined {
  const from = startOfJoined(text, start, end)
  const word = from === undefined ? undefined : joinWords(text.slice(from, end), start - from)
  return from === undefined || word === undefined ? undefined : { word, start: from, end }
}

/**
 * Returns the start of the words that {@link joinedWords} may join with the ASCII word `text[start, end)`, by their letters and the marks
 * between them. Undefined if no word before it may be joined with it.
 */
export function startOfJoined(text: string, start: number, end: number): number | undefined {
  return isHyphen(text.charCodeAt(start - 1)) ? startOfHead(text, start, end) : startOfInitials(text, start, end)
}

/**
 * Joins words that {@link startOfJoined} found. Returns undefined if their meaning does not let them be joined.
 *
 * @param last - the offset of the last word.
 */
export function joinWords(words: string, last: number): string | undefined {
  const isCompound = isHyphen(words.charCodeAt(last - 1))
  if (isCompound && !mayBeCompound(foldWord(words.slice(0, last - 1)), foldWord(words.slice(last)))) return undefined
  const word = foldWord(words)
  return isFunctionWord(word, 'en') ? undefined : word
}

/** Function words that can be a part of a compound: `plug-in`, `online`. */
const PARTICLES: ReadonlySet<string> = new Set([
  'away',
  'back',
  'by',
  'down',
  'in',
  'off',
  'on',
  'out',
  'over',
  'under',
  'up',
])

/**
 * Returns true if a word can be a part of a compound whose other part is not a function word.
 *
 * @param word - folded.
 */
export function mayBePart(word: string): boolean {
  // A single letter is a name, as in `T-shirt`, even if it is also a function word.
  return word.length === 1 || PARTICLES.has(word) || !isFunctionWord(word, 'en')
}

function mayBeCompound(head: string, tail: string): boolean {
  const isPlain = (word: string): boolean => word.length === 1 || !isFunctionWord(word, 'en')
  return mayBePart(head) && mayBePart(tail) && (isPlain(head) || isPlain(tail))
}

/**
 * Returns true if a word may be the last of some {@link joinedWords}.
 *
 * @param before - the unit before the word.
 * @param units - number of units of the word.
 */
export function mayEndJoined(before: number, units: number): boolean {
  return isHyphen(before) || (before === FULL_STOP && units === 1)
}

/** True if a word that ends at `end` may be the first of some {@link joinedWords}. */
export function mayBeginJoined(text: string, end: number): boolean {
  const mark = text.charCodeAt(end)
  return mark === FULL_STOP || isHyphen(mark)
}

/** The last of several words that can be joined, and the number of these words. */
export interface LastWord {
  start: number
  end: number
  words: number
}

/**
 * Returns the last of several words that can be joined, given the first of them, `text[start, end)`. Undefined if no word after the first
 * can be joined with it.
 */
export function endOfJoined(text: string, start: number, end: number): LastWord | undefined {
  if (text.charCodeAt(end) !== FULL_STOP) {
    const to = endOfAscii(text, end + 1)
    return to > 0 ? { start: end + 1, end: to, words: 2 } : undefined
  }
  if (end - start !== 1) return undefined
  let words = 1
  while (words <= MAX_INITIALS && isInitial(text, end + 2 * words - 1)) words++
  const to = end + 2 * (words - 1)
  return words > 1 ? { start: to - 1, end: to, words } : undefined
}

/** Returns the start of the word before a hyphen; undefined if it cannot be joined with the word after it. */
function startOfHead(text: string, start: number, end: number): number | undefined {
  const hyphen = start - 1
  let from = hyphen
  let hasLetter = false
  while (from > 0 && hyphen - from <= MAX_LETTERS && isAsciiLetterOrDigit(text.charCodeAt(from - 1))) {
    from--
    hasLetter ||= isAsciiLetter(text.charCodeAt(from))
  }
  if (from === hyphen || hyphen - from > MAX_LETTERS || end - start > MAX_LETTERS || isAbove(text, from - 1))
    return undefined
  for (let at = start; at < end && !hasLetter; at++) hasLetter = isAsciiLetter(text.charCodeAt(at))
  return hasLetter ? from : undefined
}

/** Returns the start of the initials that end with `text[start, end)`; undefined if it is not the last of several. */
function startOfInitials(text: string, start: number, end: number): number | undefined {
  if (end - start !== 1 || !isInitial(text, start) || isInitial(text, end + 1)) return undefined
  let from = start
  for (let initials = 1; text.charCodeAt(from - 1) === FULL_STOP && isInitial(text, from - 2); initials++) {
    if (initials === MAX_INITIALS) return undefined
    from -= 2
  }
  // In `example.c.d`, the letters are not initials.
  return from === start || text.charCodeAt(from - 1) === FULL_STOP ? undefined : from
}

/** True if the unit at an offset is an ASCII letter and is a word by itself. */
function isInitial(text: string, at: number): boolean {
  return isAsciiLetter(text.charCodeAt(at)) && !isWordUnit(text, at - 1) && !isWordUnit(text, at + 1)
}

function isWordUnit(text: string, at: number): boolean {
  return isAsciiLetterOrDigit(text.charCodeAt(at)) || isAbove(text, at)
}

/** True for a unit that is not ASCII and may be a part of a word. The second half of a surrogate pair is what the pair is. */
function isAbove(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  // Outside the text, the unit is NaN.
  if (!(unit > 127)) return false
  const codePoint = isLowSurrogate(unit) && at > 0 ? text.codePointAt(at - 1)! : 0
  return (codePoint > 0xffff ? astralClass(codePoint) : unitClasses[unit]) !== SEPARATOR
}

function endOfAscii(text: string, start: number): number {
  let end = start
  while (end - start <= MAX_LETTERS && isAsciiLetterOrDigit(text.charCodeAt(end))) end++
  const isWhole = !isAbove(text, end) || unitClasses[text.charCodeAt(end)]! >= FIRST_BIGRAM
  return end > start && end - start <= MAX_LETTERS && isWhole ? end : 0
}

function isHyphen(unit: number): boolean {
  return unit === 0x2d || unit === 0x2010 || unit === 0x2011
}
