/**
 * Splits a text into lower-case words and numbers. `/` is a word, as in `500/day`. A URL is one word, so that words in
 * its path mean nothing. An amount of money, such as `$500`, is a word that is no count.
 */
export function goalWords(text: string): string[] {
  return text.toLowerCase().match(/https?:\/\/\S+|[$€£]?\d+(?:,\d{3})*(?:\.\d+)?|\p{L}+(?:_\p{L}+)*|\//gu) ?? []
}
