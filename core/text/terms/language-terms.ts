import { WORD } from '../characters/char-table.ts'
import { withoutLengths } from '../characters/devanagari.ts'
import { foldWord } from '../characters/fold.ts'
import { analyzer } from '../languages/analyzers.ts'
import { stemTerm, termInterner } from './term-interner.ts'
import { classAt } from './tokens.ts'
import { foldToTerm, MAX_TERM_UNITS } from './word-term.ts'

/** Maximum number of cached words of all languages together. */
const MAX_WORDS = 200_000

/**
 * True for a language whose stems are indexed in addition to the plain words. English is not among them: its words are
 * indexed by their stems alone.
 */
export function hasStems(language: string): boolean {
  return analyzer.languages.of(language)?.stem !== undefined
}

/**
 * Returns the stem of a word in its language, without diacritics, so that a query without diacritics finds it.
 *
 * @param word - the word as written.
 * @param language - a language for which {@link hasStems} is true, ISO 639-1.
 */
export function languageStem(word: string, language: string): string {
  // No word of any language is longer. A page with a longer one may be hostile, so the word is not given to the stemmer.
  if (word.length > MAX_TERM_UNITS) return stemTerm(foldToTerm(word))
  const rules = analyzer.languages.of(language)!
  if (rules.confusesVowelLengths) {
    // The nasals of a folded word are written in one way. The stemmer knows endings in that spelling only.
    const folded = foldWord(word)
    return withoutLengths(rules.stem!(folded)) || stemTerm(folded)
  }
  const plain = word.replaceAll('İ', 'i')
  const lower = (rules.hasDotlessI ? plain.replaceAll('I', 'ı') : plain).toLowerCase().normalize('NFC')
  const stem = foldToTerm(rules.stem!(lower))
  // The stemmer returns nothing for some words, such as those in another script. Their stem is the plain term.
  return stem === '' ? stemTerm(foldToTerm(word)) : stem
}

/** Caches the ids of stems by language and word. */
class StemCache {
  #generation = -1
  #words = 0
  readonly #byLanguage = new Map<string, Map<string, number>>()

  /** Returns the {@link termInterner}'s id for the stem of the word `text[start, end)`. */
  idOf(text: string, start: number, end: number, language: string): number {
    if (this.#generation !== termInterner.generation || this.#words > MAX_WORDS) {
      this.#byLanguage.clear()
      this.#words = 0
      this.#generation = termInterner.generation
    }
    let ids = this.#byLanguage.get(language)
    if (!ids) {
      ids = new Map()
      this.#byLanguage.set(language, ids)
    }
    const word = text.slice(start, end)
    let id = ids.get(word)
    if (id !== undefined) return id
    id = termInterner.idOfTerm(languageStem(word, language))
    if (word.length <= MAX_TERM_UNITS) {
      ids.set(Buffer.from(word, 'utf16le').toString('utf16le'), id)
      this.#words++
    }
    return id
  }
}

/** The cache of this thread. It only affects speed. */
export const stemCache = new StemCache()

/** True if a word in a script with spaces begins at `start`. Only such words are stemmed. */
export function isStemmable(text: string, start: number): boolean {
  return classAt(text, start) === WORD
}
