import { analyzer } from '../languages/analyzers.ts'

/** The pairs of letters that writers use for a letter which their keyboard lacks. ß, æ and œ are missing here, because folding replaces them. */
const pairs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const letter = /[äöüøå]/g
/** Matches most words. */
const ASCII_WORD = /^[A-Za-z0-9]*$/

/** True for a language in whose pages words are also indexed as {@link spelledOut}. */
export function isSpelledOut(language: string): boolean {
  return analyzer.languages.of(language)?.spellsOutLetters === true
}

/**
 * Spells a word without its special letters: Mueller for Müller. Pairs of letters are never converted back, so `neue`, `Poesie` and
 * `Israel` stay as they are.
 *
 * @returns '' for a word without such a letter.
 */
export function spelledOut(word: string): string {
  if (ASCII_WORD.test(word)) return ''
  const lower = word.normalize('NFC').toLowerCase()
  const spelled = lower.replace(letter, found => pairs[found] ?? found)
  return spelled === lower ? '' : spelled
}
