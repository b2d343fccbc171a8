import { identifierKey, mayBeIdentifier } from '../../text/terms/identifier.ts'
import { propertyTerm } from '../../text/terms/property-term.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'

/** A part of a query that may be an identifier in the data of some page. */
export interface QueryIdentifier {
  /** The term under which pages with the identifier are indexed. */
  term: string
  /** The terms of its words. If some page has the identifier, these words are neither corrected nor split. */
  words: string[]
  /**
   * Number of words of the query that the identifier replaces: a page with the identifier counts as containing each of them.
   */
  count: number
}

const MAX_IDENTIFIERS = 32

/**
 * Returns the parts of a query that may be identifiers, each once, at most {@link MAX_IDENTIFIERS}.
 *
 * @returns undefined if there are none.
 */
export function queryIdentifiers(
  parts: readonly string[],
  analyze: (part: string) => QueryTerm[],
): QueryIdentifier[] | undefined {
  let found: Map<string, QueryIdentifier> | undefined
  for (const part of parts) {
    if (found?.size === MAX_IDENTIFIERS || !mayBeIdentifier(part)) continue
    const term = propertyTerm('id', identifierKey(part))
    const terms = analyze(part)
    const words = terms.flatMap(({ term, stem = term }) => [term, stem])
    found ??= new Map()
    if (!found.has(term)) found.set(term, { term, words, count: terms.length })
  }
  return found && [...found.values()]
}
