import { type Engine, isAsofError } from '@asof/core'
import type { JudgedQuery } from './judged-queries.ts'
import { DEPTH, type Measures, measure } from './ranking-measures.ts'
import type { TrecRun } from './trec-run.ts'

export type EvaluatedMode = 'realtime' | 'pro' | 'webql'

export interface EvaluationOptions {
  mode: EvaluatedMode
  /** The instant for queries without one of their own; undefined: now. */
  queryTime?: string | undefined
  /** Returns the document id of a result's URL. */
  idOf: (url: string) => string
  run?: TrecRun | undefined
  signal?: AbortSignal | undefined
}

/** A query that the engine rejected, with the reason: for example, it is too long, or not valid in the mode. */
export interface RejectedQuery {
  id: string
  message: string
}

/** The measures of each query. A query that the engine rejected counts as one without results. */
export interface Evaluation {
  measures: Measures[]
  rejected: RejectedQuery[]
}

const NONE: Measures = { 'nDCG@10': 0, MAP: 0, 'MRR@10': 0, 'Recall@100': 0, 'success@1': 0 }

/** Searches every query as of its own instant, and measures the results by its judgments. */
export async function evaluate(
  engine: Engine,
  queries: readonly JudgedQuery[],
  { mode, queryTime, idOf, run, signal }: EvaluationOptions,
): Promise<Evaluation> {
  const measures: Measures[] = []
  const rejected: RejectedQuery[] = []
  for (const { id, text, grades, queryTime: own } of queries) {
    signal?.throwIfAborted()
    const at = own ?? queryTime
    try {
      const options = { mode, maxResults: DEPTH, snippetMaxLength: 0, queryTime: at }
      const { results } = await engine.search(text, options)
      const ranked = results.map(({ url, score }) => ({ id: idOf(url), score }))
      await run?.add(id, ranked)
      measures.push(
        measure(
          ranked.map(document => document.id),
          grades,
        ),
      )
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_QUERY')) throw error
      rejected.push({ id, message: error.message })
      measures.push(NONE)
    }
  }
  return { measures, rejected }
}
