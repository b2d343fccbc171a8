import type { SyntaxNode } from '../webql/parser.ts'

/** One part of a plain query. Plain data, so that it can be sent to a search thread. */
export interface QueryClause {
  kind: 'word' | 'phrase' | 'site' | 'condition'
  /** A word as typed, the inside of a quotation, or a normalized domain. Empty for a condition. */
  text: string
  /** True if an operator before it excludes pages that match it. */
  isExcluded: boolean
  /** What pages must fulfill, by an operator that no other kind of clause expresses. Set only for a condition. */
  condition?: SyntaxNode
}

/** The texts of the clauses of one kind that are not excluded. */
export function textsOf(clauses: readonly QueryClause[], kind: 'word' | 'phrase' | 'site'): string[] {
  const texts: string[] = []
  for (const clause of clauses) if (clause.kind === kind && !clause.isExcluded) texts.push(clause.text)
  return texts
}

/**
 * The words and phrases of a query as one text, without operators and exclusions: the input of embedding models and
 * rerankers.
 */
export function plainText(clauses: readonly QueryClause[]): string {
  return [...textsOf(clauses, 'word'), ...textsOf(clauses, 'phrase')].join(' ').trim()
}
