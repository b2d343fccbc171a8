import { isFunctionWord } from '../../text/languages/function-words.ts'
import { mayBePart } from '../../text/terms/joined-words.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'
import { partsOfSymbol } from '../../text/terms/symbols.ts'
import { stemTerm } from '../../text/terms/term-interner.ts'
import { ALTERNATIVE, type FavoredPhrase, type Phrase } from '../query/scoring-terms.ts'

/** Other ways to write words of a query as one word or as several. */
export interface OtherSpellings {
  /**
   * Neighboring words, joined: `plugin` for `plug-in`, `rtx4090` for `RTX 4090`. Most joined words are not words: no page contains them.
   */
  joined: JoinedSpelling[]
  /** Words of letters and digits, divided: `rtx 4090` for `rtx4090`. */
  divided: FavoredPhrase[]
}

/** A word that pages may contain instead of words of the query. */
export interface JoinedSpelling {
  term: string
  /** The words that it joins. */
  parts: readonly QueryTerm[]
}

/** In a query of more words than this, only pairs with a digit are joined, because each joined word is looked up in the index. */
const MAX_WORDS = 3
/** Weight of a divided word, relative to the word as written. It is low, so that pages with the word as written rank first. */
export const DIVIDED = 0.5
const LETTERS_AND_DIGITS = /^(?=.*\d)(?=.*[a-z])[a-z0-9]+$/
/** Numbers that are also written in groups of three digits. A year is never written in groups. */
const LONG_NUMBER = /^\d{5,15}$/
/** Maximum number of pieces of letters and of digits in a word that is divided. A word with more pieces is a code rather than a name. */
const MAX_PIECES = 3
/** Maximum number of groups of digits of a number. */
const MAX_GROUPS = 5

/**
 * Returns the other spellings of the plain words of a query. Joins only neighboring words. Divides words between letters and digits and at
 * symbols (`node.js`), numbers into groups of digits, and acronyms that are also function words (`IT`) into letters. Does not guess which other
 * words are compounds.
 */
export function otherSpellings(words: readonly QueryTerm[]): OtherSpellings {
  const joined = new Map<string, JoinedSpelling>()
  const divided: FavoredPhrase[] = []
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]
    const { joined: written } = word
    const joins =
      written ??
      joinedNumber(words, at) ??
      (before && mayJoin(before, word) && (words.length <= MAX_WORDS || hasDigit(before) || hasDigit(word))
        ? { term: joinedTerm(before, word), words: 2 }
        : undefined)
    if (joins) {
      const parts = words.slice(Math.max(0, at + 1 - joins.words), at + 1)
      joined.set(joins.term, { term: joins.term, parts })
    }
    const name = word.word.includes('.') ? partsOfSymbol(word.word) : []
    if (name.length > 1) {
      const term = stemTerm(name.join(''))
      joined.set(term, { term, parts: [word] })
    }
    const pieces = name.length > 1 ? name : piecesOf(word.word)
    if (pieces.length > 1) divided.push(dividedPhrase(word, pieces))
    const initials = initialsUpTo(words, at)
    if (initials.length > 1) divided.push(initialsPhrase(initials))
    if (word.isAcronym && isFunctionWord(word.word, 'en')) divided.push(dividedPhrase(word, [...word.word]))
  }
  return { joined: [...joined.values()], divided }
}

/** Returns the initials, such as those of `U.S.A.`, that end with the word at an index. [] if no initials end there. */
function initialsUpTo(words: readonly QueryTerm[], at: number): readonly QueryTerm[] {
  const isAfter = (second: QueryTerm | undefined, first: QueryTerm | undefined): boolean =>
    first?.isInitial === true && second?.isInitial === true && second.start === first.end + 1
  if (!words[at]!.isInitial || isAfter(words[at + 1], words[at])) return []
  let from = at
  while (isAfter(words[from], words[from - 1])) from--
  return words.slice(from, at + 1)
}

