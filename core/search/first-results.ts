import type { SearchAnswer } from './search-answer.ts'

/** Returns an answer with at most `count` of its results and their explanations, after the first `skipped` ones. */
export function firstResults(answer: SearchAnswer, count: number, skipped = 0): SearchAnswer {
  const { results, explain } = answer
  const first = { ...answer, results: results.slice(skipped, skipped + count) }
  if (explain) first.explain = { ...explain, scores: explain.scores.slice(skipped, skipped + count) }
  return first
}
