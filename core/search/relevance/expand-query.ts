import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { type AnalyzedQuery, analyzeAsWords, analyzeClauses, withAlternatives } from '../analysis/analyze-query.ts'
import { type QueryClause, textsOf } from '../plain/query-clauses.ts'
import { ALTERNATIVE, type FavoredPhrase, phraseForms, scoringTerms } from '../query/scoring-terms.ts'
import { type CompiledRelevance, keyOf } from './compiled-relevance.ts'

/** Maximum number of alternatives in one query, from its first word on. */
const MAX_ALTERNATIVES = 32

/** How the words of a plain query are analyzed. */
export interface Analysis {
  /** ISO 639-1; '' for none. */
  language: string
  /** The relevance of the index as of the instant. Undefined if none was set. */
  relevance: CompiledRelevance | undefined
}

/** Analyzes a plain query, and adds the alternatives of its words. @param analysis.inflects - see {@link analyzeClauses}. */
export function analyzePlain(
  clauses: readonly QueryClause[],
  { language, relevance, inflects }: Analysis & { inflects?: boolean },
): AnalyzedQuery {
  const query = analyzeClauses(clauses, language, { stopWords: relevance?.stopWords, inflects })
  return relevance ? expanded(query, textsOf(clauses, 'word'), language, relevance) : query
}

/** Analyzes a plain query as if its quoted phrases were plain words, and adds the alternatives of its words outside quotation marks. */
export function analyzePlainAsWords(clauses: readonly QueryClause[], { language, relevance }: Analysis): AnalyzedQuery {
  const query = analyzeAsWords(clauses, language, relevance?.stopWords)
  return relevance ? expanded(query, textsOf(clauses, 'word'), language, relevance) : query
}

/** Words of a query that have alternatives. */
interface Replacement {
  /** The terms of the words that score. */
  replaced: readonly string[]
  alternatives: readonly string[]
}

/** Adds the alternatives of words to an analyzed query. @param texts - the words of the query outside quotation marks. */
function expanded(
  query: AnalyzedQuery,
  texts: readonly string[],
  language: string,
  relevance: CompiledRelevance,
): AnalyzedQuery {
  const found = replacementsIn(queryTerms(texts.join(' '), language), query, relevance.synonymsIn(language))
  if (found.length === 0) return query
  const terms = new Map(query.terms.map(term => [term.term, term]))
  const phrases: FavoredPhrase[] = []
  let left = MAX_ALTERNATIVES
  for (const { replaced, alternatives } of found) {
    const phrase: FavoredPhrase = { forms: [], terms: replaced.map(term => ({ term, count: ALTERNATIVE })) }
    for (const text of alternatives.slice(0, left)) {
      const words = queryTerms(text, language)
      if (words.length > 1) phrase.forms.push(...phraseForms(words))
      else
        for (const { term, count } of scoringTerms([words]))
          if (!terms.has(term)) terms.set(term, { term, count: ALTERNATIVE * count, insteadOf: replaced })
    }
    left -= Math.min(left, alternatives.length)
    if (phrase.forms.length > 0) phrases.push(phrase)
  }
  return withAlternatives({ ...query, terms: [...terms.values()] }, phrases)
}

/** Finds the texts with alternatives in the words of a query: at each word the longest one. */
function replacementsIn(
  words: readonly QueryTerm[],
  { terms }: AnalyzedQuery,
  synonyms: ReturnType<CompiledRelevance['synonymsIn']>,
): Replacement[] {
  const scoring = new Set(terms.map(({ term }) => term))
  const keys = words.map(keyOf)
  const found: Replacement[] = []
  for (let at = 0; at < keys.length; ) {
    const begun = (synonyms.get(keys[at]!) ?? []).filter(entry => entry.keys.every((key, i) => key === keys[at + i]))
    const size = begun[0]?.keys.length ?? 0
    const replaced = [...new Set(keys.slice(at, at + size).filter(key => scoring.has(key)))]
    const alternatives = begun.filter(entry => entry.keys.length === size).flatMap(entry => entry.alternatives)
    if (replaced.length > 0) found.push({ replaced, alternatives: [...new Set(alternatives)] })
    at += Math.max(1, size)
  }
  return found
}
