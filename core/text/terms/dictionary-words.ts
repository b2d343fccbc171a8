import { FIRST_BIGRAM } from '../characters/char-table.ts'
import { classAt } from './tokens.ts'

/**
 * Identifies the dictionaries of the running Node's ICU, which find the words of Thai, Lao, Khmer and Burmese. Another ICU
 * may find other words, so the term of each such word contains this name. With another ICU these terms are not found, but
 * the bigrams, which every index has, still are.
 */
export const dictionaryIdentity: string = `icu-${Number.parseInt(process.versions.icu ?? '0', 10)}`

const PREFIX = `:${dictionaryIdentity}=`

let segmenter: Intl.Segmenter | undefined

/** The longest text that is segmented at once, in UTF-16 units. A longer run is segmented in pieces. */
const MAX_RUN = 4096

/** The class of Han and Kana: the only script group without spaces that has no dictionary here. */
export const HAN_GROUP: number = FIRST_BIGRAM

/** True for the character class of a script that is segmented by a dictionary. */
export function hasDictionary(charClass: number): boolean {
  return charClass > HAN_GROUP
}

/** Returns the words of the run `text[start, end)` of one such script, with their UTF-16 offsets. They have two units or more. */
export function dictionaryWords(text: string, start: number, end: number): { start: number; end: number }[] {
  segmenter ??= new Intl.Segmenter('th', { granularity: 'word' })
  const words: { start: number; end: number }[] = []
  for (let from = start; from < end; from += MAX_RUN) {
    const run = text.slice(from, Math.min(end, from + MAX_RUN))
    for (const { segment, index } of segmenter.segment(run))
      if (segment.length > 1 && classAt(segment, 0) > HAN_GROUP)
        words.push({ start: from + index, end: from + index + segment.length })
  }
  return words
}

/** Returns the index term of a word from a dictionary. */
export function dictionaryTerm(foldedWord: string): string {
  return PREFIX + foldedWord
}

export function isDictionaryTerm(term: string): boolean {
  return term.startsWith(PREFIX)
}
