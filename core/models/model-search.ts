import { isAsofError } from '../errors.ts'
import { ownCapture } from '../history/current-capture.ts'
import type { SearchQueue } from '../scheduling/search-queue.ts'
import { firstResults } from '../search/first-results.ts'
import { isRestrictedToSites, type ParsedSearch, wordsForModels } from '../search/parse-search.ts'
import { resolveSearch } from '../search/resolve-search.ts'
import type { SearchAnswer, SearchResult } from '../search-answer.ts'
import { PageReader } from '../store/records/page-reader.ts'
import type { SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { QueryVectors } from './query-vectors.ts'
import { RERANKED, type Reranking } from './reranking.ts'
import { PASSAGE_UNITS, passageOf } from './text-vectors.ts'

/** The models that searches use. */
export interface SearchModels {
  /** Computes the vectors of queries. */
  queries?: QueryVectors | undefined
  reranking?: Reranking | undefined
}

/** The index that is searched. */
export interface SearchedIndex {
  searches: Pick<SearchQueue, 'search'>
  reads: SnapshotReads
}

/**
 * Searches with the help of models. The vector of the query contributes to the ranking, and a reranker orders the first
 * results. If a model fails, the answer is made without the model and has a warning.
 */
export class ModelSearch {
  readonly #models: SearchModels
  readonly #index: SearchedIndex

  constructor(models: SearchModels, index: SearchedIndex) {
    this.#models = models
    this.#index = index
  }

  /** Returns the same search over other reads of the index. */
  reading(reads: SnapshotReads): ModelSearch {
    return new ModelSearch(this.#models, { ...this.#index, reads })
  }

  /**
   * See `Engine.search`.
   *
   * @param useModels - false if the search must not use models.
   */
  async search(parsed: ParsedSearch, useModels: boolean): Promise<SearchAnswer> {
    const { searches, reads } = this.#index
    const { queries, reranking } = this.#models
    const words = useModels && (queries || reranking) ? wordsForModels(parsed) : ''
    if (words === '') return searches.search(parsed, reads)
    // Invalid times are rejected before a model is called.
    resolveSearch(parsed, reads.currentInstant())
    if (!reranking) return this.#byVector(words, parsed)
    const { maxResults, listing } = parsed
    const skipped = listing?.paging.offset ?? 0
    // A page behind the results that are reranked is the same without reranking.
    if (skipped >= RERANKED) return this.#byVector(words, parsed)
    const answer = await this.#byVector(words, {
      ...parsed,
      maxResults: Math.max(skipped + maxResults, RERANKED),
      listing: listing && { ...listing, paging: { ...listing.paging, offset: 0 } },
    })
    return firstResults(await this.#rerank(reranking, words, answer, parsed), maxResults, skipped)
  }

  async #byVector(words: string, parsed: ParsedSearch): Promise<SearchAnswer> {
    const { searches, reads } = this.#index
    const { queries } = this.#models
    if (!queries?.mayCompare(words, parsed.language)) return searches.search(parsed, reads)
    try {
      const vector = await queries.of(words)
      return await searches.search(parsed, reads, request => ({ ...request, meaning: queries.meaning(vector) }))
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(await searches.search(parsed, reads), `answered without vectors: ${error.message}`)
    }
  }

  async #rerank(
    reranking: Reranking,
    words: string,
    answer: SearchAnswer,
    parsed: ParsedSearch,
  ): Promise<SearchAnswer> {
    const first = answer.results.slice(0, RERANKED)
    if (first.length < 2) return answer
    const texts = await this.#passages(first, answer.receipt.instant)
    const isOnSites = isRestrictedToSites(parsed)
    try {
      return await reranking.apply(words, answer, { texts, isOnSites })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(answer, `answered without reranking: ${error.message}`)
    }
  }

  /**
   * Returns the texts of results for a reranker. The text of a page that was purged after the search is only its title.
   */
  #passages(results: readonly SearchResult[], instant: number): Promise<string[]> {
    return this.#index.reads.read(
      () => ({ instant }),
      (_, snapshot) => {
        const pages = new PageReader(snapshot.store)
        return results.map(({ url, title }) => {
          const current = ownCapture(url, snapshot)
          return passageOf(title, current ? pages.beginning(current.captureId, PASSAGE_UNITS) : '')
        })
      },
    )
  }
}

function withWarning(answer: SearchAnswer, warning: string): SearchAnswer {
  return { ...answer, warning: answer.warning === undefined ? warning : `${answer.warning}; ${warning}` }
}
