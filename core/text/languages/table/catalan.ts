import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const catalan: Language = {
  code: 'ca',
  stem: snowball('Catalan'),
  hintWords: 'el la de que els les per amb una del en és un al',
}
