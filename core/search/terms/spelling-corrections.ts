import { FIRST_BIGRAM, WORD } from '../../text/characters/char-table.ts'
import { classAt } from '../../text/terms/tokens.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import type { NearTerm } from '../collection/collection.ts'
import type { IndexView } from '../collection/index-view.ts'

/**
 * A query is checked for misspellings if the numbers of captures that contain each of its words add up to less than this.
 */
export const FEW_CAPTURES = 10
/**
 * Queries with more unknown words are not corrected: they are unlikely to be typing errors, and each word costs a walk
 * through the dictionaries.
 */
const MAX_CORRECTED = 3
/** Shorter words are not corrected: too many other words are spelled similarly. */
const MIN_LETTERS = 4
/** Longer strings are not words. */
const MAX_LETTERS = 40
/** Words with at least this many letters are corrected by up to two edits, shorter ones by one. */
const MIN_LETTERS_OF_TWO_EDITS = 6

/** True if the numbers of captures that contain each word of a query show that it finds nothing or next to nothing. */
export function isFew(frequencies: readonly number[]): boolean {
  return frequencies.reduce((sum, captures) => sum + captures, 0) < FEW_CAPTURES
}

/**
 * Suggests corrections for a query that finds nothing or next to nothing: each word that no capture contains as of the instant of the index view
 * is replaced by the nearest word of the index; of equally near ones by the most frequent, then the first.
 *
 * Quoting a word means that its spelling is intended. So queries with a phrase (required or favored) or an exclusion are not corrected, and
 * neither are words with digits and scripts without spaces.
 *
 * @param frequencies - for each term of the query the number of captures that contain it.
 * @param kept - terms that are never replaced: words of known identifiers, and words with alternatives.
 * @returns the replacement of each misspelled term; empty if there is nothing to correct or no similar word.
 */
export function spellingCorrections(
  index: IndexView,
  { terms, phrases, favored = [], excluded }: AnalyzedQuery,
  frequencies: readonly number[],
  kept: ReadonlySet<string>,
): Map<string, string> {
  const found = new Map<string, string>()
  if (phrases.length > 0 || favored.length > 0 || excluded.length > 0) return found
  if (!isFew(frequencies)) return found
  const isUnknown = (wanted: string): boolean => frequencies[terms.findIndex(({ term }) => term === wanted)] === 0
  const stems = new Set(terms.map(({ beside, isSpelledOut }) => (isSpelledOut ? undefined : beside)))
  // Of a word with two forms, stem and word as written, the latter is corrected, and only if no capture contains the stem. The form of a word
  // without its umlauts is never corrected.
  const unknown = terms.filter(
    ({ term, beside, isSpelledOut }, t) =>
      frequencies[t] === 0 &&
      !isSpelledOut &&
      !kept.has(term) &&
      !stems.has(term) &&
      (beside === undefined || isUnknown(beside)) &&
      isCorrectable(term),
  )
  if (unknown.length > MAX_CORRECTED) return found
  for (const { term } of unknown) {
    const nearest = index.collection
      .nearTerms(term, term.length < MIN_LETTERS_OF_TWO_EDITS ? 1 : 2)
      .reduce<NearTerm | undefined>(
        (best, near) => (best === undefined || isBetter(near, best) ? near : best),
        undefined,
      )
    if (nearest) found.set(term, nearest.term)
  }
  return found
}

function isCorrectable(term: string): boolean {
  return term.length >= MIN_LETTERS && term.length <= MAX_LETTERS && isOfLetters(term)
}

/** True if a word consists of letters of a script with spaces; false if it contains digits. */
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
