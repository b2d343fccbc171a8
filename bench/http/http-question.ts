import { textOf } from '../engines/asof-question.ts'
import type { Question } from '../questions/question.ts'

/** The same search as the engine itself is asked for, whole answers, as a query string. */
export function queryString(question: Question): string {
  return new URLSearchParams({
    query: textOf(question),
    mode: 'realtime',
    max_results: String(question.limit),
  }).toString()
}
