import { FIRST_BIGRAM } from '../characters/char-table.ts'
import { classAt } from './tokens.ts'

/**
 * Names the version of ICU whose dictionaries split Thai, Lao, Khmer and Burmese into words. Another version may split
 * differently, so each of these terms contains the name. After a change of Node these terms are no longer found, but
 * the bigrams of the same text still are.
 */
export const dictionaryIdentity: string = `icu-${Number.parseInt(process.versions.icu ?? '0', 10)}`

const PREFIX = `:${dictionaryIdentity}=`

let segmenter: Intl.Segmenter | undefined

/** Maximum number of UTF-16 units that are split at once. Longer runs are split in parts. */
const MAX_RUN = 4096

/** The class of Han and Kana, the only scripts without spaces for which no dictionary is used. */
export const HAN_GROUP: number = FIRST_BIGRAM

/** True for the class of a script whose words a dictionary finds. */
export function hasDictionary(charClass: number): boolean {
  return charClass > HAN_GROUP
}

/**
 * Returns the words in `text[start, end)`, a run of one script with a dictionary, with their UTF-16 offsets. Leaves out
 * words of one unit.
 */
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

/** Returns the index term of a word that a dictionary found. */
export function dictionaryTerm(foldedWord: string): string {
  return PREFIX + foldedWord
}

export function isDictionaryTerm(term: string): boolean {
  return term.startsWith(PREFIX)
}
