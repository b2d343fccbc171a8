import { analyzer } from './analyzers.ts'

/** First parts of contractions in `-n't` that are also other words, such as `Don` and `won`. */
const contractionHeads = new Set(['don', 'won', 'shan', 'ain', 'daren', 'oughtn'])

/**
 * True for a function word.
 *
 * @param foldedWord - in lower case, without diacritics.
 * @param language - the language of the text, ISO 639-1. Languages without a list use the English one. Default:
 *   English.
 */
export function isFunctionWord(foldedWord: string, language = ''): boolean {
  return analyzer.languages.functionWords(language).has(foldedWord)
}

/** True for the first part of a contraction in `-n't` that is no function word on its own, such as `don` in `don't`. */
export function isContractionHead(foldedWord: string): boolean {
  return contractionHeads.has(foldedWord)
}
