import type { ScorePart, SearchAnswer, SearchResult } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { Reranker } from '../models/embedder.ts'
import { ModelCalls } from '../models/model-calls.ts'
import { sharedByHosts } from '../search/rerank/host-share.ts'
import { proProfile } from '../search/rerank/ranking-profiles.ts'
import { standardDeviation } from '../search/rerank/standard-deviation.ts'
import { hostOf } from '../url.ts'

/** The best so many are read by a reranker. */
export const RERANKED = 25
/** A search waits no longer for it; milliseconds. */
const TIMEOUT_MS = 3000
/**
 * What one standard deviation of relevance is worth, in those of the scores. A reader of both texts knows better than all
 * signals together, which settle what it finds alike.
 */
const WEIGHT = 3
/** What a score is rounded to: a power of two, so that parts still add up exactly. */
const SCALE = 2 ** 20

interface Reranked {
  result: SearchResult
  parts: ScorePart[] | undefined
}

/** Has a model put the first results of answers in order. */
export class Reranking {
  readonly #reranker: Reranker
  readonly #calls: ModelCalls

  constructor(reranker: Reranker, closing: AbortSignal) {
    this.#reranker = reranker
    this.#calls = new ModelCalls({ name: 'the reranking model', timeoutMs: TIMEOUT_MS, closing })
  }

  /**
   * The answer with its first {@link RERANKED} results in their new order, no host crowding out the others.
   *
   * @param options.texts - of those results, in their order.
   * @param options.isOnSites - whether the search was limited to sites: then hosts are as they come.
   * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
   */
  async apply(
    query: string,
    answer: SearchAnswer,
    { texts, isOnSites }: { texts: readonly string[]; isOnSites: boolean },
  ): Promise<SearchAnswer> {
    const { results, explain, receipt } = answer
    const relevance = await this.#calls.run(async signal => {
      const told = await this.#reranker.rerank(query, texts, { signal })
      if (told.length !== texts.length || !told.every(Number.isFinite))
        throw new AsofError(
          'ASOF_MODEL_FAILED',
          `it answered ${texts.length} texts with something else than as many numbers`,
        )
      return told
    })
    const added = relevanceParts(
      relevance,
      results.slice(0, texts.length).map(({ score }) => score),
    )
    const first = added.map(({ part, score }, r): Reranked => {
      const parts = explain?.scores[r]
      return { result: { ...results[r], score: results[r].score + score }, parts: parts && [...parts, part] }
    })
    first.sort((a, b) => b.result.score - a.result.score)
    const shared = sharedByHosts(first, ({ result }) => (isOnSites ? '' : hostOf(result.url)), proProfile.hostShare)
    const rest = results.slice(texts.length).map((result, r): Reranked => {
      return { result, parts: explain?.scores[texts.length + r] }
    })
    const all = [...shared, ...rest]
    return {
      ...answer,
      results: all.map(({ result }) => result),
      receipt: { ...receipt, reranker: this.#reranker.model },
      ...(explain && { explain: { ...explain, scores: all.map(({ parts = [] }) => parts) } }),
    }
  }
}

/** What each relevance adds to a score: never below 0, so that those behind stay behind. */
function relevanceParts(relevance: readonly number[], scores: readonly number[]): { part: ScorePart; score: number }[] {
  const least = Math.min(...relevance)
  const deviation = standardDeviation(relevance)
  const weight = deviation === 0 ? 0 : (WEIGHT * (standardDeviation(scores) || 1)) / deviation
  return relevance.map(told => {
    const value = told - least
    const score = Math.round(weight * value * SCALE) / SCALE
    return { part: { signal: 'reranker', weight, value, score }, score }
  })
}
