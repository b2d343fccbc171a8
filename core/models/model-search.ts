import { isAsofError } from '@asof/extract/errors'
import { ownCapture } from '../history/current-capture.ts'
import { warningsOf } from '../search/answer-warnings.ts'
import { firstResults } from '../search/first-results.ts'
import { isRestrictedToSites, type ParsedSearch, wordsForModels } from '../search/parse-search.ts'
import type { SearchAnswer, SearchResult } from '../search/search-answer.ts'
import { UntimedSearch } from '../search/untimed-search.ts'
import { PageReader } from '../store/records/page-reader.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { QueryVectors } from './query-vectors.ts'
import { RERANKED, type Reranking } from './reranking.ts'
import { PASSAGE_UNITS, passageOf } from './text-vectors.ts'

/** The models that searches use. */
export interface SearchModels {
  /** Computes the vectors of queries. */
  queries?: QueryVectors | undefined
  reranking?: Reranking | undefined
}

/** An answer with reads of the pages that it was made from. */
export interface ReadableAnswer {
  answer: SearchAnswer
  /** Reads the index as of the instant of the answer. */
  read: <T>(work: (snapshot: Snapshot) => T) => T | Promise<T>
}

/** The index that is searched. */
export interface SearchedIndex {
  /** Rejects a search with invalid times before a model is called. @throws ASOF_INVALID_TIME */
  expectTimes(request: UntimedSearch): void | Promise<void>
  /** Searches without models. */
  search(request: UntimedSearch): Promise<ReadableAnswer>
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

  /**
   * Answers a search, see `Engine.search`.
   *
   * @param useModels - false if the search must not use models.
   */
  async search(parsed: ParsedSearch, useModels: boolean): Promise<SearchAnswer> {
    return (await this.searchReadable(parsed, useModels)).answer
  }

  /** Answers a search like {@link search}, and returns the answer with reads of its pages. */
  async searchReadable(parsed: ParsedSearch, useModels: boolean): Promise<ReadableAnswer> {
    const { queries, reranking } = this.#models
    const words = useModels && (queries || reranking) ? wordsForModels(parsed) : ''
    if (words === '') return this.#index.search(new UntimedSearch(parsed))
    await this.#index.expectTimes(new UntimedSearch(parsed))
    const { maxResults, listing } = parsed
    const skipped = listing?.paging.offset ?? 0
    // The reranker orders only the first results. A part of the results that begins behind them does not depend on it.
    if (!reranking || skipped >= RERANKED) return this.#byVector(words, parsed)
    const found = await this.#byVector(words, {
      ...parsed,
      maxResults: Math.max(skipped + maxResults, RERANKED),
      listing: listing && { ...listing, paging: { ...listing.paging, offset: 0 } },
    })
    const reranked = await this.#rerank(reranking, words, found, parsed)
    return { answer: firstResults(reranked, maxResults, skipped), read: found.read }
  }

  async #byVector(words: string, parsed: ParsedSearch): Promise<ReadableAnswer> {
    const { queries } = this.#models
    if (!queries?.mayCompare(words, parsed.language)) return this.#index.search(new UntimedSearch(parsed))
    try {
      const vector = await queries.of(words)
      return await this.#index.search(
        new UntimedSearch(parsed, resolved => ({ ...resolved, meaning: queries.meaning(vector) })),
      )
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      const { answer, read } = await this.#index.search(new UntimedSearch(parsed))
      return { answer: withWarning(answer, `answered without vectors: ${error.message}`), read }
    }
  }

  async #rerank(
    reranking: Reranking,
    words: string,
    { answer, read }: ReadableAnswer,
    parsed: ParsedSearch,
  ): Promise<SearchAnswer> {
    const first = answer.results.slice(0, RERANKED)
    if (first.length < 2) return answer
    const texts = await read(snapshot => passagesOf(first, snapshot))
    const isOnSites = isRestrictedToSites(parsed)
    try {
      return await reranking.apply(words, answer, { texts, isOnSites })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_MODEL_FAILED')) throw error
      return withWarning(answer, `answered without reranking: ${error.message}`)
    }
  }
}

/** Returns the texts of results for a reranker. The text of a page that was purged after the search is only its title. */
function passagesOf(results: readonly SearchResult[], snapshot: Snapshot): string[] {
  const pages = new PageReader(snapshot.store)
  return results.map(({ url, title }) => {
    const current = ownCapture(url, snapshot)
    return passageOf(title, current ? pages.beginning(current.captureId, PASSAGE_UNITS) : '')
  })
}

function withWarning({ warnings = [], ...answer }: SearchAnswer, text: string): SearchAnswer {
  return { ...answer, ...warningsOf([...warnings, { code: 'model', text }]) }
}
