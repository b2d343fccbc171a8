import { resolveTimes } from '../dates/resolve-times.ts'
import type { FieldType } from '../fields/field-values.ts'
import type { ExportOptions, ExportPart } from '../history/history-export.ts'
import type { HistoryReader } from '../history/history-reader.ts'
import type { HistoryOptions, HistoryPart, PageOptions, Timeline } from '../history/page-version.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import type { ModelSearch } from '../models/model-search.ts'
import type { Page, TimeInput } from '../page.ts'
import { viewsAt } from '../postings/segment-view.ts'
import type { QuoteToVerify, QuoteVerdict } from '../quotes/quote-verdict.ts'
import { verifyAll } from '../quotes/verify-quotes.ts'
import type { RelevanceAsOf, RelevanceOptions } from '../relevance/relevance.ts'
import { relevanceAt } from '../relevance/stored-relevance.ts'
import type { SearchQueue } from '../scheduling/search-queue.ts'
import type { FieldLists } from '../search/fields/field-lists.ts'
import type { FieldAsOf, FieldsOptions } from '../search/fields/fields-as-of.ts'
import { checkMaxExamples, FIELD_EXAMPLES, fieldsAsOf } from '../search/fields/fields-as-of.ts'
import { KnownFields } from '../search/fields/known-fields.ts'
import { parseSearch } from '../search/parse-search.ts'
import { resolveSearch } from '../search/resolve-search.ts'
import type { SearchAnswer, SearchOptions } from '../search/search-answer.ts'
import type { Segment } from '../segment/segment.ts'
import type { CaptureHistogram } from '../store/snapshots/capture-histogram.ts'
import { captureHistogram } from '../store/snapshots/capture-histogram.ts'
import { lastChangeAt } from '../store/snapshots/last-change.ts'
import type { SnapshotReads } from '../store/snapshots/snapshots.ts'
import { localPages } from '../suggest/local-pages.ts'
import type { Suggester } from '../suggest/suggester.ts'
import type { Suggestion, SuggestOptions } from '../suggest/suggestion.ts'
import type { ReadMethods } from './engine.ts'
import {
  readExportOptions,
  readFieldsOptions,
  readHistogramOptions,
  readHistoryOptions,
  readPageOptions,
  readRelevanceOptions,
  readSearchOptions,
  readSuggestOptions,
} from './engine-options.ts'

/** The parts that read an index. */
export interface ReadingParts {
  reads: SnapshotReads
  history: HistoryReader
  suggester: Suggester
  modelSearch: ModelSearch
  fieldLists: FieldLists
  searches: Pick<SearchQueue, 'collectTitles'>
}

/** The reads of an engine. Each method checks its options and then calls one of the parts. */
export abstract class EngineReads implements ReadMethods {
  readonly #parts: ReadingParts

  protected constructor(parts: ReadingParts) {
    this.#parts = parts
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    const { modelSearch } = this.#open()
    const read = readSearchOptions(options)
    return modelSearch.search(parseSearch(query, read), read.models !== false)
  }

  async check(query: string, options?: SearchOptions): Promise<void> {
    const { reads } = this.#open()
    resolveSearch(parseSearch(query, readSearchOptions(options)), reads.currentInstant())
  }

  async suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]> {
    const { suggester, reads, searches } = this.#open()
    const { maxResults = 10, queryTime } = readSuggestOptions(options)
    return suggester.suggest(
      text,
      { maxResults, queryTime },
      localPages(reads, (own, instant) => searches.collectTitles(own, instant)),
    )
  }

  async relevance(options?: RelevanceOptions): Promise<RelevanceAsOf> {
    const { reads } = this.#open()
    const { queryTime } = readRelevanceOptions(options)
    return reads.read(
      requestAt => ({ instant: resolveTimes({ queryTime }, requestAt).instant }),
      (_, { store, catalog, instant }) =>
        structuredClone(relevanceAt(store, catalog.manifest, instant)) ?? { relevance: {} },
    )
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    return this.#open().history.page(url, readPageOptions(options))
  }

  async history(url: string, options?: HistoryOptions): Promise<HistoryPart> {
    return this.#open().history.history(url, readHistoryOptions(options))
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#open().history.timeline(url)
  }

  async verify(quote: QuoteToVerify): Promise<QuoteVerdict> {
    const [verdict] = await this.verifyAll([quote])
    return verdict!
  }

  async verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]> {
    return verifyAll(quotes, this.#open().reads)
  }

  async export(options?: ExportOptions): Promise<ExportPart> {
    return this.#open().history.export(readExportOptions(options))
  }

  async captureHistogram(options?: { maxBins?: number }): Promise<CaptureHistogram> {
    const { reads } = this.#open()
    const { maxBins = 400 } = readHistogramOptions(options)
    return captureHistogram(reads.catalog, reads.sealedAt, maxBins)
  }

  async fields(options?: FieldsOptions): Promise<FieldAsOf[]> {
    const { reads, modelSearch, fieldLists } = this.#open()
    const { queryTime, maxExamples = FIELD_EXAMPLES.default } = readFieldsOptions(options)
    checkMaxExamples(maxExamples)
    const { catalog, instant } = await reads.read(
      requestAt => ({ instant: resolveTimes({ queryTime }, requestAt).instant }),
      (_, { catalog, instant }) => ({ catalog, instant }),
    )
    const { segments, manifest } = catalog
    // All instants between two changes have one list.
    const key = `${manifest.generation} ${lastChangeAt(segments, instant)} ${maxExamples}`
    return fieldLists.get(key, () =>
      fieldsAsOf({ instant, types: typesAt(segments, instant) }, maxExamples, found =>
        modelSearch.search(parseSearch('', found), false),
      ),
    )
  }

  /**
   * Returns the instant of a new seal, epoch ms.
   *
   * @throws ASOF_INVALID_TIME
   */
  protected sealInstant(at: TimeInput): number {
    return declaredInstant(at, 'at', this.#open().reads.currentInstant())
  }

  /** @throws ASOF_CLOSED */
  #open(): ReadingParts {
    this.#parts.reads.expectOpen()
    return this.#parts
  }
}

/** Returns the types of the fields that some page had up to an instant, by name. */
function typesAt(segments: readonly Segment[], instant: number): ReadonlyMap<string, FieldType> {
  const fields = new KnownFields(viewsAt(segments, instant))
  return new Map(fields.fieldNames().map(name => [name, fields.fieldType(name)!]))
}
