import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const serbian: Language = {
  code: 'sr',
  scripts: ['cyrillic', 'latin'],
  stem: snowball('Serbian'),
}
