import { readFileSync } from 'node:fs'
import { open } from '@asof/core'
import { DEPTH, type Measures, measure } from './ranking-measures.ts'

/** Judgements of callers, measured on the index that they judged. */
export interface FeedbackReplay {
  queries: number
  /** Topics without a query, which an organisation under zero data retention has. */
  leftOut: number
  /** By ranking, query by query. */
  systems: Map<string, Measures[]>
}

interface Topic {
  topic: string
  query: string
  query_time: string
}

/**
 * Replays an export of feedback: asks each query again, as of the moment it was judged at, and measures the answer by the
 * judgements.
 *
 * @param qrels - what `asof feedback export --out` wrote; its topics lie beside it, in `<qrels>.topics.jsonl`.
 * @param data - the data folder that the feedback is about; no server may have it open.
 */
export async function replayFeedback(qrels: string, data: string): Promise<FeedbackReplay> {
  const grades = readQrels(qrels)
  const topics = readFileSync(`${qrels}.topics.jsonl`, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Topic)
  const engine = await open(data, { searchThreads: 0 })
  try {
    const replay: FeedbackReplay = {
      queries: 0,
      leftOut: 0,
      systems: new Map([
        ['realtime', []],
        ['pro', []],
      ]),
    }
    const asked = new Set(topics.map(({ topic }) => topic))
    replay.leftOut = [...grades.keys()].filter(topic => !asked.has(topic)).length
    for (const { topic, query, query_time: queryTime } of topics) {
      const judged = grades.get(topic)
      if (!judged) continue
      replay.queries++
      for (const [mode, measures] of replay.systems) {
        const options = { queryTime, maxResults: DEPTH, snippetMaxLength: 0 }
        const { results } = await engine.search(query, { ...options, mode: mode === 'pro' ? 'pro' : 'realtime' })
        measures.push(
          measure(
            results.map(({ url }) => url),
            judged,
          ),
        )
      }
    }
    return replay
  } finally {
    await engine.close()
  }
}

/** By topic the grade of each URL. Two opinions of one page: the later one counts. */
function readQrels(path: string): Map<string, Map<string, number>> {
  const grades = new Map<string, Map<string, number>>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [topic, , url, grade] = line.split(' ')
    if (grade === undefined) continue
    const ofTopic = grades.get(topic) ?? new Map<string, number>()
    grades.set(topic, ofTopic.set(url, Number(grade)))
  }
  return grades
}
