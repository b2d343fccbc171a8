import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const esperanto: Language = {
  code: 'eo',
  isUndetected: true,
  stem: snowball('Esperanto'),
  hintWords: 'la kaj de en estas al kun por ke ne',
}
