import { FIRST_BIGRAM, WORD } from '../../text/characters/char-table.ts'
import { classAt } from '../../text/terms/tokens.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { ParsedQuery } from '../query/parse-query.ts'
import { type NearTerm, nearTerms } from './near-terms.ts'

/** A query is looked at for misspellings when its words stand in fewer captures than this, counted word by word. */
export const FEW_CAPTURES = 10
/** More unknown words than these are no slip of the hand, and each costs a walk through the dictionaries. */
const MOST_CORRECTED = 3
/** Shorter words have too many neighbours that mean something else. */
const LEAST_LETTERS = 4
/** Longer ones are no words. */
const MOST_LETTERS = 40
/** From so many letters on two edits are still the same word. */
const LETTERS_OF_TWO_EDITS = 6

/**
 * What to replace in a query that finds nothing or next to nothing: its words that no capture holds as of the views'
 * instant, each by the nearest word that one does; of equally near ones the most frequent, then the first.
 *
 * Quoted words are meant as they are written: a query with a phrase, even one that is no condition, or with an exclusion is
 * left alone, as are words with digits, and scripts written without spaces.
 *
 * @param frequencies - captures that hold each of the query's terms.
 * @param meantSo - terms that are never replaced: words of known identifiers.
 * @returns terms by the terms they replace; empty when there is nothing to correct, or nothing to correct it by.
 */
export function corrections(
  views: readonly SegmentView[],
  { terms, phrases, favored = [], excluded }: ParsedQuery,
  frequencies: readonly number[],
  meantSo: ReadonlySet<string>,
): Map<string, string> {
  const found = new Map<string, string>()
  if (phrases.length > 0 || favored.length > 0 || excluded.length > 0) return found
  if (frequencies.reduce((sum, captures) => sum + captures, 0) >= FEW_CAPTURES) return found
  const isUnknown = (wanted: string): boolean => frequencies[terms.findIndex(({ term }) => term === wanted)] === 0
  const stems = new Set(terms.map(({ beside }) => beside))
  // Of a word in two forms the one as written is what was misspelt, if nobody wrote the other either.
  const unknown = terms.filter(
    ({ term, beside }, t) =>
      frequencies[t] === 0 &&
      !meantSo.has(term) &&
      !stems.has(term) &&
      (beside === undefined || isUnknown(beside)) &&
      isCorrectable(term),
  )
  if (unknown.length > MOST_CORRECTED) return found
  for (const { term } of unknown) {
    const nearest = nearTerms(views, term, term.length < LETTERS_OF_TWO_EDITS ? 1 : 2).reduce<NearTerm | undefined>(
      (best, near) => (best === undefined || isBetter(near, best) ? near : best),
      undefined,
    )
    if (nearest) found.set(term, nearest.term)
  }
  return found
}

function isCorrectable(term: string): boolean {
  return term.length >= LEAST_LETTERS && term.length <= MOST_LETTERS && isOfLetters(term)
}

/** False for words with digits, and in scripts written without spaces. */
export function isOfLetters(term: string): boolean {
  for (let at = 0; at < term.length; at++) {
    const unit = term.charCodeAt(at)
    if (unit >= 48 && unit <= 57) return false
    const charClass = classAt(term, at)
    if (charClass !== WORD || charClass >= FIRST_BIGRAM) return false
  }
  return true
}

function isBetter(a: NearTerm, b: NearTerm): boolean {
  if (a.edits !== b.edits) return a.edits < b.edits
  if (a.captures !== b.captures) return a.captures > b.captures
  return a.term < b.term
}
