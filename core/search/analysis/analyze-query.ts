import { type QueryTerm, queryTerms } from '../../text/terms/query-terms.ts'
import type { Condition } from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { parsePlain } from '../plain/plain-query.ts'
import { type QueryClause, textsOf } from '../plain/query-clauses.ts'
import {
  type FavoredPhrase,
  favoredPhrase,
  inflectedForms,
  type Phrase,
  type QueryWord,
  type ScoringTerm,
  scoringTerms,
  wordsOf,
  writtenForms,
} from '../query/scoring-terms.ts'
import { analyzeWebql } from './analyze-webql.ts'
import { type JoinedSpelling, otherSpellings } from './other-spellings.ts'
import { type QueryIdentifier, queryIdentifiers } from './query-identifiers.ts'
import { type TimeIntent, timeIntent } from './time-intent.ts'

/**
 * Maximum number of phrases that {@link analyzeAsWords} boosts, from the first on: each is looked up in every page that may
 * enter the top hits.
 */
const MAX_FAVORED = 16

/** An analyzed query: ranked OR over `terms`, with filters. */
export interface AnalyzedQuery {
  /** The terms that score, in the order of their first appearance. Empty if the query contains no word. */
  terms: ScoringTerm[]
  /** The words that `terms` were made from. */
  words: QueryWord[]
  /**
   * Parts of the query that may be identifiers (SKU, GTIN, ticker symbol) in the data of pages. Undefined if no part may be one.
   */
  identifiers?: QueryIdentifier[]
  /** For each required phrase its forms; a page must contain one of them. */
  phrases: Phrase[][]
  /** The terms that the query has only in required phrases. Undefined if it has no required phrases. */
  phraseTerms?: string[]
  /**
   * Set if the quoted phrases are not required: their words count like other words, and a page that contains a phrase ranks
   * higher.
   */
  favored?: FavoredPhrase[]
  /** Phrases that pages may have instead of words of the query: a page with one of them matches, and scores by it. */
  alternatives?: FavoredPhrase[]
  /** Patterns of words that pages may have instead of words of the query: a page with such a word matches, and scores by the pattern. */
  patterns?: readonly TermPattern[]
  /** Neighboring words of the query, joined. `withJoinedWords` makes alternatives of those that some page contains. */
  joined?: JoinedSpelling[]
  excluded: Phrase[]
  sites: string[]
  excludedSites: string[]
  /** The condition of the operators other than `site:`. Undefined if the query has no such operator. */
  operators?: Condition
  /** The time that the plain words ask for. */
  time?: TimeIntent
}

/**
 * Parses and analyzes a query.
 *
 * @param language - the language of the words of the query, ISO 639-1. Default: unknown.
 * @throws ASOF_INVALID_QUERY - empty, only white space, or too long.
 * @throws ASOF_INVALID_OPTION - the value of a `site:` is not a domain.
 */
export function analyzeQuery(text: string, language = ''): AnalyzedQuery {
  return analyzeClauses(parsePlain(text).clauses, language)
}

/**
 * Turns the clauses of a query into terms of the index.
 *
 * @param language - the language of the words, ISO 639-1; '' if it is unknown.
 * @param options.stopWords - folded words that count as function words, besides those of the language.
 * @param options.inflects - true if other inflections of a quoted word match too. Default: only the word as written matches.
 */
export function analyzeClauses(
  clauses: readonly QueryClause[],
  language: string,
  { stopWords, inflects = false }: { stopWords?: ReadonlySet<string> | undefined; inflects?: boolean | undefined } = {},
): AnalyzedQuery {
  const quoted = textsOf(clauses, 'phrase')
  const analyzed = analyzeTexts(quoted, language)
  const words = textsOf(clauses, 'word')
  const query = analyzeParts({ clauses, words, quoted, phrases: analyzed, stopWords }, language)
  const formsOf = inflects ? inflectedForms : writtenForms
  for (const { terms, text } of analyzed) query.phrases.push(formsOf(terms, text))
  return query
}

/**
 * Analyzes a query as if its quoted phrases were plain words, in their places. Exclusions stay exclusions. The first
 * {@link MAX_FAVORED} different phrases become {@link AnalyzedQuery.favored}.
 */
