import type { Language } from './language.ts'

export const azerbaijani: Language = {
  code: 'az',
  hasDotlessI: true,
  hintWords: 'və bu bir ilə üçün da də ki olan onun',
}
