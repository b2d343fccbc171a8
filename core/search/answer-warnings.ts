import type { SearchAnswer, SearchWarning } from './search-answer.ts'

/** The part of an answer that has its warnings. */
export function warningsOf(warnings: SearchWarning[]): Pick<SearchAnswer, 'warning' | 'warnings'> {
  return warnings.length === 0 ? {} : { warning: warnings.map(({ text }) => text).join('; '), warnings }
}
