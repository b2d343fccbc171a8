import type { Language } from './language.ts'

export const albanian: Language = {
  code: 'sq',
  hintWords: 'dhe të në një për me që është nga si nuk',
}
