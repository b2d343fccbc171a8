import type { SearchAnswer, SearchOptions, SearchResult } from '../engine.ts'
import { isAsofError } from '../errors.ts'
import { currentUnder } from '../history/current-capture.ts'
import type { IndexWriter } from '../ingest/index-writer.ts'
import { firstResults } from '../search/first-results.ts'
import { meantWords, readRequest, type SearchRequest } from '../search/search-request.ts'
import { joinedWarnings } from '../search/warnings.ts'
import { PageReader } from '../store/records/page-reader.ts'
import type { Store } from '../store/store.ts'
import type { QueryVectors } from '../vectors/query-vectors.ts'
import { PASSAGE_UNITS, passageOf } from '../vectors/text-vectors.ts'
import { RERANKED, type Reranking } from './reranking.ts'
import type { SearchQueue } from './search-queue.ts'

/** The models that take part in a search. */
export interface SearchModels {
  /** What a query means, as vectors. */
  queries?: QueryVectors
  reranking?: Reranking
}

/** What is searched. */
export interface SearchedIndex {
  searches: Pick<SearchQueue, 'search'>
  writer: Pick<IndexWriter, 'read' | 'currentInstant'>
  store: Store
  /** @throws ASOF_CLOSED */
  mustBeOpen: () => void
}

/**
 * Searches with what models tell: vectors of the query take part in the ranking, and a reranker puts the first results in
 * order. One that fails leaves the answer without its part, and with a warning that says so.
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
    const { searches, writer } = this.#index
    const { queries, reranking } = this.#models
    if (options.models === false || !(queries || reranking)) return searches.search(query, options)
    const request = readRequest(query, options, writer.currentInstant())
    const words = meantWords(query, request)
    if (words === '') return searches.search(query, options)
    if (!reranking) return this.#byMeaning(words, query, options)
    const most = Math.max(request.maxResults, RERANKED)
    const answer = await this.#byMeaning(words, query, { ...options, maxResults: most })
    return firstResults(await this.#reranked(reranking, words, answer, request), request.maxResults)
  }

  async #byMeaning(words: string, query: string, options: SearchOptions): Promise<SearchAnswer> {
    const { searches } = this.#index
    const { queries } = this.#models
    if (!queries) return searches.search(query, options)
    try {
      const vector = await queries.of(words)
      return await searches.search(query, options, asked => ({ ...asked, meaning: queries.meaning(vector) }))
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

  /** What models are given of results: of one that was purged since they were found no more than its title. */
  #passages(results: readonly SearchResult[], instant: number): Promise<string[]> {
    const { writer, store, mustBeOpen } = this.#index
    return writer.read(
      () => ({ queryAt: instant }),
      (_, reading) => {
        mustBeOpen()
        const pages = new PageReader(store)
        return results.map(({ url, title }) => {
          const current = currentUnder(url, { ...reading, store })
          return passageOf(title, current ? pages.beginning(current.captureId, PASSAGE_UNITS) : '')
        })
      },
    )
  }
}

function withWarning(answer: SearchAnswer, warning: string): SearchAnswer {
  return { ...answer, warning: joinedWarnings(answer.warning, warning) ?? warning }
}
