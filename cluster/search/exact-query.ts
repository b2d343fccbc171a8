import { type CandidateQuery, type Condition, type FilterNode, isRevisable } from '@asof/core/internal'
import { hasAnyTerm, hasTerm, type TermQuery } from '../terms/term-queries.ts'
import { indexedTerm, phraseText } from '../terms/terms-text.ts'
import { limits, type ValueSource } from './value-source.ts'

type Window = Extract<Condition, { window: unknown }>['window']
type Phrase = Extract<Condition, { kind: 'phrase' }>['phrase']

/** A query of the term index that decides a condition, except for some captures. */
export interface ExactQuery {
  query: TermQuery
  /** Which captures it does not decide: those that fulfill one of these queries. */
  undecided: readonly TermQuery[]
  /** True if it depends on dates, values of fields or single words that a revision may change. */
  hasValues: boolean
  /** True if it depends on other things that a revision may change: it does not decide captures that were revised. */
  isRevisable: boolean
}

/** A query that no capture fulfills. */
const NONE: TermQuery = { match_none: {} }

type Patterns = Pick<CandidateQuery, 'patterns' | 'acquiredPatterns'>

/** Returns the query that decides a condition. @param source - the dates and values of the captures that it is for. */
export function exactQuery(condition: Condition, patterns: Patterns, source: ValueSource): ExactQuery {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map(part => exactQuery(part, patterns, source))
      const queries = parts.map(({ query }) => query)
      return {
        query: condition.kind === 'all' ? allOf(queries) : anyOf(queries),
        undecided: parts.flatMap(({ undecided }) => undecided),
        hasValues: parts.some(part => part.hasValues),
        isRevisable: parts.some(part => part.isRevisable),
      }
    }
    case 'not': {
      const part = exactQuery(condition.part, patterns, source)
      return { ...part, query: { bool: { must_not: [part.query] } } }
    }
    case 'phrase':
      return condition.title ? undecidedPhrase(condition.phrase) : phraseQuery(condition.phrase, source)
    case 'near':
      return undecidedPhrase([...condition.left, ...condition.right])
    case 'pattern': {
      const necessary = patterns.patterns[condition.number]
      const terms = patterns.acquiredPatterns[condition.number]
      if (terms) return { query: hasAnyTerm(terms), undecided: [], hasValues: false, isRevisable: !necessary }
      return {
        ...{ query: NONE, undecided: [necessary ? hasAnyTerm(necessary) : { match_all: {} }] },
        ...{ hasValues: false, isRevisable: true },
      }
    }
    case 'acquired':
      return { query: acquiredWithin(condition.window), undecided: [], hasValues: false, isRevisable: false }
    case 'published':
      return { query: source.published(condition.window), undecided: [], hasValues: true, isRevisable: false }
    case 'fields': {
      const query = fieldsQuery(condition.filter.root, source)
      return { query, undecided: [], hasValues: true, isRevisable: false }
    }
  }
}

/** The captures that were acquired within a window. */
export function acquiredWithin(window: Window): TermQuery {
  // OpenSearch would read every capture for a range without ends.
  const isOpen = window.from === Number.NEGATIVE_INFINITY && window.to === Number.POSITIVE_INFINITY
  return isOpen ? { match_all: {} } : { range: { acquiredAt: limits(window) } }
}

function fieldsQuery(node: FilterNode, source: ValueSource): TermQuery {
  switch (node.kind) {
    case 'all':
      return allOf(node.parts.map(part => fieldsQuery(part, source)))
    case 'any':
      return anyOf(node.parts.map(part => fieldsQuery(part, source)))
    case 'not':
      return { bool: { must_not: [fieldsQuery(node.part, source)] } }
    case 'terms':
      return node.terms.length + node.ranges.length > 0 ? source.having(node.terms, node.ranges) : NONE
  }
}

/**
 * Words of a text that follow one another are found by their positions, except where these differ from those of the
 * capture. The term index does not have the endings of words, so core decides whether a page has a quoted word as written.
 */
function phraseQuery(phrase: Phrase, source: ValueSource): ExactQuery {
  const together = phrase.map(({ term }) => hasTerm(term))
  const [first] = phrase
  if (first && phrase.length === 1) {
    const hasValues = isRevisable(first.term)
    const query = hasValues && !source.isAcquired ? source.having([first.term], []) : together[0]!
    return first.endings === undefined
      ? { query, undecided: [], hasValues, isRevisable: false }
      : { query: NONE, undecided: [query], hasValues, isRevisable: false }
  }
  if (phrase.some(({ endings }) => endings !== undefined)) return undecidedPhrase(phrase)
  const isAdjacent = phrase.every(({ offset }, i) => i === 0 || offset === phrase[i - 1]!.offset + 1)
  if (!isAdjacent || phrase.some(({ term }) => /^[:@]/.test(term))) return undecidedPhrase(phrase)
  const misplaced = { terms: { misplaced: phrase.map(({ term }) => indexedTerm(term)) } }
  return {
    query: { match_phrase: { terms: { query: phraseText(phrase) } } },
    undecided: [allOf([misplaced, ...together])],
    ...{ hasValues: false, isRevisable: false },
  }
}

/** Core decides for all captures that have the words. */
function undecidedPhrase(phrase: Phrase): ExactQuery {
  const together = allOf(phrase.map(({ term }) => hasTerm(term)))
  const ofRevisions = phrase.some(({ term }) => isRevisable(term))
  return { query: NONE, undecided: [together], hasValues: false, isRevisable: ofRevisions }
}

export function allOf(filter: readonly TermQuery[]): TermQuery {
  return filter.length === 1 ? filter[0]! : filter.length > 0 ? { bool: { filter } } : { match_all: {} }
}

export function anyOf(should: readonly TermQuery[]): TermQuery {
  if (should.length === 0) return NONE
  return should.length === 1 ? should[0]! : { bool: { should, minimum_should_match: 1 } }
}
