import { HANGUL } from '../characters/char-table.ts'
import { foldWord } from '../characters/fold.ts'
import { NOT_AS_WRITTEN } from '../languages/english-endings.ts'
import { isContractionHead, isFunctionWord } from '../languages/function-words.ts'
import { dictionaryTerm, dictionaryWords, hasDictionary } from './dictionary-words.ts'
import { koreanQueryTerms } from './korean-words.ts'
import { hasStems, isStemmable, languageStem } from './language-terms.ts'
import { spelledOut } from './spelled-out.ts'
import { stemTerm } from './term-interner.ts'
import { classAt, TokenBuffer, tokenize } from './tokens.ts'
import { foldToTerm } from './word-term.ts'

/** A term of a query, with the word from which it was made. */
export interface QueryTerm {
  /** The term as it is in the index. */
  term: string
  /** The word, folded but not stemmed. */
  word: string
  /** Number of the ending with which the word is written: 0 if the word is its own stem. `endingOf` computes it. */
  ending: number
  /**
   * Set for the last of several words that the query separates by a mark and that can be written as one, such as `plug-in`: the term of the
   * joined word, and the number of words in it.
   */
  joined?: { term: string; words: number }
  /**
   * Position of the word, counted by the same rules as in a page. So a phrase has the same distances between its words
   * in a query and in a page.
   */
  position: number
  /** UTF-16 offsets `[start, end)` of the word in the query. */
  start: number
  end: number
  /**
   * True for a function word of the query's language, or a part of a contraction such as `don't`. False for an acronym such as `US`
   * and `IT` in `IT jobs`.
   */
  functionWord: boolean
  /** True for a word of two or three capital letters, unless the query has several words that are all in capitals. */
  isAcronym?: true
  /** True for one of several initials with full stops, such as `U.S.` */
  isInitial?: true
  /** The stem of the word, which may equal `term`. Undefined if the language has no stems. */
  stem?: string
  /** The term of the word without its umlauts (Mueller for Müller). Undefined if it has none. */
  spelledOut?: string
  /**
   * The terms of the words that a dictionary finds at this position. Empty inside such a word. Undefined if the script
   * has no dictionary or it finds no word here.
   */
  dictionary?: string[]
}

const APOSTROPHES = "'’ʼ‘`´＇"

const LETTER = /^[a-z]$/
const ACRONYM = /^[A-Z]{2,3}$/
const SMALL_LETTER = /\p{Ll}/u
const ONE_WORD = /^[^\p{L}\p{N}]*\p{L}+[^\p{L}\p{N}]*$/u

/** One buffer for all queries of this thread. */
const tokens = new TokenBuffer()

/**
 * Analyzes the plain words of a query as {@link tokenize} analyzes a page. A word with symbols, such as `C++`, gives
 * only the term with the symbols.
 *
 * @param language - the language of the query, ISO 639-1. Default: unknown or English.
 * @returns an empty list for a query without words.
 */
export function queryTerms(text: string, language = ''): QueryTerm[] {
  tokens.count = 0
  tokens.runs = 0
  tokens.symbols = 0
  tokenize(text, tokens)
  const terms: QueryTerm[] = []
  const mayHaveAcronyms = SMALL_LETTER.test(text) || ONE_WORD.test(text)
  let symbolEnd = 0
  for (let at = 0; at < tokens.count; at++) {
    const start = tokens.starts[at]!
    const end = tokens.ends[at]!
    if (start < symbolEnd) continue
    const ending = tokens.endings[at]!
    if (tokens.isSymbol(at) && ending === NOT_AS_WRITTEN) {
      const last = terms.at(-1)
      if (last) last.joined = { term: tokens.term(at), words: terms.filter(term => term.start >= start).length }
      continue
    }
    if (tokens.isSymbol(at)) {
      // Whoever searches for `C++` does not look for `C`, so the plain word is dropped.
      while (terms.length > 0 && terms[terms.length - 1]!.start >= start) terms.pop()
      symbolEnd = end
      const term = tokens.term(at)
      terms.push({ term, word: term, position: tokens.positions[at]!, start, end, ending, functionWord: false })
      continue
    }
    const word = foldWord(text.slice(start, end))
    const position = tokens.positions[at]!
    const isAcronym = mayHaveAcronyms && isAcronymAt(text, start, end)
    const functionWord = isFunctionWord(word, language) && !isAcronym
    const term: QueryTerm = { term: tokens.term(at), word, position, start, end, ending, functionWord }
    if (isAcronym) term.isAcronym = true
    if (hasStems(language) && isStemmable(text, start)) term.stem = languageStem(text.slice(start, end), language)
    const spelled = spelledOut(text.slice(start, end))
    if (spelled !== '') term.spelledOut = stemTerm(foldToTerm(spelled))
    terms.push(term)
  }
  if (tokens.runs > 0) addDictionaryWords(text, terms)
  markInitials(text, terms)
  for (let at = 0; at + 1 < terms.length; at++) {
    const term = terms[at]!
    const next = terms[at + 1]!
    if (next.word === 't' && isContractionHead(term.word) && isJoinedByApostrophe(text, term, next))
      term.functionWord = true
  }
  return terms
}

/** True for a word of capital letters. False if a hyphen is next to it, as in the part number `AB-1200`. */
function isAcronymAt(text: string, start: number, end: number): boolean {
  return text[start - 1] !== '-' && text[end] !== '-' && ACRONYM.test(text.slice(start, end))
}

/** Sets `isInitial` of each letter that a full stop joins with the letter before it or after it. */
function markInitials(text: string, terms: readonly QueryTerm[]): void {
  for (let at = 1; at < terms.length; at++) {
    const first = terms[at - 1]!
    const second = terms[at]!
    const isJoined = second.start === first.end + 1 && text[first.end] === '.'
    if (!isJoined || !LETTER.test(first.word) || !LETTER.test(second.word)) continue
    first.isInitial = true
    second.isInitial = true
  }
}

/** Sets `dictionary` of each term, by the same rules as for a page. */
function addDictionaryWords(text: string, terms: QueryTerm[]): void {
  for (let from = 0; from < terms.length; ) {
    let to = from + 1
    while (to < terms.length && terms[to]!.start < terms[to - 1]!.end) to++
    if (classAt(text, terms[from]!.start) === HANGUL) {
      const korean = koreanQueryTerms(text.slice(terms[from]!.start, terms[to - 1]!.end))
      if (korean.length > 0) for (let at = from; at < to; at++) terms[at]!.dictionary = at === from ? korean : []
    }
    const words = hasDictionary(classAt(text, terms[from]!.start))
      ? dictionaryWords(text, terms[from]!.start, terms[to - 1]!.end)
      : []
    let next = 0
    for (let at = from; at < to; at++) {
      const { start } = terms[at]!
      const begin: string[] = []
      for (; next < words.length && words[next]!.start <= start; next++)
        begin.push(dictionaryTerm(foldToTerm(text.slice(words[next]!.start, words[next]!.end))))
      const before = words[next - 1]
      if (before && before.end > start) terms[at]!.dictionary = begin
    }
    from = to
  }
}

function isJoinedByApostrophe(text: string, left: QueryTerm, right: QueryTerm): boolean {
  return right.start === left.end + 1 && APOSTROPHES.includes(text[left.end]!)
}
