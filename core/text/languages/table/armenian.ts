import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const armenian: Language = {
  code: 'hy',
  scripts: ['armenian'],
  stem: snowball('Armenian'),
}
