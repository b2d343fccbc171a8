import type { Explanation, ScorePart } from '../../core/index.ts'
import type { SearchResponse } from '../service/index.ts'

const milliseconds = (ms: number) => `${ms.toFixed(2)} ms`

/** Where the time of an answer went and what the scores of its results are made of, for a reader. */
export function explainText({ results }: SearchResponse, { timings, scores }: Explanation): string {
  const { parse, statistics, topK, snippets, total } = timings
  const steps = Object.entries({ parse, statistics, 'top-k': topK, snippets, total })
  const time = `time: ${steps.map(([step, ms]) => `${step} ${milliseconds(ms)}`).join(', ')}`
  const parts = scores.map((terms, index) => {
    const score = terms.reduce((sum, part) => sum + part.score, 0)
    const lines = terms.map(part => `     ${part.score.toFixed(4)}  ${reasonOf(part)}`)
    return [`${index + 1}. ${score.toFixed(4)}  ${results[index]?.url ?? ''}`, ...lines].join('\n')
  })
  return [time, ...parts].join('\n')
}

function reasonOf(part: ScorePart): string {
  if ('signal' in part) return `${part.signal}: ${part.value.toFixed(4)} at weight ${part.weight.toFixed(4)}`
  return `${part.term}: weight ${part.weight.toFixed(4)}, ${part.frequency} in ${part.length} words`
}
