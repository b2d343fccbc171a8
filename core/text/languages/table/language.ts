import type { ScriptName } from './scripts.ts'

/** The properties of a language by which texts are analyzed. If a property is left out, its rule does not apply. */
export interface Language {
  /** ISO 639-1. */
  code: string
  /** Older or narrower codes of the language: `iw` for Hebrew, `nb` for Norwegian. */
  otherCodes?: readonly string[]
  /** The scripts that it is written in. Default: Latin letters. */
  scripts?: readonly ScriptName[]
  /** True if the detector does not know the language. A page then counts as written in the language if it declares it, and its script fits. */
  isUndetected?: true
  /**
   * Returns the stem of a word, which is indexed beside the word. English has none, because its words are indexed by their stems.
   *
   * @param word - in lower case and NFC, with diacritics.
   */
  stem?(word: string): string
  /** True if the capitals of `ı` and `i` are `I` and `İ`. */
  hasDotlessI?: true
  /** True if its writers often confuse long and short vowels. */
  confusesVowelLengths?: true
  /** True if names and words are often written without special letters: `Mueller` for Müller. */
  spellsOutLetters?: true
  /** True if compounds are written without a space: `Straßenbahn`. */
  joinsCompounds?: true
  /** True if all nouns begin with a capital. */
  capitalizesNouns?: true
  /**
   * Articles, pronouns, prepositions, conjunctions, auxiliaries, negations, question words, and the parts that an apostrophe splits off.
   * The words are separated by white space. Words that are often topics are left out, such as French `or` and `car`, or Italian `sei` and `stato`.
   */
  functionWords?: string
  /** The most frequent short words of a language in Latin letters, separated by spaces. Prose in the language contains many of these words. */
  hintWords?: string
}
