import type { SearchAnswer, SearchOptions, SearchResult } from '../engine.ts'
import { isAsofError } from '../errors.ts'
import { ownCapture } from '../history/current-capture.ts'
import type { SearchQueue } from '../scheduling/search-queue.ts'
import { firstResults } from '../search/first-results.ts'
import { meantWords, readRequest, type SearchRequest } from '../search/search-request.ts'
import { joinedWarnings } from '../search/warnings.ts'
import { PageReader } from '../store/records/page-reader.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import type { QueryVectors } from './query-vectors.ts'
import { RERANKED, type Reranking } from './reranking.ts'
import { PASSAGE_UNITS, passageOf } from './text-vectors.ts'

/** The models that take part in a search. */
export interface SearchModels {
  /** Computes the vectors of queries. */
  queries?: QueryVectors | undefined
  reranking?: Reranking | undefined
}

/** The index that is searched. */
export interface SearchedIndex {
  searches: Pick<SearchQueue, 'search'>
  snapshots: Snapshots
}

/**
 * Searches with the help of models: the vector of the query takes part in the ranking, and a reranker orders the first
 * results. If a model fails, the answer is made without it and has a warning that says so.
 */
export class ModelSearch {
  readonly #models: SearchModels
  readonly #index: SearchedIndex

  constructor(models: SearchModels, index: SearchedIndex) {
    this.#models = models
    this.#index = index
  }

  /** See `Engine.search`. */
  async search(query: string, options: SearchOptions): Promise<SearchAnswer> {
    const { searches, snapshots } = this.#index
    const { queries, reranking } = this.#models
    if (options.models === false || !(queries || reranking)) return searches.search(query, options)
    const request = readRequest(query, options, snapshots.currentInstant())
    const words = meantWords(query, request)
    if (words === '') return searches.search(query, options)
    if (!reranking) return this.#byVector(words, query, options)
    const maxResults = Math.max(request.maxResults, RERANKED)
    const answer = await this.#byVector(words, query, { ...options, maxResults })
    return firstResults(await this.#reranked(reranking, words, answer, request), request.maxResults)
  }

  async #byVector(words: string, query: string, options: SearchOptions): Promise<SearchAnswer> {
    const { searches } = this.#index
    const { queries } = this.#models
    if (!queries) return searches.search(query, options)
    try {
      const vector = await queries.of(words)
      return await searches.search(query, options, request => ({ ...request, meaning: queries.meaning(vector) }))
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(await searches.search(query, options), `answered without vectors: ${error.message}`)
    }
  }

  async #reranked(
    reranking: Reranking,
    words: string,
    answer: SearchAnswer,
    { query, sites }: SearchRequest,
  ): Promise<SearchAnswer> {
    const first = answer.results.slice(0, RERANKED)
    if (first.length < 2) return answer
    const texts = await this.#passages(first, answer.receipt.instant)
    const isOnSites = sites.length > 0 || ('sites' in query && query.sites.length > 0)
    try {
      return await reranking.apply(words, answer, { texts, isOnSites })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(answer, `answered without reranking: ${error.message}`)
    }
  }

  /** The texts of results that a reranker receives. For a page that was purged since the search, the title alone. */
  #passages(results: readonly SearchResult[], instant: number): Promise<string[]> {
    return this.#index.snapshots.read(
      () => ({ queryAt: instant }),
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
  return { ...answer, warning: joinedWarnings(answer.warning, warning) ?? warning }
}
