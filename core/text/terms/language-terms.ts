import { WORD } from '../characters/char-table.ts'
import { foldWord } from '../characters/fold.ts'
import { snowballLanguages, snowballStem } from '../languages/snowball.ts'
import { MAX_TERM_UNITS, stemmed, termInterner } from './term-interner.ts'
import { classAt } from './tokens.ts'

/** Words remembered at a time, over all languages. */
const MAX_WORDS = 200_000

/** True for a language whose words have stems of their own beside the terms that every text has. */
export function hasStems(language: string): boolean {
  return snowballLanguages.has(language)
}

/** Languages with two letters I, which are ı and i in lower case. */
const dotted = new Set(['tr', 'az'])

/**
 * The stem of a word in its language, folded like every term: what is typed without its diacritics finds it too.
 *
 * @param word - as written.
 */
export function languageStem(word: string, language: string): string {
  const plain = word.replaceAll('İ', 'i')
  const lower = (dotted.has(language) ? plain.replaceAll('I', 'ı') : plain).toLowerCase().normalize('NFC')
  const stem = foldWord(snowballStem(language, lower), MAX_TERM_UNITS)
  // A stemmer that leaves nothing, or takes a word for another script, says nothing of it.
  return stem === '' ? stemmed(foldWord(word, MAX_TERM_UNITS)) : stem
}

/** Ids of stems, by language and word as written: nearly every word of a page was met before. */
class StemCache {
  #generation = -1
  #words = 0
  readonly #byLanguage = new Map<string, Map<string, number>>()

  /** The id in the {@link termInterner} of the stem of `text[start, end)`. */
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
    // Longer words are cut as terms are: hostile pages have words of a million letters.
    id = termInterner.idOfTerm(languageStem(word.slice(0, MAX_TERM_UNITS), language))
    if (word.length <= MAX_TERM_UNITS) {
      ids.set(Buffer.from(word, 'utf16le').toString('utf16le'), id)
      this.#words++
    }
    return id
  }
}

/** One table for a thread, as there is one of terms: what it knows does not show in any term. */
export const stemCache = new StemCache()

/** True where a word of a script with spaces begins: the only words that have stems. */
export function isStemmable(text: string, start: number): boolean {
  return classAt(text, start) === WORD
}
