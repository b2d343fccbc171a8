import { WORD } from '../characters/char-table.ts'
import { foldWord } from '../characters/fold.ts'
import { snowballLanguages, snowballStem } from '../languages/snowball.ts'
import { MAX_TERM_UNITS, stemTerm, termInterner } from './term-interner.ts'
import { classAt } from './tokens.ts'

/** The most words cached, over all languages. */
const MAX_WORDS = 200_000

/** True for a language whose stems are indexed beside the terms that every text has. English is not one of them. */
export function hasStems(language: string): boolean {
  return snowballLanguages.has(language)
}

/** Languages in which I and İ are the capitals of ı and i. */
const dotted = new Set(['tr', 'az'])

/**
 * Returns the stem of a word in its language, folded like every term, so that the word is also found if it is typed without
 * its diacritics.
 *
 * @param word - the word as written.
 * @param language - a language that {@link hasStems}, ISO 639-1.
 */
export function languageStem(word: string, language: string): string {
  const plain = word.replaceAll('İ', 'i')
  const lower = (dotted.has(language) ? plain.replaceAll('I', 'ı') : plain).toLowerCase().normalize('NFC')
  const stem = foldWord(snowballStem(language, lower), MAX_TERM_UNITS)
  // If the stemmer leaves nothing, for instance of a word in another script, the plain term is the stem.
  return stem === '' ? stemTerm(foldWord(word, MAX_TERM_UNITS)) : stem
}

/** Caches the ids of stems by language and word as written. Nearly every word of a page is cached. */
class StemCache {
  #generation = -1
  #words = 0
  readonly #byLanguage = new Map<string, Map<string, number>>()

  /** Returns the id in the {@link termInterner} of the stem of the word `text[start, end)`. */
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
    // Longer words are truncated like terms: hostile pages have words of a million letters.
    id = termInterner.idOfTerm(languageStem(word.slice(0, MAX_TERM_UNITS), language))
    if (word.length <= MAX_TERM_UNITS) {
      ids.set(Buffer.from(word, 'utf16le').toString('utf16le'), id)
      this.#words++
    }
    return id
  }
}

/** The thread's only cache of stems. Its content affects speed and never a term. */
export const stemCache = new StemCache()

/** True if a word of a script with spaces begins at `start`. Only such words have stems. */
export function isStemmable(text: string, start: number): boolean {
  return classAt(text, start) === WORD
}
