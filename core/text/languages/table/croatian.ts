import type { Language } from './language.ts'

export const croatian: Language = {
  code: 'hr',
  hintWords: 'je na se da za su od koji kao što ili iz',
}
