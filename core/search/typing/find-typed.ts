import type { QueryTerm } from '../../text/terms/query-terms.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import { MAX_EXPANSIONS, TooManyWords } from '../clauses/pattern-expansion.ts'
import type { IndexView } from '../collection/index-view.ts'
import { predicateOf, type TermPattern } from '../conditions/term-pattern.ts'
import { matchingWordsInField } from '../fields/words-in-fields.ts'
import type { FindOptions } from '../find-hits.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'
import type { SearchWarning } from '../search-answer.ts'
import { withJoinedWords } from '../terms/joined-terms.ts'
import type { RankedHits } from '../topk/ranked-hits.ts'
import { findByTitles, type ReadTitle } from './find-by-titles.ts'
import { type LikelyTerm, likelyTerms } from './likely-terms.ts'
import type { TypedQuery, TypedWord } from './typed-query.ts'

/** Maximum number of terms of a word that score by themselves. Pages that contain only other terms of the word are found by its pattern. */
const MAX_LIKELY = 24
/** Weight of the pattern of these other terms, relative to a word of the query. */
const PATTERN = 0.05

export interface TypedHits {
  found: RankedHits
  /** A warning that names the patterns that were left out, because they match too many words as of the instant. */
  warnings: SearchWarning[]
}

/** Finds the best captures for a plain query that somebody is still typing. */
export function findTyped(
  index: IndexView,
  query: AnalyzedQuery,
  { words, all }: TypedQuery,
  options: FindOptions,
  readTitle: ReadTitle,
): TypedHits {
  const tooLarge: TermPattern[] = []
  const found = new Map<TermPattern, ReadonlyMap<string, number>>()
  for (const pattern of words.flatMap(({ patterns }) => patterns))
    try {
      found.set(pattern, frequenciesOf(index, pattern, options))
    } catch (error) {
      if (!(error instanceof TooManyWords)) throw error
      tooLarge.push(pattern)
    }
  let typed = withJoinedWords(query, index)
  const likely = new Map<QueryTerm, LikelyTerm[]>()
  for (const word of words) {
    const terms = likelyTermsOf(index, word, found)
    likely.set(word.own, terms)
    typed = withLikelyTerms(typed, word, terms)
  }
  const meanings = all.map(own => meaningsOf(own, likely.get(own) ?? [], own === words[0]?.own && words[0].isBegun))
  const hits = findByTitles(index, typed, meanings, options, readTitle)
  if (tooLarge.length === 0) return { found: hits, warnings: [] }
  const texts = tooLarge.map(({ text }) => text)
  const text = `more than ${MAX_EXPANSIONS} words match ${texts.join(', ')}: type more letters`
  return { found: hits, warnings: [{ code: 'typing', text }] }
}

/** Returns the words of the texts and of the searched fields that match a pattern, each with the number of captures that contain it. */
function frequenciesOf(
  index: IndexView,
  pattern: TermPattern,
  { fieldWeights = {}, language = '' }: FindOptions,
): Map<string, number> {
  const frequencies = index.collection.termsOf(pattern)
  for (const [field, weight] of Object.entries(fieldWeights))
    if (weight > 0)
      for (const [word, captures] of matchingWordsInField(index, field, predicateOf(pattern), language))
        frequencies.set(word, Math.max(captures, frequencies.get(word) ?? 0))
  if (frequencies.size > MAX_EXPANSIONS) throw new TooManyWords(pattern)
  return frequencies
}

/** Returns the terms that may be meant by a word, each with its certainty. */
function meaningsOf(own: QueryTerm, likely: readonly LikelyTerm[], isBegun: boolean): Map<string, number> {
  const meanings = new Map(likely.map(({ term, certainty }) => [term, certainty]))
  for (const term of [own.term, own.stem ?? own.term]) if (!isBegun || term.startsWith(own.word)) meanings.set(term, 1)
  return meanings
}

function likelyTermsOf(
  index: IndexView,
  typed: TypedWord,
  found: ReadonlyMap<TermPattern, ReadonlyMap<string, number>>,
): LikelyTerm[] {
  const { term, stem = term } = typed.own
  const ownCaptures = Math.max(index.collection.frequencyOf(term), index.collection.frequencyOf(stem))
  return likelyTerms(typed, found, { captures: index.collection.statistics.captures, ownCaptures })
}

/** Adds the terms that may be meant by a word of a query. */
function withLikelyTerms(query: AnalyzedQuery, typed: TypedWord, likely: readonly LikelyTerm[]): AnalyzedQuery {
  const scoring = likely.slice(0, MAX_LIKELY)
  const rest = new Set(likely.slice(MAX_LIKELY).map(({ pattern }) => pattern))
  const patterns = [...rest].map(pattern => ({ ...pattern, weight: PATTERN }))
  const terms = typed.isBegun ? query.terms.map(term => ofBegun(term, typed, scoring)) : query.terms
  const known = new Set(terms.map(({ term }) => term))
  const added = scoring.filter(({ term }) => !known.has(term)).map(({ term, count }) => ({ term, count }))
  return {
    ...query,
    terms: [...terms, ...added],
    patterns: patterns.length > 0 ? [...(query.patterns ?? []), ...patterns] : query.patterns,
  }
}

/** Returns a term of the query with its weight as a likely term, if it is only the stem of an incomplete word, as `work` of `worke`. */
function ofBegun(scoring: ScoringTerm, { own }: TypedWord, likely: readonly LikelyTerm[]): ScoringTerm {
  const { term, count } = scoring
  if ((term !== own.term && term !== own.stem) || term.startsWith(own.word)) return scoring
  const asStem = likely.find(other => other.term === term)?.count ?? 0
  return asStem > 0 && count <= 1 ? { ...scoring, count: count * asStem } : scoring
}
