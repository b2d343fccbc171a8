import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const portuguese: Language = {
  code: 'pt',
  stem: snowball('Portuguese'),
  functionWords: `
    a o as os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para com sem
    sobre entre até desde contra ao à aos às e ou mas nem que se porque como quando onde quem qual quais quanto
    quanta quantos quantas eu tu ele ela eles elas nós vós você vocês me te lhe lhes meu minha teu tua seu sua seus
    suas nosso nossa dele dela deles delas este esta estes estas esse essa esses essas isso isto aquele aquela
    aquilo é são era eram foi foram ser está estão estava ter tem têm tinha há havia não mais muito já também`,
  hintWords: 'de que do da em um para com não uma os no se na por mais as dos ao',
}
