import {
  type CandidateQuery,
  type Condition,
  type FilterNode,
  fieldOfTerm,
  isRevisable,
  type TermRange,
} from '@asof/core/internal'
import { hasAnyTerm, hasTerm, type TermQuery } from './term-index.ts'
import { indexedTerm, phraseText } from './terms-text.ts'

type Window = Extract<Condition, { window: unknown }>['window']
type Phrase = Extract<Condition, { kind: 'phrase' }>['phrase']

/** A query of the term index that decides a condition, except for some captures. */
export interface ExactQuery {
  query: TermQuery
  /** Which captures it does not decide: those that fulfill one of these queries. */
  undecided: readonly TermQuery[]
  /** True if it does not decide captures that were revised either. */
  isRevisable: boolean
}

/** A query that no capture fulfills. */
const NONE: TermQuery = { match_none: {} }

type Patterns = Pick<CandidateQuery, 'patterns' | 'acquiredPatterns'>

/** Returns the query that decides a condition. */
export function exactQuery(condition: Condition, patterns: Patterns): ExactQuery {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map(part => exactQuery(part, patterns))
      const queries = parts.map(({ query }) => query)
      return {
        query: condition.kind === 'all' ? allOf(queries) : anyOf(queries),
        undecided: parts.flatMap(({ undecided }) => undecided),
        isRevisable: parts.some(part => part.isRevisable),
      }
    }
    case 'not': {
      const part = exactQuery(condition.part, patterns)
      return { ...part, query: { bool: { must_not: [part.query] } } }
    }
    case 'phrase':
      return condition.title ? undecidedPhrase(condition.phrase) : phraseQuery(condition.phrase)
    case 'near':
      return undecidedPhrase([...condition.left, ...condition.right])
    case 'pattern': {
      const necessary = patterns.patterns[condition.number]
      const terms = patterns.acquiredPatterns[condition.number]
      if (terms) return { query: hasAnyTerm(terms), undecided: [], isRevisable: !necessary }
      return { query: NONE, undecided: [necessary ? hasAnyTerm(necessary) : { match_all: {} }], isRevisable: true }
    }
    case 'acquired':
      return { query: within('acquiredAt', condition.window), undecided: [], isRevisable: false }
    case 'published':
      return { query: within('publishedAt', condition.window), undecided: [], isRevisable: true }
    case 'fields':
      return { query: fieldsQuery(condition.filter.root), undecided: [], isRevisable: true }
  }
}

/** The captures with an instant within a window. */
export function within(field: 'acquiredAt' | 'publishedAt', { from, to }: Window): TermQuery {
  // OpenSearch would read every capture for a range without ends.
  if (from === Number.NEGATIVE_INFINITY && to === Number.POSITIVE_INFINITY && field === 'acquiredAt')
    return { match_all: {} }
  return { range: { [field]: { gte: Math.max(from, -9e15), lte: Math.min(to, 9e15) } } }
}

/** The captures with a value in a range of terms of a field. */
export function hasValueIn({ prefix, from, to }: TermRange): TermQuery {
  if (!from && !to) return { prefix: { values: prefix } }
  const lower = from ? { [from.isOpen ? 'gt' : 'gte']: from.term } : { gte: prefix }
  const upper = to ? { [to.isOpen ? 'lt' : 'lte']: to.term } : { lt: behind(prefix) }
  return { range: { values: { ...lower, ...upper } } }
}

/** The first term behind all terms that begin with the prefix of a type, which ends with a letter. */
function behind(prefix: string): string {
  if (!fieldOfTerm(prefix)) throw new TypeError(`${prefix} is not the prefix of a type`)
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

function fieldsQuery(node: FilterNode): TermQuery {
  switch (node.kind) {
    case 'all':
      return allOf(node.parts.map(fieldsQuery))
    case 'any':
      return anyOf(node.parts.map(fieldsQuery))
    case 'not':
      return { bool: { must_not: [fieldsQuery(node.part)] } }
    case 'terms': {
      const { terms, ranges } = node
      return anyOf([...(terms.length > 0 ? [{ terms: { values: terms } }] : []), ...ranges.map(hasValueIn)])
    }
  }
}

/** Words of a text that follow one another are found by their positions, except where these differ from those of the capture. */
function phraseQuery(phrase: Phrase): ExactQuery {
  const together = phrase.map(({ term }) => hasTerm(term))
  if (phrase.length === 1)
    return { query: together[0]!, undecided: [], isRevisable: phrase.some(({ term }) => isRevisable(term)) }
  const isAdjacent = phrase.every(({ offset }, i) => i === 0 || offset === phrase[i - 1]!.offset + 1)
  if (!isAdjacent || phrase.some(({ term }) => /^[:@]/.test(term))) return undecidedPhrase(phrase)
  const misplaced = { terms: { misplaced: phrase.map(({ term }) => indexedTerm(term)) } }
  return {
    query: { match_phrase: { terms: { query: phraseText(phrase) } } },
    undecided: [allOf([misplaced, ...together])],
    isRevisable: false,
  }
}

/** Core decides for all captures that have the words. */
function undecidedPhrase(phrase: Phrase): ExactQuery {
  const together = allOf(phrase.map(({ term }) => hasTerm(term)))
  return { query: NONE, undecided: [together], isRevisable: phrase.some(({ term }) => isRevisable(term)) }
}

export function allOf(filter: readonly TermQuery[]): TermQuery {
  return filter.length === 1 ? filter[0]! : filter.length > 0 ? { bool: { filter } } : { match_all: {} }
}

export function anyOf(should: readonly TermQuery[]): TermQuery {
  if (should.length === 0) return NONE
  return should.length === 1 ? should[0]! : { bool: { should, minimum_should_match: 1 } }
}
