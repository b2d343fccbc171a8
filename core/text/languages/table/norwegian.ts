import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const norwegian: Language = {
  code: 'no',
  otherCodes: ['nb', 'nn'],
  stem: snowball('Norwegian'),
  spellsOutLetters: true,
  joinsCompounds: true,
  functionWords: `
    og i jeg det at en et ei den de til er som på med han hun av for ikke der var meg seg men har om vi hadde nå da
    fra ut sin dem oss opp hans hvor hva hvem hvilken hvilket hvilke når hvorfor hvordan hvis eller skal vil ble bli
    blir kan kunne være vært dette denne disse etter under mot ved også deg din ditt mitt min deres hennes`,
  hintWords: 'og det er på som en til av for med at ikke den har',
}
