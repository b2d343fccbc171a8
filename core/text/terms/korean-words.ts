import { foldWord } from '../characters/fold.ts'
import { withoutParticle } from '../languages/korean-particles.ts'
import { dictionaryTerm } from './dictionary-words.ts'

/** Maximum number of syllables of a word. A longer run is found by its bigrams alone. */
const MAX_SYLLABLES = 24
/** Words of a query with fewer syllables keep an end that looks like a particle: 회의 is a word of its own. */
const MIN_QUERY_SYLLABLES = 3

/**
 * The terms of a Korean word in a page, in addition to its bigrams: the word as written and without its particle.
 *
 * @param run - a run of Hangul, as written.
 */
export function koreanPageTerms(run: string): string[] {
  return termsOf(run, 2)
}

/** The terms of a Korean word in a query: as {@link koreanPageTerms}, but a word of two syllables keeps its particle. */
export function koreanQueryTerms(run: string): string[] {
  return termsOf(run, MIN_QUERY_SYLLABLES)
}

function termsOf(run: string, minSyllables: number): string[] {
  // A syllable may be written as three letters.
  if (run.length > 3 * MAX_SYLLABLES) return []
  const word = foldWord(run)
  if (word.length > MAX_SYLLABLES) return []
  const noun = word.length < minSyllables ? '' : withoutParticle(word)
  return noun === '' ? [dictionaryTerm(word)] : [dictionaryTerm(word), dictionaryTerm(noun)]
}
