import { foldWord } from '../characters/fold.ts'
import { isContractionHead, isFunctionWord } from '../languages/function-words.ts'
import { dictionaryTerm, dictionaryWords, hasDictionary } from './dictionary-words.ts'
import { hasStems, isStemmable, languageStem } from './language-terms.ts'
import { MAX_TERM_UNITS } from './term-interner.ts'
import { classAt, TokenBuffer, tokenize } from './tokens.ts'

/** A term of a query, as the index knows it, with the word it was made of. */
export interface QueryTerm {
  term: string
  /** The word as written, folded but not stemmed. */
  word: string
  /** Counts as in an indexed text: two terms of a phrase stand as far apart there as here. */
  position: number
  /** UTF-16 offsets `[start, end)` in the query. */
  start: number
  end: number
  /** True for a function word of the query's language, contractions included. */
  functionWord: boolean
  /** In a query whose language has stems: that of the word, perhaps the same as `term`. */
  stem?: string
  /**
   * In a script that a dictionary takes apart: the terms of the words that begin here; [] within a word. Absent where
   * there is no word.
   */
  dictionary?: string[]
}

const APOSTROPHES = "'’ʼ‘`´＇"

/** Used again by every part of every query. */
const tokens = new TokenBuffer()

/**
 * Analyzes the plain words of a query exactly as {@link tokenize} analyzes a page; [] when it holds no word. Of a word
 * with symbols, such as `C++`, only the whole form is a term.
 *
 * @param language - that of the query, ISO 639-1. Default: unknown, or one without stems of its own, as English is.
 */
export function queryTerms(text: string, language = ''): QueryTerm[] {
  tokens.count = 0
  tokens.runs = 0
  tokens.symbols = 0
  tokenize(text, tokens)
  const terms: QueryTerm[] = []
  let symbolEnd = 0
  for (let at = 0; at < tokens.count; at++) {
    const start = tokens.starts[at]!
    const end = tokens.ends[at]!
    if (start < symbolEnd) continue
    if (tokens.isSymbol(at)) {
      // Who asks for `C++` does not mean `C`.
      while (terms.length > 0 && terms[terms.length - 1]!.start >= start) terms.pop()
      symbolEnd = end
      const term = tokens.term(at)
      terms.push({ term, word: term, position: tokens.positions[at]!, start, end, functionWord: false })
      continue
    }
    const word = foldWord(text.slice(start, end))
    terms.push({
      term: tokens.term(at),
      word,
      position: tokens.positions[at]!,
      start,
      end,
      functionWord: isFunctionWord(word, language),
      ...(hasStems(language) && isStemmable(text, start) && { stem: stemOf(text.slice(start, end), language) }),
    })
  }
  if (tokens.runs > 0) addDictionaryWords(text, terms)
  for (const [at, term] of terms.entries()) {
    const next = terms[at + 1]
    if (next?.word === 't' && isContractionHead(term.word) && joinedByApostrophe(text, term, next))
      term.functionWord = true
  }
  return terms
}

function stemOf(word: string, language: string): string {
  return languageStem(word.slice(0, MAX_TERM_UNITS), language)
}

/** As `PageTerms` finds the words of a page. */
function addDictionaryWords(text: string, terms: QueryTerm[]): void {
  for (let from = 0; from < terms.length; ) {
    let to = from + 1
    while (to < terms.length && terms[to]!.start < terms[to - 1]!.end) to++
    const words = hasDictionary(classAt(text, terms[from]!.start))
      ? dictionaryWords(text, terms[from]!.start, terms[to - 1]!.end)
      : []
    let next = 0
    for (let at = from; at < to; at++) {
      const { start } = terms[at]!
      const begin: string[] = []
      for (; next < words.length && words[next]!.start <= start; next++)
        begin.push(dictionaryTerm(foldWord(text.slice(words[next]!.start, words[next]!.end), MAX_TERM_UNITS)))
      const before = words[next - 1]
      if (before && before.end > start) terms[at]!.dictionary = begin
    }
    from = to
  }
}

function joinedByApostrophe(text: string, left: QueryTerm, right: QueryTerm): boolean {
  return right.start === left.end + 1 && APOSTROPHES.includes(text[left.end]!)
}
