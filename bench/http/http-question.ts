import { textOf } from '../engines/asof-question.ts'
import type { Question } from '../questions/question.ts'

/**
 * Returns the query string of a search over HTTP. The search is the same as in a direct call of the engine with whole answers.
 */
export function queryString(question: Question): string {
  return new URLSearchParams({
    query: textOf(question),
    mode: 'realtime',
    max_results: String(question.limit),
  }).toString()
}
