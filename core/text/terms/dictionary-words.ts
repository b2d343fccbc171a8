import { FIRST_BIGRAM, HANGUL } from '../characters/char-table.ts'
import { divideRun } from '../dictionaries/divide-run.ts'

/** Begins the terms of words from a dictionary, and of Korean words, so that none of them equals a pair of characters. */
const PREFIX = ':='

/** The class of Han and Kana. They have no dictionary. */
export const HAN_GROUP: number = FIRST_BIGRAM

/** True for the class of a script whose words a dictionary finds. */
export function hasDictionary(charClass: number): boolean {
  return charClass > HAN_GROUP && charClass !== HANGUL
}

/**
 * Returns the words in `text[start, end)`, a run of one script with a dictionary, with their UTF-16 offsets. Leaves out
 * words of one unit.
 */
export function dictionaryWords(text: string, start: number, end: number): { start: number; end: number }[] {
  const words: { start: number; end: number }[] = []
  let from = start
  for (const to of divideRun(text, start, end)) {
    if (to - from > 1) words.push({ start: from, end: to })
    from = to
  }
  return words
}

/** Returns the index term of a word that a dictionary found. */
export function dictionaryTerm(foldedWord: string): string {
  return PREFIX + foldedWord
}
