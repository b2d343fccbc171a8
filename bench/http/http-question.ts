import { textOf } from '../engines/asof-question.ts'
import type { Question } from '../questions/question.ts'

/** Returns the query string of the search that the engine runs in a direct call, with whole answers. */
export function queryString(question: Question): string {
  return new URLSearchParams({
    query: textOf(question),
    mode: 'realtime',
    max_results: String(question.limit),
  }).toString()
}
