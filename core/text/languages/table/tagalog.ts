import type { Language } from './language.ts'

export const tagalog: Language = {
  code: 'tl',
  hintWords: 'ang ng sa na mga at ay ito ni',
}
