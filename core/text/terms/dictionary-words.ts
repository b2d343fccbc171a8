import { FIRST_BIGRAM } from '../characters/char-table.ts'
import { classAt } from './tokens.ts'

/**
 * Words of Thai, Lao, Khmer and Burmese, which are written without spaces, by the dictionaries of the running Node's ICU.
 * Another ICU may find other words, so each word's term names the one that found it: under another one such words are
 * not found, and the neighbours that every index holds are.
 */
export const dictionaryIdentity: string = `icu-${Number.parseInt(process.versions.icu ?? '0', 10)}`

const PREFIX = `:${dictionaryIdentity}=`

let segmenter: Intl.Segmenter | undefined

/** Text that is segmented at a time, in UTF-16 units: a longer run is taken in pieces. */
const MAX_RUN = 4096

/** The class of Han and Kana: the only script group without spaces that has no dictionary here. */
export const HAN_GROUP: number = FIRST_BIGRAM

/** True for the classes of scripts that a dictionary takes apart. */
export function hasDictionary(charClass: number): boolean {
  return charClass > HAN_GROUP
}

/** The words of a run of one such script, of two characters or more, with their UTF-16 offsets in the text. */
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

/** The term of such a word. */
export function dictionaryTerm(foldedWord: string): string {
  return PREFIX + foldedWord
}

export function isDictionaryTerm(term: string): boolean {
  return term.startsWith(PREFIX)
}
