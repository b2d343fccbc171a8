import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const swedish: Language = {
  code: 'sv',
  stem: snowball('Swedish'),
  joinsCompounds: true,
  functionWords: `
    och i jag det att en ett den de till är som på med han hon av för inte där var mig sig men har om vi hade nu då
    från ut sin sitt sina dem oss upp hans hur vad vem vilka vilken vilket när varför eller ska skall vill blev bli
    blir kan kunde vara varit detta denna dessa efter under mot vid också du dig din ditt mitt min deras hennes`,
  hintWords: 'och att det som en är på för med av till den inte om ett',
}
