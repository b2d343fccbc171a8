import { createHash } from 'node:crypto'
import { foldWord } from '../characters/fold.ts'

/** Maximum length of a term, UTF-16 units. */
export const MAX_TERM_UNITS = 64
/** Number of hexadecimal digits (64 bits) of the hash that distinguishes long words with the same beginning. */
const DIGITS = 16
/** Number of units, from the first on, in which a term equals its folded word, however long that is. */
export const MAX_BEGINNING_UNITS: number = MAX_TERM_UNITS - DIGITS

/**
 * Folds a word to at most {@link MAX_TERM_UNITS} units. The end of a longer word is replaced by a hash of the whole word, so that
 * different words stay different.
 *
 * @param word - as written.
 */
export function foldToTerm(word: string): string {
  const folded = foldWord(word)
  if (folded.length <= MAX_TERM_UNITS) return folded
  const digits = createHash('sha256').update(folded).digest('hex').slice(0, DIGITS)
  return foldWord(folded, MAX_BEGINNING_UNITS) + digits
}
