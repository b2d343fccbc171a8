import { indexedTerm } from './terms-text.ts'

/** A query of OpenSearch. */
export type TermQuery = Record<string, unknown>

/** The `supersededAt` of a capture that is current. Later than every instant. */
export const NEVER = 9e15

/** All captures. The other documents are markers. */
export const isCapture: TermQuery = { range: { acquiredAt: { lte: NEVER } } }

/** The captures that contain a term. */
export function hasTerm(term: string): TermQuery {
  return { term: { terms: indexedTerm(term) } }
}

/** The captures that contain any of some terms. */
export function hasAnyTerm(terms: readonly string[]): TermQuery {
  return { terms: { terms: terms.map(indexedTerm) } }
}

/** The captures that are current at an instant. */
export function isCurrent(instant: number): TermQuery {
  return { range: { supersededAt: { gt: instant } } }
}
