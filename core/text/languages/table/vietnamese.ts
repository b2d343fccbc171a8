import type { Language } from './language.ts'

export const vietnamese: Language = {
  code: 'vi',
  hintWords: 'và của là có các được trong cho một không người với',
}
