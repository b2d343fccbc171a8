import { dirname, join, resolve } from 'node:path'
import type { AddReport } from './add-report.ts'
import { purgeAll, removeAll } from './bulk/bulk-deletion.ts'
import { resolveTimes } from './dates/resolve-times.ts'
import type {
  BackupOptions,
  BackupReport,
  BulkOptions,
  BulkReport,
  CaptureHistogram,
  EmbedOptions,
  EmbedReport,
  Engine,
  EngineStats,
  ExportOptions,
  ExportPart,
  HistoryOptions,
  HistoryPart,
  PageOptions,
  PageSelection,
  RelevanceOptions,
  RemoveOptions,
  Suggestion,
  SuggestOptions,
  Timeline,
} from './engine.ts'
import {
  readBackupOptions,
  readBulkOptions,
  readEmbedOptions,
  readExportOptions,
  readHistogramOptions,
  readHistoryOptions,
  readPageOptions,
  readRelevanceOptions,
  readRemoveOptions,
  readSearchOptions,
  readSuggestOptions,
} from './engine-options.ts'
import { type EngineParts, openParts } from './engine-parts.ts'
import { addCaptures } from './ingest/add-captures.ts'
import type { Entry, Outcome } from './ingest/entry.ts'
import { addMissingVectors } from './ingest/missing-vectors.ts'
import { declaredInstant } from './ingest/prepared-capture.ts'
import { intoNewFolder } from './new-folder.ts'
import { checkOpenOptions, type OpenOptions } from './open-options.ts'
import { invalidOption } from './options.ts'
import type { ObservationInput, Page } from './page.ts'
import type { QuoteToVerify, QuoteVerdict } from './quote-verdict.ts'
import { verifyAll } from './quotes/verify-quotes.ts'
import { checkedRelevance, type Relevance, type RelevanceAsOf } from './relevance/relevance.ts'
import { relevanceAt } from './relevance/stored-relevance.ts'
import { expectPath } from './repair/index-folder.ts'
import { parseSearch } from './search/parse-search.ts'
import { resolveSearch } from './search/resolve-search.ts'
import type { SearchAnswer, SearchOptions } from './search-answer.ts'
import { captureHistogram } from './store/snapshots/capture-histogram.ts'
import { statsOf } from './store/snapshots/index-stats.ts'
import { normalizeUrl } from './url.ts'

/**
 * The {@link Engine} for a LevelDB folder on this machine. Each method checks its options and then calls one of the
 * parts.
 */
export class LocalEngine implements Engine {
  readonly #parts: EngineParts
  /** The folder of the index, inside the data folder. */
  readonly #location: string
  #closing: Promise<void> | undefined

  private constructor(parts: EngineParts, location: string) {
    this.#parts = parts
    this.#location = location
  }

  static async open(location: string, options: OpenOptions = {}): Promise<LocalEngine> {
    checkOpenOptions(options)
    return new LocalEngine(await openParts(location, options), resolve(location))
  }

  async add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport> {
    const { pool, commits, snapshots, embedding } = this.#openParts()
    return addCaptures(observations, {
      pool,
      commits,
      now: () => snapshots.currentInstant(),
      passages: embedding?.passages,
    })
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    const { modelSearch } = this.#openParts()
    const read = readSearchOptions(options)
    return modelSearch.search(parseSearch(query, read), read.models !== false)
  }

  async check(query: string, options?: SearchOptions): Promise<void> {
    const { snapshots } = this.#openParts()
    resolveSearch(parseSearch(query, readSearchOptions(options)), snapshots.currentInstant())
  }

