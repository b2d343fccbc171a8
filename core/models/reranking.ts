import { AsofError } from '@asof/extract/errors'
import { shareByHosts } from '../search/rerank/host-share.ts'
import { proProfile } from '../search/rerank/ranking-profiles.ts'
import { standardDeviation } from '../search/rerank/standard-deviation.ts'
import type { ScorePart, SearchAnswer, SearchResult } from '../search/search-answer.ts'
import { hostOf } from '../url.ts'
import type { Reranker } from './embedder.ts'
import { ModelCalls } from './model-calls.ts'

/** Number of first results that a reranker reads. */
export const RERANKED = 25
/** Maximum time that a search waits for the reranker, milliseconds. */
const TIMEOUT_MS = 3000
/**
 * Weight of the model. One standard deviation of its relevance counts as this many standard deviations of the scores.
 * The model reads query and text together, so it outweighs all other signals. The others decide between results of
 * similar relevance.
 */
const WEIGHT = 3
/** Scores are rounded to multiples of 1 / SCALE. SCALE is a power of two, so that the parts add up exactly. */
const SCALE = 2 ** 20

interface Reranked {
  result: SearchResult
  parts: ScorePart[] | undefined
}

/** Orders the first results of answers with a reranking model. */
export class Reranking {
  readonly #reranker: Reranker
  readonly #calls: ModelCalls

  constructor(reranker: Reranker, closing: AbortSignal) {
    this.#reranker = reranker
    this.#calls = new ModelCalls({ name: 'the reranking model', timeoutMs: TIMEOUT_MS, closing })
  }

  /**
   * Returns the answer with its first {@link RERANKED} results in their new order. Limits how many of the first results
   * come from one host.
   *
   * @param options.texts - the texts of the first results, in order.
   * @param options.isOnSites - true if the search was limited to sites. Then the results of a host are not limited.
   * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
   */
  async apply(
    query: string,
    answer: SearchAnswer,
    { texts, isOnSites }: { texts: readonly string[]; isOnSites: boolean },
  ): Promise<SearchAnswer> {
    const { results, explain, receipt } = answer
    const relevance = await this.#calls.run(async signal => {
      const scores = await this.#reranker.rerank(query, texts, { signal })
      if (scores.length !== texts.length || !scores.every(Number.isFinite))
        throw new AsofError(
          'ASOF_MODEL_FAILED',
          `it must return ${texts.length} finite numbers for ${texts.length} texts`,
        )
      return scores
    })
    const read = results.slice(0, texts.length)
    const added = relevanceParts(
      relevance,
      read.map(({ score }) => score),
    )
    const first = read.map((result, r): Reranked => {
      const { part, score } = added[r]!
      const parts = explain?.scores[r]
      return { result: { ...result, score: result.score + score }, parts: parts && [...parts, part] }
    })
    first.sort((a, b) => b.result.score - a.result.score)
    const shared = shareByHosts(first, ({ result }) => (isOnSites ? '' : hostOf(result.url)), proProfile.hostShare)
    const rest = results.slice(texts.length).map((result, r): Reranked => {
      return { result, parts: explain?.scores[texts.length + r] }
    })
    const all = [...shared, ...rest]
    return {
      ...answer,
      results: all.map(({ result }) => result),
      receipt: { ...receipt, reranker: this.#reranker.model },
      explain: explain && { ...explain, scores: all.map(({ parts = [] }) => parts) },
    }
  }
}

/**
 * Returns what the relevance of each result adds to its score. It is never negative. So the results that the reranker
 * read stay ahead of those that it did not read.
 */
function relevanceParts(relevance: readonly number[], scores: readonly number[]): { part: ScorePart; score: number }[] {
  const least = Math.min(...relevance)
  const deviation = standardDeviation(relevance)
  const weight = deviation === 0 ? 0 : (WEIGHT * (standardDeviation(scores) || 1)) / deviation
  return relevance.map(one => {
    const value = one - least
    const score = Math.round(weight * value * SCALE) / SCALE
    return { part: { signal: 'reranker', weight, value, score }, score }
  })
}