/** Returns initials as a phrase, because a page with only some of the letters hardly means the same name. */
function initialsPhrase(initials: readonly QueryTerm[]): FavoredPhrase {
  const [first] = initials
  return {
    forms: [initials.map(({ term, position }) => ({ term, offset: position - first!.position }))],
    terms: initials.map(({ term }) => ({ term, count: 1 })),
  }
}

/** Returns the number, such as `10,000`, whose last group of three digits is the word at an index. Undefined if no such number ends there. */
function joinedNumber(words: readonly QueryTerm[], at: number): { term: string; words: number } | undefined {
  const isGroup = (n: number): boolean => {
    const [before, word] = [words[n - 1], words[n]]
    return word !== undefined && word.start - 1 === before?.end && GROUP.test(word.word) && DIGITS.test(before.word)
  }
  if (!isGroup(at) || isGroup(at + 1)) return undefined
  let from = at
  while (isGroup(from)) from--
  const number = words.slice(from, at + 1)
  return number[0]!.word.length <= 3 && number.length <= MAX_GROUPS
    ? { term: stemTerm(number.map(({ word }) => word).join('')), words: number.length }
    : undefined
}

/** Returns a joined word as a phrase of one word. It raises only pages that lack the last of the separate words (function words aside). */
export function joinedPhrase({ term, parts }: JoinedSpelling): FavoredPhrase {
  const last = parts.findLast(({ functionWord }) => !functionWord)
  return {
    forms: [[{ term, offset: 0 }]],
    terms: parts.map(({ term, stem = term }) => ({ term: stem, count: ALTERNATIVE })),
    unless: last && (last.stem ?? last.term),
  }
}

/**
 * Returns the phrases of the pieces of a word. Pages may contain one of them instead of the word.
 *
 * @param divisions - for each phrase its pieces.
 */
export function dividedPhrase(
  { term, stem = term }: QueryTerm,
  ...divisions: readonly (readonly string[])[]
): FavoredPhrase {
  return {
    forms: divisions.map(phraseOf),
    terms: [{ term: stem, count: DIVIDED }],
    unless: stem,
  }
}

/** Returns the phrase of words that follow one another. */
export function phraseOf(words: readonly string[]): Phrase {
  return words.map((word, offset) => ({ term: stemTerm(word), offset }))
}

function joinedTerm(first: QueryTerm, second: QueryTerm): string {
  return stemTerm(first.word + second.word)
}

/** True if two words may be written as one. */
function mayJoin(first: QueryTerm, second: QueryTerm): boolean {
  const isNext = second.position === first.position + 1 && second.start > first.end
  // A single letter is a name, as in `M.Sc.`, even if it is also a function word.
  if (
    !isNext ||
    (first.functionWord && first.word.length > 1) ||
    !ASCII_WORD.test(first.word) ||
    !ASCII_WORD.test(second.word)
  )
    return false
  if (DIGITS.test(first.word) && DIGITS.test(second.word)) return false
  return mayBePart(second.word)
}

function hasDigit({ word }: QueryTerm): boolean {
  return /\d/.test(word)
}

const ASCII_WORD = /^[a-z0-9]{1,32}$/
const DIGITS = /^\d+$/
/** A group of digits that is not the first one of its number. */
const GROUP = /^\d{3}$/

/** Returns the pieces of letters and of digits of a word, or the groups of digits of a number; only the word if it has too many pieces. */
function piecesOf(word: string): string[] {
  if (LONG_NUMBER.test(word)) return word.match(/^\d{1,3}(?=(?:\d{3})+$)|\d{3}/g) ?? [word]
  if (word.length > 2 * 32 || !LETTERS_AND_DIGITS.test(word)) return [word]
  const pieces = word.match(/[a-z]+|\d+/g) ?? []
  return pieces.length <= MAX_PIECES ? pieces : [word]
}
