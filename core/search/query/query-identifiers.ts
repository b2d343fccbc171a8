import { fieldTerm } from '../../text/terms/field-term.ts'
import { identifierKey, mayBeIdentifier } from '../../text/terms/identifier.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'
import { documentFrequency, type SegmentView } from '../postings/segment-view.ts'
import type { ScoringTerm } from './scoring-terms.ts'

/** A part of a query that may be an identifier in the data of some page. */
export interface QueryIdentifier {
  /** The term that pages with the identifier hold. */
  term: string
  /** The terms of its words: where a page has the identifier, they are written as they are meant. */
  words: string[]
  /** Number of words of the query that the identifier stands for: a page with the identifier counts as having each of them. */
  count: number
}

/** The parts of a query that may be identifiers, each once; at most 32. */
export function queryIdentifiers(parts: readonly string[], analyzed: (part: string) => QueryTerm[]): QueryIdentifier[] {
  const found = new Map<string, QueryIdentifier>()
  for (const part of parts) {
    if (found.size === MOST_IDENTIFIERS || !mayBeIdentifier(part)) continue
    const term = fieldTerm('id', identifierKey(part))
    const terms = analyzed(part)
    const words = terms.flatMap(({ term, stem = term }) => [term, stem])
    if (!found.has(term)) found.set(term, { term, words, count: terms.length })
  }
  return [...found.values()]
}

const MOST_IDENTIFIERS = 32

/**
 * Those identifiers of a query that some capture as of the views' instant has. The others are words like any others: were
 * they among the terms, they would change scores without a page that holds them.
 */
export function knownIdentifiers(
  identifiers: readonly QueryIdentifier[],
  views: readonly SegmentView[],
): QueryIdentifier[] {
  return identifiers.filter(({ term }) => views.some(view => isHeld(view, term)))
}

/** The query with identifiers among what it asks for. */
export function withIdentifiers<Query extends { terms: ScoringTerm[] }>(
  query: Query,
  identifiers: readonly QueryIdentifier[],
): Query {
  if (identifiers.length === 0) return query
  return { ...query, terms: [...query.terms, ...identifiers.map(({ term, count }) => ({ term, count }))] }
}

function isHeld(view: SegmentView, term: string): boolean {
  const found = view.segment.term(term)
  return found !== undefined && documentFrequency(view, found) > 0
}
