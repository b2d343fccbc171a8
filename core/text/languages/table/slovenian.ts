import type { Language } from './language.ts'

export const slovenian: Language = {
  code: 'sl',
  hintWords: 'in je na se za da so pri ki ali po iz',
}