  async suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]> {
    const { suggester } = this.#openParts()
    const { maxResults = 10, queryTime } = readSuggestOptions(options)
    return suggester.suggest(text, maxResults, queryTime)
  }

  async relevance(options?: RelevanceOptions): Promise<RelevanceAsOf> {
    const { snapshots } = this.#openParts()
    const { queryTime } = readRelevanceOptions(options)
    return snapshots.read(
      requestAt => ({ instant: resolveTimes({ queryTime }, requestAt).instant }),
      (_, { store, catalog, instant }) =>
        structuredClone(relevanceAt(store, catalog.manifest, instant)) ?? { relevance: {} },
    )
  }

  async setRelevance(relevance: Relevance): Promise<number> {
    const { writer } = this.#openParts()
    return writer.setRelevance(checkedRelevance(relevance))
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    return this.#openParts().history.page(url, readPageOptions(options))
  }

  async history(url: string, options?: HistoryOptions): Promise<HistoryPart> {
    return this.#openParts().history.history(url, readHistoryOptions(options))
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#openParts().history.timeline(url)
  }

  async verify(quote: QuoteToVerify): Promise<QuoteVerdict> {
    const [verdict] = await this.verifyAll([quote])
    return verdict!
  }

  async verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]> {
    const { snapshots } = this.#openParts()
    return verifyAll(quotes, snapshots)
  }

  async export(options?: ExportOptions): Promise<ExportPart> {
    return this.#openParts().history.export(readExportOptions(options))
  }

  async markSeen(url: string): Promise<boolean> {
    const { history } = this.#openParts()
    return (await this.#enter({ kind: 'sighting', url: await history.pageUrl(url) })) === 'unchanged'
  }

  async remove(url: string, options?: RemoveOptions): Promise<boolean> {
    const { history, snapshots } = this.#openParts()
    const { at } = readRemoveOptions(options)
    const removal =
      at === undefined
        ? { url: await history.pageUrl(url) }
        : { url: normalizeUrl(url), at: declaredInstant(at, 'at', snapshots.currentInstant()) }
    return (await this.#enter({ kind: 'removal', ...removal })) === 'removed'
  }

  async #enter(entry: Entry): Promise<Outcome | undefined> {
    const [outcome] = await this.#parts.commits.submit([entry], 0)
    return outcome
  }

  async purge(url: string): Promise<number> {
    const { history, writer } = this.#openParts()
    let purged = 0
    for (const each of await history.purgedUrls(url)) purged += (await writer.purge([each])).captures
    return purged
  }

  async removeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    const parts = this.#openParts()
    return removeAll(parts, selection, readBulkOptions(options))
  }

  async purgeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    const parts = this.#openParts()
    return purgeAll(parts, selection, readBulkOptions(options))
  }

  async stats(): Promise<EngineStats> {
    const { store, snapshots, writer, embedding, cacheCounts } = this.#openParts()
    const bytes = await store.bytesOnDisk()
    return {
      ...statsOf(snapshots.catalog),
      bytes,
      merges: writer.mergesUnderWay,
      cacheHits: cacheCounts.reduce((sum, { hits }) => sum + hits, 0),
      cacheMisses: cacheCounts.reduce((sum, { misses }) => sum + misses, 0),
      vectors: embedding?.stored.count,
    }
  }

  async captureHistogram(options?: { maxBins?: number }): Promise<CaptureHistogram> {
    const { snapshots } = this.#openParts()
    const { maxBins = 400 } = readHistogramOptions(options)
    return captureHistogram(snapshots.catalog, maxBins)
  }

  async embed(options?: EmbedOptions): Promise<EmbedReport> {
    const { snapshots, writer, embedding } = this.#openParts()
    const read = readEmbedOptions(options)
    if (!embedding) throw invalidOption('embed', 'needs an embeddings model: give `open` the option embed')
    return addMissingVectors({ snapshots, writer, ...embedding }, read)
  }

  async backup(dir: string, options?: BackupOptions): Promise<BackupReport> {
    const { snapshots, writer } = this.#openParts()
    expectPath(dir)
    const read = readBackupOptions(options)
    return intoNewFolder(dir, [dirname(this.#location), this.#location], async partial => {
      await read.beside?.(partial)
      snapshots.expectOpen()
      return writer.backup(join(partial, 'index'), read)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { snapshots, stopModels, searches, writer, pool, store } = this.#parts
    snapshots.close()
    stopModels.abort()
    try {
      await searches.close()
      await writer.close()
    } finally {
      await pool.close().finally(() => store.close())
    }
  }

  /**
   * Returns the parts of the open engine.
   *
   * @throws ASOF_CLOSED
   */
  #openParts(): EngineParts {
    this.#parts.snapshots.expectOpen()
    return this.#parts
  }
}
