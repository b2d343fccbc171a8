import { foreignFunctionWords } from './foreign-function-words.ts'

/**
 * English function words. The list is that of Snowball, with contractions split as the tokenizer splits them. Function
 * words are indexed nevertheless, because phrases need them.
 */
export const functionWords: ReadonlySet<string> = new Set(
  `i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
  it its itself they them their theirs themselves
  what which who whom whose how when why where this that these those
  am is are was were be been being have has had having do does did doing done
  would should could ought can cannot could may might must shall will
  a an the and but if or because as until while
  of at by for with about against between into through during before after above below to from up down in out on off
  over under again further then once here there
  all any both each few more most other some such no nor not only own same so than too very just
  s t re ve ll d m
  isn aren wasn weren hasn haven hadn doesn didn wouldn shouldn couldn mustn mightn needn`.match(/[a-z]+/g),
)

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
  return (foreignFunctionWords(language) ?? functionWords).has(foldedWord)
}

/** True for the first part of a contraction in `-n't` that is no function word on its own, such as `don` in `don't`. */
export function isContractionHead(foldedWord: string): boolean {
  return contractionHeads.has(foldedWord)
}
