import type { SearchAnswer } from '../engine.ts'

/** Returns an answer with only its first `count` results and their explanations. */
export function firstResults(answer: SearchAnswer, count: number): SearchAnswer {
  const { results, explain } = answer
  return {
    ...answer,
    results: results.slice(0, count),
    ...(explain && { explain: { ...explain, scores: explain.scores.slice(0, count) } }),
  }
}
