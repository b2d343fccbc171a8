import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const danish: Language = {
  code: 'da',
  stem: snowball('Danish'),
  spellsOutLetters: true,
  joinsCompounds: true,
  functionWords: `
    og i jeg det at en et den de til er som på med han hun af for ikke der var mig sig men har om vi havde nu da fra
    ud sin dem os op hans hvor hvad hvem hvilken hvilke hvornår hvorfor hvordan hvis eller skal vil blev blive
    bliver kan kunne når være været dette denne disse efter under mod ved også meget mange dig din dit mit min deres
    hendes`,
  hintWords: 'og at det er en til af på med for den som ikke der de',
}
