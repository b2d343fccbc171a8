import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const tamil: Language = {
  code: 'ta',
  scripts: ['tamil'],
  stem: snowball('Tamil'),
}
