import { analyzer } from './analyzers.ts'

/** Minimum share of hint words, of any language, in prose. */
const PROSE_SHARE = 0.04
/** Minimum share of English hint words in English prose. Prose in other languages has a lower share. */
const ENGLISH_SHARE = 0.12
/** A text with fewer words always counts as prose. */
const FEW_WORDS = 60

export interface HintWordCounts {
  /** Number of words in the text. */
  words: number
  /** Number of hint words of English. */
  english: number
  /** Number of hint words of any language. */
  known: number
}

/** Counts the words in Latin letters of a text, and the hint words among them. */
export function countHintWords(text: string): HintWordCounts {
  const counts = { words: 0, english: 0, known: 0 }
  const { english, all, longest } = analyzer.languages.hintWords
  let start = -1
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) | 32 : 0
    if ((unit >= 97 && unit <= 122) || unit >= 0xc0) {
      if (start < 0) start = at
    } else if (start >= 0) {
      counts.words++
      if (at - start <= longest) {
        const word = text.slice(start, at).toLowerCase()
        if (all.has(word)) counts.known++
        if (english.has(word)) counts.english++
      }
      start = -1
    }
  }
  return counts
}

/** True if the share of English hint words proves that a text is English. */
export function isPlainEnglish({ english, words }: HintWordCounts): boolean {
  return english >= 2 && english >= ENGLISH_SHARE * words
}

/** True if a text contains sentences, not only names, numbers or code. Always true for a text of a few words. */
export function isProse({ known, words }: HintWordCounts): boolean {
  return words < FEW_WORDS || known >= PROSE_SHARE * words
}
