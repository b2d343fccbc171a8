import type { Language } from './language.ts'

export const afrikaans: Language = {
  code: 'af',
  hintWords: 'die en van is het nie in te dat vir met op wat',
}
