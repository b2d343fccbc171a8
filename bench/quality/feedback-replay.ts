import { open } from '@asof/core'
import { evaluate } from '../../service/evaluate/evaluation.ts'
import { readJudgedQueries } from '../../service/evaluate/judged-queries.ts'
import type { Measures } from '../../service/evaluate/ranking-measures.ts'

/** Measures of the queries that callers judged, on the index that they searched. */
export interface FeedbackReplay {
  queries: number
  /**
   * Number of topics without a query, which can't be searched. Queries of organizations with zero data retention are not
   * stored.
   */
  leftOut: number
  /** Measures by ranking mode, one per query. */
  systems: Map<string, Measures[]>
}

/**
 * Replays an export of feedback: searches each query again, as of the moment of its judgment, and measures the results.
 *
 * @param qrels - a file written by `asof feedback export --out`; its topics are beside it, in `<qrels>.topics.jsonl`.
 * @param data - the data folder that the feedback is about; no server may have it open.
 */
export async function replayFeedback(qrels: string, data: string): Promise<FeedbackReplay> {
  const { queries, leftOut } = await readJudgedQueries(`${qrels}.topics.jsonl`, qrels)
  const engine = await open(data, { searchThreads: 0 })
  try {
    const systems = new Map<string, Measures[]>()
    for (const mode of ['realtime', 'pro'] as const)
      systems.set(mode, (await evaluate(engine, queries, { mode, idOf: url => url })).measures)
    return { queries: queries.length, leftOut, systems }
  } finally {
    await engine.close()
  }
}
