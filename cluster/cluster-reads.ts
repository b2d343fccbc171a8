import type {
  CaptureHistogram,
  EngineStats,
  ExportOptions,
  ExportPart,
  FieldAsOf,
  FieldsOptions,
  HistoryOptions,
  HistoryPart,
  Page,
  PageOptions,
  QuoteToVerify,
  QuoteVerdict,
  RelevanceAsOf,
  RelevanceOptions,
  SearchAnswer,
  SearchOptions,
  Suggestion,
  SuggestOptions,
  TimeInput,
  Timeline,
} from '@asof/core'
import {
  checkMaxExamples,
  FIELD_EXAMPLES,
  fieldsAsOf,
  HistoryReader,
  loadPages,
  ModelSearch,
  normalizeUrl,
  PartialIndex,
  PartialReads,
  parseSearch,
  type ReadMethods,
  readExportOptions,
  readFieldsOptions,
  readHistogramOptions,
  readHistoryOptions,
  readPageOptions,
  readRelevanceOptions,
  readSearchOptions,
  readSuggestOptions,
  resolveSearch,
  verifyAll,
} from '@asof/core/internal'
import type { ClusterParts } from './cluster-parts.ts'
import { clockIn } from './database.ts'
import type { Moments } from './moments.ts'
import { unsupported } from './not-answered.ts'
import { clusterSearches } from './search/cluster-search.ts'
import { withinTime } from './search/search-limit.ts'
import { clusterPages } from './search/suggested-pages.ts'
import { nameServerFailures } from './server-failures.ts'
import { countCaptures, histogramOf } from './stored/captures-by-time.ts'
import { exportOf } from './stored/export-pages.ts'
import { fieldsUpTo } from './stored/field-holders.ts'

/** What a read of some pages uses. */
interface PageReads {
  reads: PartialReads
  history: HistoryReader
}

/** The reads of an engine over a cluster, as the clock goes or as of a seal. */
export abstract class ClusterReads implements ReadMethods {
  protected readonly parts: ClusterParts
  protected readonly moments: Moments
  readonly #modelSearch: ModelSearch

  protected constructor(parts: ClusterParts, moments: Moments) {
    this.parts = parts
    this.moments = moments
    this.#modelSearch = new ModelSearch(parts.models, clusterSearches(parts, moments))
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    this.parts.expectOpen()
    const read = readSearchOptions(options)
    return this.#modelSearch.search(parseSearch(query, read), read.models !== false)
  }

  async check(query: string, options?: SearchOptions): Promise<void> {
    this.parts.expectOpen()
    const parsed = parseSearch(query, readSearchOptions(options))
    resolveSearch(parsed, (await this.moments.request()).requestAt)
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    const read = readPageOptions(options)
    return this.#readPages([url], [read.queryTime], ({ history }) => history.page(url, read))
  }

  async history(url: string, options?: HistoryOptions): Promise<HistoryPart> {
    const read = readHistoryOptions(options)
    return this.#readPages([url], [read.queryTime], ({ history }) => history.history(url, read))
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#readPages([url], [], ({ history }) => history.timeline(url))
  }

  async verify(quote: QuoteToVerify): Promise<QuoteVerdict> {
    const [verdict] = await this.verifyAll([quote])
    return verdict!
  }

  async verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]> {
    this.parts.expectOpen()
    const list = Array.isArray(quotes) ? quotes.filter(quote => typeof quote?.url === 'string') : []
    const urls = list.map(({ url }) => url)
    const times = list.map(({ queryTime }) => queryTime)
    return this.#readPages(urls, times, ({ reads }) => verifyAll(quotes, reads))
  }

  /** Brings URLs into memory and reads them there. */
  async #readPages<T>(
    urls: readonly string[],
    times: readonly (TimeInput | undefined)[],
    work: (reads: PageReads) => Promise<T>,
  ): Promise<T> {
    const request = await this.moments.request()
    const { instant } = await this.moments.latestOf(times, request)
    const normal = urls.map(url => normalizeUrl(url))
    const part = await this.parts.database.reading(async tx => {
      const loaded = new PartialIndex(await clockIn(tx))
      await loadPages(loaded, normal, this.parts.database.pages(tx))
      return loaded
    })
    const reads = new PartialReads(part, {
      requestAt: request.requestAt,
      instant,
      sealedAt: this.moments.sealedAt,
    })
    return work({ reads, history: new HistoryReader(part.store, reads) })
  }

  async relevance(options?: RelevanceOptions): Promise<RelevanceAsOf> {
    this.parts.expectOpen()
    const { queryTime } = readRelevanceOptions(options)
    const { instant, clock } = await this.moments.latestOf([queryTime], await this.moments.request())
    return structuredClone(await this.parts.relevance.at(instant, clock)) ?? { relevance: {} }
  }

  async captureHistogram(options?: { maxBins?: number }): Promise<CaptureHistogram> {
    this.parts.expectOpen()
    const { maxBins = 400 } = readHistogramOptions(options)
    await this.moments.request()
    return this.parts.database.reading(tx => histogramOf(tx, this.moments.sealedAt, maxBins))
  }

  async fields(options?: FieldsOptions): Promise<FieldAsOf[]> {
    this.parts.expectOpen()
    const { queryTime, maxExamples = FIELD_EXAMPLES.default } = readFieldsOptions(options)
    checkMaxExamples(maxExamples)
    const { instant } = await this.moments.latestOf([queryTime], await this.moments.request())
    const types = await this.parts.database.read(sql => fieldsUpTo(sql, instant))
    return fieldsAsOf({ instant, types }, maxExamples, found => this.#modelSearch.search(parseSearch('', found), false))
  }

  async suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]> {
    this.parts.expectOpen()
    const { maxResults = 10, queryTime } = readSuggestOptions(options)
    const pages = clusterPages(this.parts, this.moments)
    return withinTime(this.parts.searchTimeoutMs, () =>
      this.parts.suggester.suggest(text, { maxResults, queryTime }, pages),
    )
  }

  async export(options?: ExportOptions): Promise<ExportPart> {
    this.parts.expectOpen()
    const read = readExportOptions(options)
    const { instant } = await this.moments.moment(undefined, await this.moments.request())
    return exportOf(this.parts.database, read, instant)
  }

  /** The figures of the captures up to the seal. */
  protected async captureStats(): Promise<Pick<EngineStats, 'captures' | 'urls' | 'oldest' | 'newest'>> {
    await this.moments.request()
    return this.parts.database.reading(tx => countCaptures(tx, this.moments.sealedAt))
  }

  protected lacks(what: string, does: string): Error {
    this.parts.expectOpen()
    return unsupported(what, `a cluster ${does}`)
  }
}

nameServerFailures(ClusterReads)
