import { FIRST_BIGRAM, unitClasses, WORD } from '../../text/characters/char-table.ts'

/**
 * An upper bound of the words of a query, from a look at its characters alone: a word counts once, and of a script that is
 * written without spaces every character.
 */
export function mostWords(text: string): number {
  let words = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const charClass = unitClasses[text.charCodeAt(at)]!
    const isWord = charClass === WORD
    // Above ASCII what continues a word depends on its neighbors: counting each such character is more than enough.
    if (charClass >= FIRST_BIGRAM || (isWord ? !isInWord : text.charCodeAt(at) > 127)) words++
    isInWord = isWord
  }
  return words
}
