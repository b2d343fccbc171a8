import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const yiddish: Language = {
  code: 'yi',
  otherCodes: ['ji'],
  scripts: ['hebrew'],
  isUndetected: true,
  stem: snowball('Yiddish'),
}
