import { foldWord } from './fold.ts'
import { isContractionHead, isFunctionWord } from './function-words.ts'
import { TokenBuffer, tokenize } from './tokens.ts'

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
  /** True for an English function word, contractions included. */
  functionWord: boolean
}

const APOSTROPHES = "'’ʼ‘`´＇"

/** Analyses the plain words of a query exactly as {@link tokenize} analyses a page; [] when it holds no word. */
export function queryTerms(text: string): QueryTerm[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  const terms: QueryTerm[] = []
  for (let at = 0; at < tokens.count; at++) {
    const start = tokens.starts[at]!
    const end = tokens.ends[at]!
    const word = foldWord(text.slice(start, end))
    terms.push({
      term: tokens.term(at),
      word,
      position: tokens.positions[at]!,
      start,
      end,
      functionWord: isFunctionWord(word),
    })
  }
  for (const [at, term] of terms.entries()) {
    const next = terms[at + 1]
    if (next?.word === 't' && isContractionHead(term.word) && joinedByApostrophe(text, term, next))
      term.functionWord = true
  }
  return terms
}

function joinedByApostrophe(text: string, left: QueryTerm, right: QueryTerm): boolean {
  return right.start === left.end + 1 && APOSTROPHES.includes(text[left.end]!)
}
