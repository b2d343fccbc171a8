import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const basque: Language = {
  code: 'eu',
  stem: snowball('Basque'),
  hintWords: 'eta da ez bat du dira izan zen den',
}
