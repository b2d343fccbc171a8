import type { SearchAnswer, SearchResult } from '../engine.ts'
import { isAsofError } from '../errors.ts'
import { currentUnder } from '../history/current-capture.ts'
import type { IndexWriter } from '../ingest/index-writer.ts'
import { firstResults } from '../search/first-results.ts'
import { isRestrictedToSites, type ParsedSearch, resolveSearch, wordsForModels } from '../search/search-request.ts'
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

  /** See `Engine.search`. @param useModels - false for a search that no model may take part in. */
  async search(parsed: ParsedSearch, useModels: boolean): Promise<SearchAnswer> {
    const { searches, writer } = this.#index
    const { queries, reranking } = this.#models
    const words = useModels && (queries || reranking) ? wordsForModels(parsed) : ''
    if (words === '') return searches.search(parsed)
    // Rejects a request with invalid times before a model is called for it.
    resolveSearch(parsed, writer.currentInstant())
    if (!reranking) return this.#byMeaning(words, parsed)
    const { maxResults } = parsed
    const answer = await this.#byMeaning(words, { ...parsed, maxResults: Math.max(maxResults, RERANKED) })
    return firstResults(await this.#reranked(reranking, words, answer, parsed), maxResults)
  }

  async #byMeaning(words: string, parsed: ParsedSearch): Promise<SearchAnswer> {
    const { searches } = this.#index
    const { queries } = this.#models
    if (!queries) return searches.search(parsed)
    try {
      const vector = await queries.of(words)
      return await searches.search(parsed, request => ({ ...request, meaning: queries.meaning(vector) }))
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(await searches.search(parsed), `answered without vectors: ${error.message}`)
    }
  }

  async #reranked(
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
