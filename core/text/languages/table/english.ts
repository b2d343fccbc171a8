import type { Language } from './language.ts'

/**
 * The function words are those of Snowball's list, with contractions split as the tokenizer splits them. They are indexed nevertheless,
 * because phrases need them.
 */
export const english: Language = {
  code: 'en',
  functionWords: `
    i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves what which who whom whose how when why where this that
    these those am is are was were be been being have has had having do does did doing done would should could ought
    can cannot could may might must shall will a an the and but if or because as until while of at by for with about
    against between into through during before after above below to from up down in out on off over under again
    further then once here there all any both each few more most other some such no nor not only own same so than
    too very just s t re ve ll d m isn aren wasn weren hasn haven hadn doesn didn wouldn shouldn couldn mustn mightn
    needn`,
  hintWords: 'the and of to is that with was this are by from it be have not or',
}
