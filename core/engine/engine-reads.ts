import { resolveTimes } from '../dates/resolve-times.ts'
import type { ExportOptions, ExportSlice } from '../history/history-export.ts'
import { readExportRange } from '../history/history-export.ts'
import type { HistoryOptions, HistorySlice, PageOptions, PageVersion, Timeline } from '../history/page-version.ts'
import { readHistory, readPage, readTimeline } from '../history/read-history.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import { ModelSearch, type SearchModels } from '../models/model-search.ts'
import type { Observation, Page, TimeInput } from '../page.ts'
import { findPassages, readBudget, searchForPassages } from '../passages/find-passages.ts'
import type { PassagesAnswer, PassagesOptions } from '../passages/passages-answer.ts'
import { addPassages, readWantedPassages, searchForResultPassages } from '../passages/result-passages.ts'
import type { QuoteToVerify, QuoteVerdict } from '../quotes/quote-verdict.ts'
import { verifyAll } from '../quotes/verify-quotes.ts'
import type { RelevanceAsOf, RelevanceOptions } from '../relevance/relevance.ts'
import { FieldLists } from '../search/fields/field-lists.ts'
import type { FieldAsOf, FieldsOptions } from '../search/fields/fields-as-of.ts'
import { checkMaxExamples, FIELD_EXAMPLES, fieldsAsOf } from '../search/fields/fields-as-of.ts'
import { parseSearch } from '../search/parse-search.ts'
import type { SearchAnswer, SearchOptions } from '../search/search-answer.ts'
import { UntimedSearch } from '../search/untimed-search.ts'
import type { QueryTree } from '../search/webql/query-tree.ts'
import { type CaptureHistogram, checkMaxBins } from '../store/snapshots/capture-histogram.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import type { Suggestion, SuggestOptions } from '../suggest/suggestion.ts'
import type { Reads } from './engine.ts'
import type { InstantOf, ReadableIndex } from './engine-index.ts'
import {
  readExportOptions,
  readFieldsOptions,
  readHistogramOptions,
  readHistoryOptions,
  readPageOptions,
  readPassagesOptions,
  readRelevanceOptions,
  readSearchOptions,
  readSuggestOptions,
} from './engine-options.ts'
import { everyObservation, everyVersion } from './every-slice.ts'
import { refuseWrites } from './refused-writes.ts'

/** The reads of an engine over any index. Each method checks its options and then reads the index. */
export class EngineReads implements Reads {
  readonly #index: ReadableIndex
  readonly #models: SearchModels
  readonly #modelSearch: ModelSearch
  readonly #fieldLists: FieldLists

  constructor(index: ReadableIndex, models: SearchModels, fieldLists = new FieldLists()) {
    this.#index = index
    this.#models = models
    this.#modelSearch = new ModelSearch(models, index)
    this.#fieldLists = fieldLists
  }

