import type { FieldType } from '@asof/extract/page'
import type { BulkIndex } from '../bulk/bulk-index.ts'
import type { ExportRange, ExportSlice } from '../history/history-export.ts'
import type { AddOptions } from '../ingest/add-captures.ts'
import type { AddReport } from '../ingest/add-report.ts'
import type { Entry, Outcome } from '../ingest/entry.ts'
import type { EmbedOptions, EmbedReport } from '../ingest/missing-vectors.ts'
import type { SearchedIndex } from '../models/model-search.ts'
import type { ObservationInput } from '../page.ts'
import type { Relevance, RelevanceAsOf } from '../relevance/relevance.ts'
import type { BackupOptions, BackupReport } from '../store/backup/backup.ts'
import type { CaptureHistogram } from '../store/snapshots/capture-histogram.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import type { PageReads, Snapshot } from '../store/snapshots/snapshots.ts'
import type { Suggestion } from '../suggest/suggestion.ts'

/**
 * Returns the instant that a call asks for, epoch ms; undefined means now. It gets the time of the request, because the caller may have
 * given a delta back from it, such as `7d`.
 *
 * @throws ASOF_INVALID_TIME
 */
export type InstantOf = (requestedAt: number) => number | undefined

/** The fields of an index as of an instant. */
export interface FieldTypesAsOf {
  /** Epoch ms. */
  instant: number
  /** A key that is equal for two instants if the index did not change between them. Undefined if that is unknown; then no list is cached. */
  state?: string
  /** Returns the types of the fields that some page had up to the instant, by name. */
  types: () => ReadonlyMap<string, FieldType> | Promise<ReadonlyMap<string, FieldType>>
}

/**
 * An index that an engine reads: a folder, a cluster, or one of them up to a seal. The engine checks the options of each call, and
 * asks the index for what only it knows.
 */
export interface ReadableIndex extends SearchedIndex {
  /** The last instant that reads can see, epoch ms. `Infinity` if the index is not sealed. */
  readonly sealedAt: number
  /** @throws ASOF_CLOSED */
  expectOpen(): void
  /**
   * Returns the index sealed at an instant: reads see nothing later, and the clock always shows that instant.
   *
   * @param instantOf - returns the instant, or throws ASOF_INVALID_TIME if it is after the latest that reads can see.
   */
  sealed(instantOf: (latestAt: number) => number): ReadableIndex
  /**
   * Reads pages and their histories.
   *
   * @param urls - as the caller gave them. Only these, and the pages that they are aliases of, can be read.
   * @param instants - the instants as of which the pages are read.
   * @throws ASOF_INVALID_URL, ASOF_INVALID_TIME
   */
  readPages<T>(
    urls: readonly string[],
    instants: readonly InstantOf[],
    work: (reads: PageReads) => Promise<T>,
  ): Promise<T>
  suggest(text: string, options: { maxResults: number; instantOf: InstantOf }): Promise<Suggestion[]>
  /** Returns the relevance, which must not be changed; undefined if none was set. */
  relevance(instantOf: InstantOf): Promise<RelevanceAsOf | undefined>
  fields(instantOf: InstantOf): Promise<FieldTypesAsOf>
  captureHistogram(maxBins: number): Promise<CaptureHistogram>
  export(range: ExportRange): Promise<ExportSlice>
  countCaptures(): Promise<Pick<EngineStats, 'captures' | 'urls' | 'oldest' | 'newest'>>
}

/** An index that an engine reads and changes. Options are checked, see {@link ReadableIndex}. */
export interface WritableIndex extends ReadableIndex {
  /** The index as bulk deletions see it. */
  readonly bulk: BulkIndex
  add(
    observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
    options: AddOptions,
  ): Promise<AddReport>
  /** Sets the relevance. Returns the instant from which it holds, epoch ms. */
  setRelevance(relevance: Relevance): Promise<number>
  /**
   * Adds one observation.
   *
   * @param url - the URL that it is about, normalized.
   * @param entryOf - gets the latest state of the page, and of the pages that its URL is an alias of.
   */
  change(url: string, entryOf: (latest: Snapshot) => Entry): Promise<Outcome | undefined>
  /** Deletes the page of a normalized URL, or the page that it is an alias of, from all of time. Returns the number of captures. */
  purge(url: string): Promise<number>
  stats(): Promise<EngineStats>
  embed(options: EmbedOptions): Promise<EmbedReport>
  backup(dir: string, options: BackupOptions): Promise<BackupReport>
  /** Closes the index. The engine calls it once. */
  close(): Promise<void>
}
