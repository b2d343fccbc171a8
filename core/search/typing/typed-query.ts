import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { MAX_BEGINNING_UNITS } from '../../text/terms/word-term.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { type QueryClause, textsOf } from '../plain/query-clauses.ts'
import { isOfLetters } from '../terms/spelling-corrections.ts'
import { stemsOfBeginning } from './stems-of-beginning.ts'

/** A beginning in Latin letters or digits needs at least this many of them. */
const MIN_BEGINNING = 2
/** Minimum numbers of letters of a word that may have one typo, and of one that may have two. */
const ONE_EDIT_LETTERS = 5
const TWO_EDITS_LETTERS = 9
/** Longer strings are not words. */
const MAX_LETTERS = 40
/**
 * Maximum number of patterns of a query, because each scans a part of the dictionaries. The last word has at most two patterns, any other word
 * one.
 */
const MAX_PATTERNS = 8

/** A word of a query that somebody is still typing, with the patterns of the words that may be meant by it. */
export interface TypedWord {
  own: QueryTerm
  /** True for the last word, unless white space follows it: it may be the beginning of a longer word. */
  isBegun: boolean
  /** A pattern for the words that begin like it, if `isBegun` is true, then a pattern for words with typos. */
  patterns: readonly TermPattern[]
}

/** A query that somebody is still typing. */
export interface TypedQuery {
  /** The words that may stand for other words of the index, the last word first. */
  words: readonly TypedWord[]
  /** All words of the query, in their order, except function words. */
  all: readonly QueryTerm[]
}

/**
 * Returns the words of a query that somebody is still typing, with patterns of the words that may be meant.
 *
 * @param text - the query as typed. @param clauses - the clauses of the query. @param language - the language of the words, ISO 639-1; '' for
 *   none.
 */
export function typedQuery(text: string, clauses: readonly QueryClause[], language: string): TypedQuery {
  const words = queryTerms(textsOf(clauses, 'word').join(' '), language)
  const last = clauses.at(-1)
  const isBegun = last?.kind === 'word' && !last.isExcluded && !/\s$/.test(text)
  const begun = isBegun ? lastWord(words) : undefined
  const typed: TypedWord[] = begun ? [{ own: begun, isBegun: true, patterns: beginningPatterns(begun) }] : []
  let patterns = typed[0]?.patterns.length ?? 0
  for (const own of words.toReversed()) {
    if (patterns >= MAX_PATTERNS) break
    if (own === begun || own.functionWord) continue
    const typos = typoPatterns(own)
    patterns += typos.length
    if (typos.length > 0) typed.push({ own, isBegun: false, patterns: typos })
  }
  return { words: typed, all: words.filter(word => word === begun || !word.functionWord) }
}

/** The last of some words; undefined if it is written without spaces, so that it has several overlapping terms. */
function lastWord(words: readonly QueryTerm[]): QueryTerm | undefined {
  const [before, last] = words.slice(-2)
  return before && last && last.start < before.end ? undefined : (last ?? before)
}

/** Number of edits allowed in a word. Only words of letters allow any. */
export function editsOf(word: string): number {
  if (word.length > MAX_LETTERS || !isOfLetters(word)) return 0
  const letters = [...word].length
  return letters < ONE_EDIT_LETTERS ? 0 : letters < TWO_EDITS_LETTERS ? 1 : 2
}

function beginningPatterns(begun: QueryTerm): TermPattern[] {
  const { word, start } = begun
  if (word.length < MIN_BEGINNING && /^[a-z\d]/.test(word)) return []
  const prefix = word.slice(0, MAX_BEGINNING_UNITS)
  const pattern = { text: `${word}*`, at: start, prefix, also: stemsOfBeginning(prefix), title: false, scores: true }
  return [pattern, ...typoPatterns(begun, word)]
}

/** @param begun - a word whose continuations match as well. */
function typoPatterns({ term, word, start }: QueryTerm, begun?: string): TermPattern[] {
  const edits = editsOf(word)
  if (edits === 0) return []
  const prefix = String.fromCodePoint(word.codePointAt(0) ?? 0)
  const text = `${word}~${edits}${begun === undefined ? '' : '*'}`
  return [{ text, at: start, prefix, fuzzy: { word: term, edits, begun }, title: false, scores: true }]
}
