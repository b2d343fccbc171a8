import type { Language } from './language.ts'

export const slovak: Language = {
  code: 'sk',
  hintWords: 'sa na je že do to ako by pre vo za si od ale',
}