  async search(query: string | QueryTree, options?: SearchOptions): Promise<SearchAnswer> {
    this.#index.expectOpen()
    const { passages, ...read } = readSearchOptions(options)
    const useModels = read.models !== false
    if (passages === undefined) return this.#modelSearch.search(parseSearch(query, read), useModels)
    const wanted = readWantedPassages(passages)
    const parsed = searchForResultPassages(parseSearch(query, read))
    return addPassages(await this.#modelSearch.searchReadable(parsed, useModels), wanted)
  }

  async passages(query: string | QueryTree, options?: PassagesOptions): Promise<PassagesAnswer> {
    this.#index.expectOpen()
    const { maxChars, maxTokens, maxPerPage, ...search } = readPassagesOptions(options)
    const budget = readBudget({ maxChars, maxTokens, maxPerPage })
    const parsed = searchForPassages(parseSearch(query, search))
    return findPassages(await this.#modelSearch.searchReadable(parsed, search.models !== false), budget)
  }

  async check(query: string | QueryTree, options?: SearchOptions): Promise<void> {
    const { passages, ...read } = readSearchOptions(options)
    if (passages !== undefined) readWantedPassages(passages)
    await this.#openIndex().expectTimes(new UntimedSearch(parseSearch(query, read)))
  }

  async suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]> {
    const index = this.#openIndex()
    const { maxResults = 10, queryTime } = readSuggestOptions(options)
    return index.suggest(text, { maxResults, instantOf: instantOf(queryTime) })
  }

  async relevance(options?: RelevanceOptions): Promise<RelevanceAsOf> {
    const index = this.#openIndex()
    const { queryTime } = readRelevanceOptions(options)
    return structuredClone(await index.relevance(instantOf(queryTime))) ?? { relevance: {} }
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    const index = this.#openIndex()
    const read = readPageOptions(options)
    return index.readPages([url], [instantOf(read.queryTime)], reads => readPage(url, read, reads))
  }

  async history(url: string, options?: HistoryOptions): Promise<HistorySlice> {
    const index = this.#openIndex()
    const read = readHistoryOptions(options)
    return index.readPages([url], [instantOf(read.queryTime)], reads => readHistory(url, read, reads))
  }

  versions(url: string, options?: Pick<HistoryOptions, 'queryTime'>): AsyncIterable<PageVersion> {
    return everyVersion(this, url, options)
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#openIndex().readPages([url], [instantOf(undefined)], reads => readTimeline(url, reads))
  }

  async verify(quote: QuoteToVerify): Promise<QuoteVerdict> {
    const [verdict] = await this.verifyAll([quote])
    return verdict!
  }

  async verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]> {
    const index = this.#openIndex()
    // Entries that are no quotes are left out here. `verifyAll` below rejects them.
    const readable = Array.isArray(quotes) ? quotes.filter(quote => typeof quote?.url === 'string') : []
    const urls = readable.map(({ url }) => url)
    const instants = readable.map(({ queryTime }) => instantOf(queryTime))
    return index.readPages(urls, instants, reads => verifyAll(quotes, reads))
  }

  async export(options?: ExportOptions): Promise<ExportSlice> {
    return this.#openIndex().export(readExportRange(readExportOptions(options)))
  }

  exportAll(): AsyncIterable<Observation> {
    return everyObservation(this)
  }

  async captureHistogram(options?: { maxBins?: number }): Promise<CaptureHistogram> {
    const index = this.#openIndex()
    const { maxBins = 400 } = readHistogramOptions(options)
    checkMaxBins(maxBins)
    return index.captureHistogram(maxBins)
  }

  async fields(options?: FieldsOptions): Promise<FieldAsOf[]> {
    const index = this.#openIndex()
    const { queryTime, maxExamples = FIELD_EXAMPLES.default } = readFieldsOptions(options)
    checkMaxExamples(maxExamples)
    const { instant, state, types } = await index.fields(instantOf(queryTime))
    const list = async (): Promise<FieldAsOf[]> =>
      fieldsAsOf({ instant, types: await types() }, maxExamples, found =>
        this.#modelSearch.search(parseSearch('', found), false),
      )
    return state === undefined ? list() : this.#fieldLists.get(`${state} ${maxExamples}`, list)
  }

  async stats(): Promise<EngineStats> {
    // An index grows with what comes later, so a sealed engine says nothing about its size.
    return this.#openIndex().countCaptures()
  }

  sealed(at: TimeInput): Reads {
    const index = this.#openIndex().sealed(latestAt => declaredInstant(at, 'at', latestAt))
    return refuseWrites(new EngineReads(index, this.#models, this.#fieldLists), index.sealedAt)
  }

  /** @throws ASOF_CLOSED */
  #openIndex(): ReadableIndex {
    this.#index.expectOpen()
    return this.#index
  }
}

/** Returns a function that resolves a `queryTime` when the time of the request is known. Undefined means now. */
function instantOf(queryTime: TimeInput | undefined): InstantOf {
  return requestedAt => resolveTimes({ queryTime }, requestedAt).queryTime
}
