import { foldWord } from '../../characters/fold.ts'
import type { Language } from './language.ts'

/** The languages of an analyzer. */
export class LanguageTable {
  readonly #byCode: ReadonlyMap<string, Language>
  readonly #codes: ReadonlyMap<string, string>
  readonly #functionWords = new Map<Language, ReadonlySet<string>>()
  #hintWords: { english: ReadonlySet<string>; all: ReadonlySet<string>; longest: number } | undefined

  constructor(languages: readonly Language[]) {
    this.#byCode = new Map(languages.map(one => [one.code, one]))
    this.#codes = new Map(languages.flatMap(({ code, otherCodes = [] }) => otherCodes.map(other => [other, code])))
  }

  /** Returns a language, by its ISO 639-1 code. */
  of(code: string): Language | undefined {
    return this.#byCode.get(code)
  }

  /** Returns the code in this table for a code of ISO 639: `no` for `nb`, and any unknown code as it is. */
  codeOf(code: string): string {
    return this.#codes.get(code) ?? code
  }

  /** The codes of the languages with stems, ascending. */
  get stemmed(): string[] {
    return [...this.#byCode.values()].flatMap(({ code, stem }) => (stem ? [code] : [])).sort()
  }

  /** Returns the function words of a language, folded: those of English if the language has no list. */
  functionWords(code: string): ReadonlySet<string> {
    const own = this.#byCode.get(code)
    const language = own?.functionWords === undefined ? this.#byCode.get('en')! : own
    let words = this.#functionWords.get(language)
    if (!words) {
      words = new Set(
        language.functionWords
          ?.trim()
          .split(/\s+/)
          .map(word => foldWord(word)),
      )
      this.#functionWords.set(language, words)
    }
    return words
  }

  /** The hint words of English and of all languages, with the length of the longest one in UTF-16 units. */
  get hintWords(): { english: ReadonlySet<string>; all: ReadonlySet<string>; longest: number } {
    if (this.#hintWords) return this.#hintWords
    const wordsOf = ({ hintWords = '' }: Language): string[] => hintWords.split(' ').filter(word => word !== '')
    const all = new Set([...this.#byCode.values()].flatMap(wordsOf))
    const english = new Set(wordsOf(this.#byCode.get('en')!))
    this.#hintWords = { english, all, longest: Math.max(...Array.from(all, word => word.length)) }
    return this.#hintWords
  }
}
