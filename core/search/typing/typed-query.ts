import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { MAX_BEGINNING_UNITS } from '../../text/terms/word-term.ts'
import { anyOf, type Condition, filterOf } from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type { AnalyzedQuery } from '../query/analyze-query.ts'
import { type QueryClause, textsOf } from '../query/query-clauses.ts'
import { isOfLetters } from '../terms/spelling-corrections.ts'
import type { AnalyzedWebql } from '../webql/analyze-webql.ts'
import { stemsOfBeginning } from './stems-of-beginning.ts'

/** A beginning in Latin letters or digits needs at least this many of them. */
const MIN_BEGINNING = 2
/** Number of edits that a word of so many letters allows: none below 5 letters, one from 5, two from 9. */
const ONE_EDIT_LETTERS = 5
const TWO_EDITS_LETTERS = 9
/** Longer strings are not words. */
const MAX_LETTERS = 40
/** Each pattern scans a part of the dictionaries. The last word of the query has at most two of them, the others one. */
const MAX_PATTERNS = 8

/**
 * The patterns of a query that somebody is still typing: words that begin like the last one, unless white space follows it, and
 * words within the edits that {@link editsOf} allows.
 *
 * @param text - the query as typed. @param clauses - its clauses. @param language - of the words, ISO 639-1; '' for none.
 */
export function typedPatterns(text: string, clauses: readonly QueryClause[], language: string): TermPattern[] {
  const words = queryTerms(textsOf(clauses, 'word').join(' '), language)
  const last = clauses.at(-1)
  const isBegun = last?.kind === 'word' && !last.isExcluded && !/\s$/.test(text)
  const begun = isBegun ? lastWord(words) : undefined
  const patterns = begun ? beginningPatterns(begun) : []
  for (const word of words.toReversed()) {
    if (patterns.length >= MAX_PATTERNS) break
    if (word !== begun && !word.functionWord) patterns.push(...typoPatterns(word))
  }
  return patterns
}

/**
 * The query that finds the pages with any word of a plain query or of some patterns, under the phrases, exclusions and sites of
 * the query.
 */
export function withPatterns(query: AnalyzedQuery, patterns: TermPattern[]): AnalyzedWebql {
  const { terms, alternatives } = query
  const { parts } = anyOf(terms, alternatives ?? [])
  const begun: Condition[] = [...patterns.keys()].map(number => ({ kind: 'pattern', number }))
  const condition: Condition = { kind: 'all', parts: [filterOf(query), { kind: 'any', parts: [...parts, ...begun] }] }
  return { condition, terms, patterns, ...(alternatives && { alternatives }) }
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