export function analyzeAsWords(
  clauses: readonly QueryClause[],
  language: string,
  stopWords?: ReadonlySet<string>,
): AnalyzedQuery {
  const words = clauses
    .filter(({ kind, isExcluded }) => (kind === 'word' || kind === 'phrase') && !isExcluded)
    .map(({ text }) => text)
  const quoted = textsOf(clauses, 'phrase')
  const query = analyzeParts({ clauses, words, quoted, phrases: [], stopWords }, language)
  const phrases = analyzeTexts([...new Set(quoted)], language).slice(0, MAX_FAVORED)
  query.favored = phrases.map(({ terms }) => favoredPhrase(terms))
  return query
}

/** Adds phrases that pages may contain instead of words of a query. */
export function withAlternatives(query: AnalyzedQuery, added: readonly FavoredPhrase[]): AnalyzedQuery {
  if (added.length === 0) return query
  return { ...query, alternatives: [...(query.alternatives ?? []), ...added] }
}

/** Returns the terms of `words` that are not among the terms of `others`. */
function termsOnlyIn(words: readonly QueryTerm[], others: readonly QueryTerm[]): string[] {
  const formsOf = ({ term, stem = term }: QueryTerm): string[] => [term, stem]
  const elsewhere = new Set(others.flatMap(formsOf))
  return [...new Set(words.flatMap(formsOf))].filter(term => !elsewhere.has(term))
}

interface AnalyzedText {
  text: string
  terms: QueryTerm[]
}

/** Returns texts with their terms. Leaves out texts without a word. */
function analyzeTexts(texts: readonly string[], language: string): AnalyzedText[] {
  const analyzed: AnalyzedText[] = []
  for (const text of texts) {
    const terms = queryTerms(text, language)
    if (terms.length > 0) analyzed.push({ text, terms })
  }
  return analyzed
}

interface QueryParts {
  clauses: readonly QueryClause[]
  /** Texts that are analyzed as plain words. */
  words: readonly string[]
  /** Texts in quotation marks. */
  quoted: readonly string[]
  /** The analyzed texts in quotation marks. Empty if `words` contains these texts. */
  phrases: readonly AnalyzedText[]
  stopWords: ReadonlySet<string> | undefined
}

function analyzeParts({ clauses, words, quoted, phrases, stopWords }: QueryParts, language: string): AnalyzedQuery {
  const text = words.join(' ')
  const plain = queryTerms(text, language)
  if (stopWords) for (const term of plain) term.functionWord ||= stopWords.has(term.word)
  const parts = [plain]
  for (const { terms } of phrases) parts.push(terms)
  const terms = scoringTerms(parts)
  const { joined, divided } = otherSpellings(plain)
  const asked = parts.flat()
  const excluded: Phrase[] = []
  const excludedSites: string[] = []
  for (const clause of clauses) {
    if (!clause.isExcluded) continue
    if (clause.kind === 'site') excludedSites.push(clause.text)
    else if (clause.kind !== 'condition') {
      const formsOf = clause.kind === 'phrase' ? writtenForms : inflectedForms
      for (const { terms, text } of analyzeTexts([clause.text], language)) excluded.push(...formsOf(terms, text, asked))
    }
  }
  const query = {
    terms,
    words: wordsOf(parts, terms),
    identifiers: queryIdentifiers([...words, text, ...quoted], part => queryTerms(part, language)),
    phrases: [],
    phraseTerms: phrases.length > 0 ? termsOnlyIn(parts.slice(1).flat(), plain) : undefined,
    joined: joined.length > 0 ? joined : undefined,
    excluded,
    sites: textsOf(clauses, 'site'),
    excludedSites,
    operators: operatorsOf(clauses, language, asked),
    time: timeIntent(text),
  }
  return withAlternatives(query, divided)
}

/** @param asked - the words that the query asks for outside of the operators. */
function operatorsOf(
  clauses: readonly QueryClause[],
  language: string,
  asked: readonly QueryTerm[],
): Condition | undefined {
  const parts = clauses.flatMap(({ condition }) => condition ?? [])
  // `before:` and `after:` take dates only, so the clock is never read.
  if (parts.length === 0) return undefined
  return analyzeWebql({ kind: 'and', parts }, { requestedAt: 0 }, { language, asked }).condition
}
