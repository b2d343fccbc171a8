import type { SearchAnswer } from '../engine.ts'

/** An answer with no more than its first results, and what explains these. */
export function firstResults(answer: SearchAnswer, count: number): SearchAnswer {
  const { results, explain } = answer
  return {
    ...answer,
    results: results.slice(0, count),
    ...(explain && { explain: { ...explain, scores: explain.scores.slice(0, count) } }),
  }
}
