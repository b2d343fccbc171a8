import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const sesotho: Language = {
  code: 'st',
  isUndetected: true,
  stem: snowball('Sesotho'),
}
