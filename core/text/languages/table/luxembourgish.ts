import type { Language } from './language.ts'

export const luxembourgish: Language = {
  code: 'lb',
  capitalizesNouns: true,
}
