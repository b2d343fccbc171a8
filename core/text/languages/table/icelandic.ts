import type { Language } from './language.ts'

export const icelandic: Language = {
  code: 'is',
  hintWords: 'og að er sem til við um það en var ekki',
}
