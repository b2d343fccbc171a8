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
    // A character above ASCII that is no letter may continue a word or not, depending on its neighbors. So each counts as a word.
    if (charClass >= FIRST_BIGRAM || (isWord ? !isInWord : text.charCodeAt(at) > 127)) words++
    isInWord = isWord
  }
  return words
}
