import { beginsWithin, isWithinEdits } from '@asof/extract/characters'
import type { ScannedPattern } from '../../text/terms/term-scanner.ts'
import { FuzzyWalk } from './fuzzy-walk.ts'

/** A `prefix*` or `fuzzy~` of a query: a test for terms. Plain data, so that it can be sent to a search thread. */
export interface TermPattern {
  /** The pattern as written in the query, folded. */
  text: string
  /** UTF-16 offset in the query. */
  at: number
  /** The prefix of its terms, preceded by the prefix of the field. */
  prefix: string
  /** More terms that match even if they begin differently: stems of words that begin with the prefix. */
  also?: readonly string[]
  /**
   * Set for a fuzzy pattern: matching terms are within `edits` edits of `word`, which includes the prefix of the field. If `begun` is set, terms
   * with a beginning within `edits` edits of `begun` match as well.
   */
  fuzzy?: { word: string; edits: number; begun?: string | undefined }
  /** Set for a pattern by letters inside of terms: matching terms contain them. Then `prefix` is ''. */
  inside?: string
  /** True if only words in the title match. */
  title: boolean
  /** True if its terms are words of the text, so that they score and are highlighted. */
  scores: boolean
  /** Its weight relative to a word of the query. Default 1. */
  weight?: number
}

/** Returns true if a term matches a pattern. */
export type TermPredicate = (term: string) => boolean

/** Returns a function that tests whether a term matches a pattern. */
export function predicateOf({ prefix, also = [], fuzzy, inside }: TermPattern): TermPredicate {
  if (inside !== undefined) return term => term.includes(inside)
  if (!fuzzy) return term => term.startsWith(prefix) || also.includes(term)
  const { word, edits, begun } = fuzzy
  return term =>
    term.startsWith(prefix) &&
    (isWithinEdits(term, word, edits) || (begun !== undefined && beginsWithin(term, begun, edits)))
}

/** The pattern in the form that `TermScanner` takes. */
export function toScannedPattern(pattern: TermPattern): ScannedPattern {
  const { prefix, also = [] } = pattern
  return {
    beginnings: [prefix, ...also.filter(term => !term.startsWith(prefix))],
    matches: predicateOf(pattern),
  }
}

/** Matches the terms of a dictionary, which are UTF-8 and sorted. */
export interface ByteMatcher {
  /** True if a term that has the prefix of the pattern matches it. */
  matches(term: Uint8Array, length: number): boolean
  /** True if no term with this prefix matches. Always false for a prefix that does not begin with that of the pattern. */
  rulesOut(prefix: string): boolean
}

export function byteMatcherOf({ prefix, fuzzy }: TermPattern): ByteMatcher {
  if (!fuzzy) return { matches: () => true, rulesOut: () => false }
  const { word, edits, begun } = fuzzy
  const walk = new FuzzyWalk(word, edits)
  const begunWalk = begun === undefined ? undefined : new FuzzyWalk(begun, edits)
  return {
    matches: (term, length) => walk.isWithin(term, length) || begunWalk?.beginsWithin(term, length) === true,
    rulesOut: beginning =>
      beginning.startsWith(prefix) && walk.rulesOut(beginning) && begunWalk?.rulesOutBeginning(beginning) !== false,
  }
}
