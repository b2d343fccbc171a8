import { AsofError, type Engine, isAsofError } from '@asof/core'
import type { JudgedQuery } from './judged-queries.ts'
import { DEPTH, type Measures, measure } from './ranking-measures.ts'
import { type TrecRun, trecName } from './trec-run.ts'

export type EvaluatedMode = 'realtime' | 'pro' | 'webql'

export interface EvaluationOptions {
  mode: EvaluatedMode
  /** The instant for queries without one. Default now. */
  queryTime?: string | undefined
  /** Returns the id of a document from the URL of a result. */
  idOf: (url: string) => string
  run?: TrecRun | undefined
  signal?: AbortSignal | undefined
}

/** A query that the engine rejected and why, for example because it is too long or not valid in the mode. */
export interface RejectedQuery {
  id: string
  message: string
}

/** The measures of each query, in the order of the queries. A rejected query counts as one without results. */
export interface Evaluation {
  measures: Measures[]
  rejected: RejectedQuery[]
}

const NONE: Measures = { 'nDCG@10': 0, MAP: 0, 'MRR@10': 0, 'Recall@100': 0, 'success@1': 0 }

/**
 * Searches every query as of its instant, and measures the results against its judgments.
 *
 * @throws ASOF_MODEL_FAILED - a query was answered without a model that the engine has.
 */
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
      const { results, warnings = [] } = await engine.search(text, options)
      // Answers with and without a model must not be counted together.
      const failed = warnings.find(({ code }) => code === 'model')
      if (failed) throw new AsofError('ASOF_MODEL_FAILED', `query ${id} was ${failed.text}`)
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

/**
 * Measures a run that was read from a file. A query that the run does not have counts as one without results.
 *
 * @param run - see `readTrecRun`.
 */
export function evaluateRun(run: ReadonlyMap<string, readonly string[]>, queries: readonly JudgedQuery[]): Measures[] {
  return queries.map(({ id, grades }) => {
    const named = new Map([...grades].map(([document, grade]) => [trecName(document), grade]))
    return measure(run.get(id) ?? [], named)
  })
}
