import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const lithuanian: Language = {
  code: 'lt',
  stem: snowball('Lithuanian'),
  hintWords: 'ir yra kad su iš bei tai kaip buvo į ar',
}
