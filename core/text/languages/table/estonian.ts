import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const estonian: Language = {
  code: 'et',
  stem: snowball('Estonian'),
  hintWords: 'ja on ei et see oli ka kui aga mis ning',
}
