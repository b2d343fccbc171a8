import type { SyntaxNode } from '../webql/parser.ts'

/** One part of a plain query. Plain data, so that it can be sent to a search thread. */
export interface QueryClause {
  kind: 'word' | 'phrase' | 'site' | 'condition'
  /** A word as typed, the inside of a quotation, or a normalized domain. Empty for a condition. */
  text: string
  /** True if the query excludes pages that match the clause. */
  isExcluded: boolean
  /** The condition that pages must fulfill. Set only if `kind` is `condition`: for operators that no other kind of clause expresses. */
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
export function queryText(clauses: readonly QueryClause[]): string {
  return [...textsOf(clauses, 'word'), ...textsOf(clauses, 'phrase')].join(' ').trim()
}

/**
 * Returns the clauses of a query that somebody is still typing. Leaves out a condition on the last word, because that word may be
 * incomplete: `swan OR sto`.
 */
export function clausesAsTyped(clauses: readonly QueryClause[], text: string): readonly QueryClause[] {
  const [before, last] = clauses.slice(-2)
  if (!last?.condition || before?.kind !== 'word' || /[\s)"]$/.test(text)) return clauses
  let node = last.condition
  while (node.kind === 'and' || node.kind === 'or') node = node.parts.at(-1)!
  return node.kind === 'words' && node.text === before.text ? clauses.slice(0, -1) : clauses
}
