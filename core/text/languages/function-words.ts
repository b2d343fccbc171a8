import { foreignFunctionWords } from './foreign-function-words.ts'

/**
 * English words that carry grammar rather than a topic: Snowball's list, question words and modals included, with
 * contractions in the pieces that the tokenizer makes of them. They stay in the index, because phrases need them.
 */
const functionWords = new Set(
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

/** What stands before `n't` as a word of its own right elsewhere: `Don`, `won`. */
const heads = new Set(['don', 'won', 'shan', 'ain', 'daren', 'oughtn'])

/**
 * True for a function word.
 *
 * @param foldedWord - lower-case and folded.
 * @param language - that of the text, ISO 639-1. Default: English, which is also that of the words of languages without a
 *   list of their own.
 */
export function isFunctionWord(foldedWord: string, language = ''): boolean {
  return (foreignFunctionWords(language) ?? functionWords).has(foldedWord)
}

/** True for the first part of a contraction in -n't that {@link isFunctionWord} must leave alone: `don` of `don't`. */
export function isContractionHead(foldedWord: string): boolean {
  return heads.has(foldedWord)
}
