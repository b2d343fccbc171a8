import type { Language } from './language.ts'

export const latvian: Language = {
  code: 'lv',
  hintWords: 'un ir ar no uz par ka tas bija arī vai',
}
