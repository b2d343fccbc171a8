import type { Language } from './language.ts'

export const yoruba: Language = {
  code: 'yo',
  hintWords: 'ni ti awọn tí ní àti wọn',
}
