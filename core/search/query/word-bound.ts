import { FIRST_BIGRAM, unitClasses, WORD } from '../../text/characters/char-table.ts'

/**
 * Returns an upper bound of the number of words in a query by looking at its characters only. In scripts without spaces
 * every character counts as a word.
 */
export function maxWordCount(text: string): number {
  let words = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const charClass = unitClasses[text.charCodeAt(at)]!
    const isWord = charClass === WORD
    // Above ASCII it depends on the neighbors whether a character continues a word, so each counts as a new one.
    if (charClass >= FIRST_BIGRAM || (isWord ? !isInWord : text.charCodeAt(at) > 127)) words++
    isInWord = isWord
  }
  return words
}
