import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import { parseClauses, type QueryClause, textsOf } from './query-clauses.ts'
import { type QueryIdentifier, queryIdentifiers } from './query-identifiers.ts'
import {
  type FavoredPhrase,
  favoredPhrase,
  type Phrase,
  phraseForms,
  type QueryWord,
  type ScoringTerm,
  scoringTerms,
  wordsOf,
} from './scoring-terms.ts'
import { type TimeIntent, timeIntent } from './time-intent.ts'

/**
 * Maximum number of phrases that {@link analyzeAsWords} boosts, from the first on: each is looked up in every page that may
 * enter the top hits.
 */
const MAX_FAVORED = 16

/** An analyzed query: ranked OR over `terms`, with filters. */
export interface AnalyzedQuery {
  /** In the order of first appearance; empty if the query contains no word. */
  terms: ScoringTerm[]
  /** The words that `terms` were made from. */
  words: QueryWord[]
  /**
   * Parts of the query that may be identifiers (SKU, GTIN, ticker symbol) in the data of pages. Undefined if there are none.
   */
  identifiers?: QueryIdentifier[]
  /** For each required phrase its forms; a page must contain one of them. */
  phrases: Phrase[][]
  /**
   * Set if the quoted phrases are not required: their words count like other words, and a page that contains a phrase ranks
   * higher.
   */
  favored?: FavoredPhrase[]
  excluded: Phrase[]
  sites: string[]
  excludedSites: string[]
  /** The time that the plain words ask for. */
  time?: TimeIntent
}

/**
 * Parses and analyzes a query.
 *
 * @param language - of its words, ISO 639-1. Default: unknown.
 * @throws ASOF_INVALID_QUERY - empty, only white space, or too long.
 * @throws ASOF_INVALID_OPTION - the value of a `site:` is not a domain.
 */
export function analyzeQuery(text: string, language = ''): AnalyzedQuery {
  return analyzeClauses(parseClauses(text), language)
}

/** Turns the clauses of a query into terms of the index. @param language - of the words, ISO 639-1, or '' if unknown. */
export function analyzeClauses(clauses: readonly QueryClause[], language: string): AnalyzedQuery {
  const quoted = textsOf(clauses, 'phrase')
  const analyzed = analyzeTexts(quoted, language)
  return {
    ...analyzeParts({ clauses, words: textsOf(clauses, 'word'), quoted, phrases: analyzed }, language),
    phrases: analyzed.map(({ terms, text }) => phraseForms(terms, text)),
  }
}

/**
 * Analyzes a query as if its quoted phrases were plain words, in their places. Exclusions stay exclusions. The first
 * {@link MAX_FAVORED} different phrases become {@link AnalyzedQuery.favored}.
 */
export function analyzeAsWords(clauses: readonly QueryClause[], language: string): AnalyzedQuery {
  const words = clauses.filter(({ kind, isExcluded }) => kind !== 'site' && !isExcluded).map(({ text }) => text)
  const quoted = textsOf(clauses, 'phrase')
  const favored = analyzeTexts([...new Set(quoted)], language).slice(0, MAX_FAVORED)
  return {
    ...analyzeParts({ clauses, words, quoted, phrases: [] }, language),
    favored: favored.map(({ terms }) => favoredPhrase(terms)),
  }
}

interface AnalyzedText {
  text: string
  terms: QueryTerm[]
}

/** Texts with their terms; those without a word are left out. */
function analyzeTexts(texts: readonly string[], language: string): AnalyzedText[] {
  return texts.map(text => ({ text, terms: queryTerms(text, language) })).filter(({ terms }) => terms.length > 0)
}

interface QueryParts {
  clauses: readonly QueryClause[]
  /** Texts that are analyzed as plain words. */
  words: readonly string[]
  /** Texts in quotation marks. */
  quoted: readonly string[]
  /** The quoted texts whose terms are not among those of `words`. */
  phrases: readonly AnalyzedText[]
}

function analyzeParts({ clauses, words, quoted, phrases }: QueryParts, language: string): AnalyzedQuery {
  const phraseTerms = phrases.map(({ terms }) => terms)
  const text = words.join(' ')
  const plain = queryTerms(text, language)
  const time = timeIntent(text)
  const terms = scoringTerms(plain, phraseTerms.flat())
  const identifiers = queryIdentifiers([...new Set([...words, text, ...quoted])], part => queryTerms(part, language))
  const excluded = clauses.filter(({ isExcluded }) => isExcluded)
  const excludedTexts = excluded.filter(({ kind }) => kind !== 'site').map(({ text }) => text)
  return {
    terms,
    words: wordsOf([plain, ...phraseTerms], terms),
    identifiers: identifiers.length > 0 ? identifiers : undefined,
    phrases: [],
    excluded: analyzeTexts(excludedTexts, language).flatMap(({ terms, text }) => phraseForms(terms, text)),
    sites: textsOf(clauses, 'site'),
    excludedSites: excluded.filter(({ kind }) => kind === 'site').map(({ text }) => text),
    time,
  }
}
