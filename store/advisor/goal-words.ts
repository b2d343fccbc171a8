/**
 * Splits a text into lower-case words and numbers. `/` is a word, as in `500/day`. A URL is one word, so the words in its
 * path have no meaning. An amount of money, such as `$500`, is one word, so it is not read as a number of calls.
 */
export function goalWords(text: string): string[] {
  return text.toLowerCase().match(/https?:\/\/\S+|[$€£]?\d+(?:,\d{3})*(?:\.\d+)?|\p{L}+(?:_\p{L}+)*|\//gu) ?? []
}
