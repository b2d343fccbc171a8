import type { SearchAnswer, SearchWarning } from './search-answer.ts'

/** Returns the properties of an answer that contain its warnings: none if there are no warnings. */
export function warningsOf(warnings: SearchWarning[]): Pick<SearchAnswer, 'warning' | 'warnings'> {
  return warnings.length === 0 ? {} : { warning: warnings.map(({ text }) => text).join('; '), warnings }
}
