import type { FieldType } from '@asof/extract/page'
import { type ExportRange, type ExportSlice, exportSlice } from '../history/history-export.ts'
import type { ReadableAnswer } from '../models/model-search.ts'
import { viewsAt } from '../postings/segment-view.ts'
import type { RelevanceAsOf } from '../relevance/relevance.ts'
import { relevanceAt } from '../relevance/stored-relevance.ts'
import { KnownFields } from '../search/fields/known-fields.ts'
import type { UntimedSearch } from '../search/untimed-search.ts'
import type { Segment } from '../segment/segment.ts'
import { type CaptureHistogram, captureHistogram } from '../store/snapshots/capture-histogram.ts'
import { statsOf, urlsUpTo } from '../store/snapshots/index-stats.ts'
import { lastChangeAt } from '../store/snapshots/last-change.ts'
import { SealedReads } from '../store/snapshots/sealed-reads.ts'
import type { PageReads, Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import { localPages } from '../suggest/local-pages.ts'
import type { Suggestion } from '../suggest/suggestion.ts'
import type { FieldTypesAsOf, InstantOf, ReadableIndex } from './engine-index.ts'
import type { EngineParts } from './engine-parts.ts'

/** The reads of an index in a folder on this machine, or in the memory of this process. */
export class LocalReads implements ReadableIndex {
  readonly #parts: EngineParts
  readonly #reads: SnapshotReads
  /** The number of URLs in the state of the index that has this generation. */
  #urls: { generation: number; count: Promise<number> } | undefined

  constructor(parts: EngineParts, reads: SnapshotReads) {
    this.#parts = parts
    this.#reads = reads
  }

  get sealedAt(): number {
    return this.#reads.sealedAt
  }

  expectOpen(): void {
    this.#reads.expectOpen()
  }

  sealed(instantOf: (latestAt: number) => number): ReadableIndex {
    const instant = instantOf(this.#reads.currentInstant())
    return new LocalReads(this.#parts, new SealedReads(this.#parts.snapshots, instant))
  }

  expectTimes(request: UntimedSearch): void {
    request.at(this.#reads.currentInstant())
  }

  async search(request: UntimedSearch): Promise<ReadableAnswer> {
    const answer = await this.#parts.searches.search(request, this.#reads)
    const asOf = answer.receipt.instant
    return {
      answer,
      read: work =>
        this.#reads.read(
          () => ({ asOf }),
          (_, snapshot) => work(snapshot),
        ),
    }
  }

  readPages<T>(_: unknown, __: unknown, work: (reads: PageReads) => Promise<T>): Promise<T> {
    return work(this.#reads)
  }

  async suggest(text: string, options: { maxResults: number; instantOf: InstantOf }): Promise<Suggestion[]> {
    const { suggester, searches } = this.#parts
    const pages = localPages(this.#reads, (own, instant) => searches.collectTitles(own, instant))
    return suggester.suggest(text, options, pages)
  }

  relevance(instantOf: InstantOf): Promise<RelevanceAsOf | undefined> {
    return this.#readAt(instantOf, ({ store, catalog, instant }) => relevanceAt(store, catalog.manifest, instant))
  }

  fields(instantOf: InstantOf): Promise<FieldTypesAsOf> {
    return this.#readAt(instantOf, ({ catalog: { segments, manifest }, instant }) => ({
      instant,
      state: `${manifest.generation} ${lastChangeAt(segments, instant)}`,
      types: () => typesAt(segments, instant),
    }))
  }

  async captureHistogram(maxBins: number): Promise<CaptureHistogram> {
    return captureHistogram(this.#reads.catalog, this.sealedAt, maxBins)
  }

  export(range: ExportRange): Promise<ExportSlice> {
    return this.#reads.readNow(snapshot => exportSlice(this.#parts.store, range, snapshot))
  }

  async countCaptures(): ReturnType<ReadableIndex['countCaptures']> {
    const { captures, oldest, newest } = statsOf(this.#reads.catalog, this.sealedAt)
    return { captures, urls: await this.#countUrls(), oldest, newest }
  }

  #countUrls(): Promise<number> {
    const { catalog, sealedAt } = this.#reads
    const { generation } = catalog.manifest
    if (this.#urls?.generation !== generation)
      this.#urls = { generation, count: urlsUpTo(this.#parts.store, catalog, sealedAt) }
    return this.#urls.count
  }

  #readAt<T>(instantOf: InstantOf, work: (snapshot: Snapshot) => T): Promise<T> {
    return this.#reads.read(
      requestedAt => ({ asOf: instantOf(requestedAt) }),
      (_, snapshot) => work(snapshot),
    )
  }
}

/** Returns the types of the fields that some page had up to an instant, by name. */
function typesAt(segments: readonly Segment[], instant: number): ReadonlyMap<string, FieldType> {
  const fields = new KnownFields(viewsAt(segments, instant))
  return new Map(fields.fieldNames().map(name => [name, fields.fieldType(name)!]))
}
