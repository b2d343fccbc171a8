import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const nepali: Language = {
  code: 'ne',
  scripts: ['devanagari'],
  isUndetected: true,
  stem: snowball('Nepali'),
  confusesVowelLengths: true,
}
