import { indexedTerm } from './terms-text.ts'

/** A query in the form of OpenSearch. */
export type TermQuery = Record<string, unknown>

/** The `supersededAt` of a current capture in the term index: later than every instant. */
export const NEVER = 9e15

/** Matches all captures. The other documents of an index are its markers. */
export const isCapture: TermQuery = { range: { acquiredAt: { lte: NEVER } } }

/** Matches the captures that contain a term. */
export function hasTerm(term: string): TermQuery {
  return { term: { terms: indexedTerm(term) } }
}

/** Matches the captures that contain any of some terms. */
export function hasAnyTerm(terms: readonly string[]): TermQuery {
  return { terms: { terms: terms.map(indexedTerm) } }
}

/** Matches the captures that are current at an instant, of those acquired by then. */
export function isCurrent(instant: number): TermQuery {
  return { range: { supersededAt: { gt: instant } } }
}
