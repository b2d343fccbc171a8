import type { FieldType } from '@asof/extract/page'
import { currentCapture } from '../history/current-capture.ts'
import { preparePurge } from '../history/prepare-purge.ts'
import { type CaptureSpan, resolveRecord } from '../history/resolve-history.ts'
import { type ExpiredCapture, prepareExpiry } from '../history/retention.ts'
import { analyzeStored } from '../ingest/analyze-stored.ts'
import { type PreparedCommit, prepareCommit, prepareRecorded, type ReadStoredVectors } from '../ingest/commit.ts'
import type { FieldsElsewhere } from '../ingest/commit-fields.ts'
import type { Entry, Outcome } from '../ingest/entry.ts'
import { BlockBuffers } from '../postings/block-buffers.ts'
import { answer } from '../search/answer.ts'
import type { CollectionSource } from '../search/collection/collection-source.ts'
import { PartCollection } from '../search/part-collection.ts'
import type { ResolvedSearch } from '../search/resolve-search.ts'
import type { SearchAnswer } from '../search/search-answer.ts'
import { createColumns } from '../segment/columns/columns.ts'
import type { RevisedCapture } from '../segment/columns/revisions.ts'
import { isTombstone } from '../segment/columns/tombstone.ts'
import { PostingCache } from '../segment/posting-cache.ts'
import { Segment } from '../segment/segment.ts'
import { SegmentWriter } from '../segment/segment-writer.ts'
import type { StreamId } from '../segment/streams.ts'
import { newIdentity } from '../store/identity.ts'
import { chunkKey, documentKey, isOfPages, isUrl, revisionRowsKey, urlKey, urlOfKey } from '../store/keys.ts'
import { emptyManifest, type Manifest } from '../store/manifest.ts'
import { decodeRevisionRows } from '../store/records/revision-record.ts'
import { readDocumentRecord, readStoredBody } from '../store/records/stored-page.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import {
  type Catalog,
  type CatalogChange,
  followChange,
  locateCapture,
  newestFirst,
} from '../store/snapshots/catalog.ts'
import type { PageReads, Snapshot } from '../store/snapshots/snapshots.ts'
import type { Operation } from '../store/store.ts'
import type { RecordedPages } from '../transfer/recorded-pages.ts'
import type { CaptureVector } from '../vectors/stored-vectors.ts'
import { buildUnpacked, buildUnsearched } from './build-unpacked.ts'
import { changedHolders, type FieldHolders, holdersOfFields } from './field-holders.ts'
import { changedStatistics, type InstantStatistics, statisticsOf } from './instant-statistics.ts'
import type { KeptCapture } from './kept-capture.ts'
import type { KeptCaptures } from './kept-captures.ts'
import { PartStore } from './part-store.ts'
import { type RevisedState, revisedStates } from './revised-states.ts'
import { AddedTerms, type GroupTerms, occurrencesIn, type TermOccurrences } from './term-occurrences.ts'

/** The counters of the whole index. */
export type IndexCounters = Pick<
  Manifest,
  'nextCaptureId' | 'lastStampAt' | 'urls' | 'purged' | 'dropped' | 'retainedSinceAt'
>

/** What a change of the pages in memory changes in the whole index. */
export interface PartChange {
  /** The stored values of pages that change. Segments, and values that are derived from histories, are left out. */
  operations: Operation[]
  counters: IndexCounters
  /** New captures, and captures whose history changed, as an index of terms needs them. */
  captures: IndexedCapture[]
  /** The numbers of the deleted captures. */
  deleted: number[]
  /** The terms of the deleted captures. */
  deletedTerms: Set<string>
  /** Vectors of new captures, which are not among the operations. Default: none. */
  vectors?: readonly CaptureVector[]
  /** The terms of new captures. */
  addedTerms: readonly GroupTerms[]
  /** For each instant, the differences of the statistics. */
  statistics: Map<number, InstantStatistics>
  /** For each field and instant, the difference of the number of captures and revisions that have the field. */
  fields: FieldHolders[]
}

/** The fields of the whole index, by name, each with the number of captures and revisions of all instants that have it. */
export type HeldFields = ReadonlyMap<string, { type: FieldType; holders: number }>

/** A capture as an index of terms in another system, such as OpenSearch, needs it. */
export interface IndexedCapture {
  captureId: number
  url: string
  /** Epoch ms. */
  acquiredAt: number
  supersededAt: number
  /** Epoch ms; undefined if the capture itself has none. */
  publishedAt: number | undefined
  /** One state for each revision of the capture, ascending by time: the values that filters test from that revision until the next one. */
  revised: readonly RevisedState[]
  /** Weighted number of words. */
  length: number
  /** The terms of a new capture. Undefined for a capture that is indexed already. */
  occurrences?: TermOccurrences
}

/** What the columns of a whole index say about a capture, and its stored values do not. */
export interface ColumnValues {
  /** The publish date that the capture itself has, epoch ms; undefined if it has none. */
  publishedAt: number | undefined
  /** Weighted number of words. */
  length: number
}

/** The publish date that each capture itself has, by the number of the capture. */
type PublishDates = ReadonlyMap<number, Pick<ColumnValues, 'publishedAt'>>

/** Memory for posting lists, bytes. The lists of a few pages need little. Lists that do not fit are searched without the kernel. */
const POSTING_CACHE_BYTES = 1024 * 1024

/**
 * Some pages of an index, in memory. They are read, changed and ranked by the same code as the pages of an index on disk. The stored values
 * are also the same, see `core/store/keys.ts`, except that each pack has the body of only one capture.
 */
export class PartialIndex {
  readonly store = new PartStore()
  readonly #cache: PostingCache
  readonly #buffers: BlockBuffers
  readonly #shown = new Set<number>()
  /** The segments of captures that are not analyzed: they have no terms. */
  readonly #placed = new Set<number>()
  #catalog: Catalog

  /** @param kept - the captures from which {@link showKept} is called. Default: it is not called. */
  constructor(counters: IndexCounters, kept?: KeptCaptures) {
    // One kernel searches all segments, so their posting lists lie in one cache.
    this.#cache = kept?.postings ?? new PostingCache(POSTING_CACHE_BYTES)
    this.#buffers = kept?.buffers ?? new BlockBuffers()
    this.#catalog = { identity: newIdentity(), manifest: { ...emptyManifest, ...counters }, segments: [] }
  }

  /** Returns the index as a read as of an instant sees it. */
  snapshot(instant: number): Snapshot {
    return { store: this.store, catalog: this.#catalog, instant }
  }

  /**
   * Returns reads of the pages that are here.
   *
   * @param times - epoch ms. `requestedAt` is the time of the request. `instant` is the one that "now" means: the last instant as of which
   *   the whole index does not change any more.
   */
  reads({ requestedAt, instant, sealedAt }: { requestedAt: number; instant: number; sealedAt: number }): PageReads {
    return {
      sealedAt,
      read: async (prepare, work) => {
        const query = prepare(requestedAt)
        return work(query, this.snapshot(query.asOf ?? instant))
      },
    }
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  /** True if the text of a capture is here. */
  has(captureId: number): boolean {
    return this.#shown.has(captureId)
  }

  /** Number of captures whose text is here. */
  get captures(): number {
    return this.#shown.size
  }

  /**
   * Makes the captures of URLs searchable and readable. Their values must be in {@link store}; captures without values there are left out.
   *
   * @param columns - by the number of the capture.
   */
  async show(urls: Iterable<string>, columns: PublishDates): Promise<void> {
    await this.#analyze(this.#missing(urls), columns)
  }

  /** Makes the captures of URLs ready for a commit. Like {@link show}, but captures without fields are not analyzed and cannot be searched. */
  async place(urls: Iterable<string>, values: ReadonlyMap<number, ColumnValues>): Promise<void> {
    const added = Map.groupBy(
      this.#missing(urls),
      ({ captureId }) => readDocumentRecord(this.store, captureId).values === '',
    )
    await this.#analyze(added.get(false) ?? [], values)
    const placed = (added.get(true) ?? []).sort((a, b) => a.first.at - b.first.at)
    if (placed.length === 0) return
    const columns = createColumns(placed.length)
    for (const [ordinal, { captureId, first, supersededAt }] of placed.entries()) {
      columns.acquiredAt[ordinal] = first.at
      columns.supersededAt[ordinal] = supersededAt
      columns.captureIds[ordinal] = captureId
      columns.declared[ordinal] = first.declared ? 1 : 0
      const { publishedAt = Number.NaN, length = 0 } = values.get(captureId) ?? {}
      columns.publishedAt[ordinal] = publishedAt
      columns.lengths[ordinal] = length
    }
    const { manifest } = this.#catalog
    const id = manifest.nextSegmentId
    const put = (stream: StreamId, chunk: number, bytes: Uint8Array): void =>
      this.store.apply([{ type: 'put', key: chunkKey(id, stream, chunk), value: bytes }])
    const info = new SegmentWriter({ put }, columns).finish(id)
    this.#follow({
      manifest: { ...manifest, segments: [...manifest.segments, info], nextSegmentId: id + 1 },
      added: [{ info, columns }],
      superseded: [],
      revised: this.#revisionsOf(placed),
    })
    this.#placed.add(id)
  }

  /** Returns the captures of URLs that are in the store, but not in a segment. From then on they count as shown. */
  #missing(urls: Iterable<string>): CaptureSpan<unknown>[] {
    const spans = [...urls].flatMap(url => {
      const record = this.store.get(urlKey(url))
      return record ? resolveRecord(decodeUrlRecord(record)).spans : []
    })
    const added = spans.filter(({ captureId }) => !this.#shown.has(captureId) && this.store.get(documentKey(captureId)))
    for (const { captureId } of added) this.#shown.add(captureId)
    return added
  }

  #revisionsOf(captures: readonly CaptureSpan<unknown>[]): RevisedCapture[] {
    return captures.flatMap(({ captureId }) => {
      const rows = this.store.get(revisionRowsKey(captureId))
      return rows ? [{ captureId, ...decodeRevisionRows(rows) }] : []
    })
  }

  async #analyze(
    added: readonly CaptureSpan<unknown>[],
    columns: PublishDates,
    build: typeof buildUnpacked = buildUnpacked,
  ): Promise<void> {
    if (added.length === 0) return
    const recorded = added.map(({ captureId, first, supersededAt }) => ({
      captureId,
      at: first.at,
      supersededAt,
      declared: first.declared,
      document: readDocumentRecord(this.store, captureId),
      body: readStoredBody(this.store, captureId),
      publishedAt: columns.get(captureId)?.publishedAt,
    }))
    const prepared = await prepareRecorded(this.store, this.#catalog, recorded, build)
    this.store.apply(prepared.operations)
    this.#follow({ ...prepared.change, revised: this.#revisionsOf(added) })
  }

  /** Makes captures searchable and readable that several parts share. */
  showKept(captures: readonly KeptCapture[]): void {
    const added = captures.filter(({ captureId }) => !this.#shown.has(captureId))
    for (const { captureId } of added) this.#shown.add(captureId)
    this.store.keep(added)
    const { manifest, segments, ...catalog } = this.#catalog
    const shown = added.map(({ segment }) => segment)
    const infos = [...manifest.segments, ...shown.map(({ info }) => info)]
    const all = newestFirst([...segments, ...shown])
    this.#catalog = { ...catalog, manifest: { ...manifest, segments: infos }, segments: all }
  }

  /** Shows captures like {@link show}. Returns all captures in memory, as an index of terms in another system needs them. */
  async showIndexed(urls: Iterable<string>, columns: PublishDates): Promise<IndexedCapture[]> {
    const added = new AddedTerms()
    await this.#analyze(this.#missing(urls), columns, buildAndRead(added))
    return this.#catalog.segments.flatMap(segment =>
      Array.from(segment.columns.captureIds, (captureId, ordinal) => ({
        ...this.#indexed(segment, ordinal),
        occurrences: added.of(captureId),
      })),
    )
  }

  /**
   * Adds observations to URLs whose captures are all shown or placed.
   *
   * @param stampAt - the `acquiredAt` of captures that declare none, epoch ms, see `prepareCommit`.
   * @param fields - the fields of the whole index, including the pages in memory.
   * @param readVectors - reads the vectors of stored captures with the same content, see `prepareCommit`.
   * @param isSearched - false if no search follows: then the new captures are placed, see {@link place}.
   */
  async commit(
    entries: readonly Entry[],
    stampAt: number,
    fields: HeldFields,
    { readVectors, isSearched = true }: { readVectors?: ReadStoredVectors | undefined; isSearched?: boolean } = {},
  ): Promise<PartChange & { outcomes: Outcome[] }> {
    const fieldsElsewhere = this.#elsewhere(fields)
    const added = new AddedTerms()
    const build = buildAndRead(added, isSearched ? buildUnpacked : buildUnsearched)
    const options = { build, fieldsElsewhere, readVectors }
    const prepared = await prepareCommit(this.store, this.#catalog, entries, stampAt, options)
    if (!isSearched) for (const { info } of prepared.change.added) this.#placed.add(info.id)
    return { ...this.#changed(prepared, { added }), vectors: prepared.vectors, outcomes: prepared.outcomes }
  }

  /**
   * Adds pages of another index unchanged, with the numbers of their captures. The whole index must have neither the pages nor captures
   * with these numbers.
   *
   * @param counters - the counters of the whole index, including these pages.
   */
  async adopt({ operations, captures, revised }: RecordedPages, counters: IndexCounters): Promise<PartChange> {
    this.store.apply(operations)
    const manifest = { ...this.#catalog.manifest, ...counters }
    const isKnown = false
    if (captures.length === 0)
      return this.#changed({ operations, change: { manifest, added: [], superseded: [], revised: [] } }, { isKnown })
    const added = new AddedTerms()
    const prepared = await prepareRecorded(this.store, this.#catalog, captures, buildAndRead(added))
    const change = { ...prepared.change, manifest: { ...prepared.change.manifest, ...counters }, revised }
    return this.#changed({ operations: [...operations, ...prepared.operations], change }, { added, isKnown })
  }

  /**
   * Deletes the history of URLs. All captures of these URLs must be shown.
   *
   * @returns undefined if the index never had any of the URLs.
   */
  async purge(urls: readonly string[]): Promise<(PartChange & { purged: number; pages: number }) | undefined> {
    const prepared = await preparePurge(this.store, this.#catalog, urls)
    return prepared && { ...this.#changed(prepared), purged: prepared.captures, pages: prepared.urls }
  }

  /**
   * Deletes expired captures, which must be shown, and all observations of their URLs before the first capture that is kept.
   *
   * @returns undefined if nothing can be deleted now.
   */
  async expire(expired: readonly ExpiredCapture[]): Promise<(PartChange & { expired: number }) | undefined> {
    const prepared = await prepareExpiry(this.store, this.#catalog, expired)
    return prepared && { ...this.#changed(prepared), expired: prepared.captures }
  }

  /**
   * Answers a search as the whole index does.
   *
   * @throws what `source` throws.
   */
  answer(request: ResolvedSearch, instant: number, source: CollectionSource): SearchAnswer {
    const snapshot = this.snapshot(instant)
    this.#cache.reclaim()
    return answer(request, {
      ...snapshot,
      collection: new PartCollection(source),
      relevance: source.relevance,
      similarityTo: meaning => source.similarityTo(meaning),
      buffers: this.#buffers,
      currentOf: url => currentCapture(url, snapshot),
    })
  }

  /** Returns the types of the fields, by name, that pages outside memory have. */
  #elsewhere(held: HeldFields): FieldsElsewhere {
    const own = new Map<string, number>()
    for (const { name, holders } of holdersOfFields(this.#catalog, this.store).values())
      own.set(name, (own.get(name) ?? 0) + holders)
    return new Map(
      [...held].flatMap(([name, { type, holders }]) => (holders > (own.get(name) ?? 0) ? [[name, type] as const] : [])),
    )
  }

  #follow(change: CatalogChange): void {
    const open = (info: Segment['info'], columns: Segment['columns']): Segment =>
      new Segment(info, columns, this.store.chunks(info.id), this.#cache)
    this.#catalog = followChange(this.#catalog, change, open)
  }

  /** Analyzes those captures that a change deletes and that were only placed, see {@link place}. Returns their terms. */
  #readDeleted({ superseded }: CatalogChange): Set<string> {
    const terms = new Set<string>()
    for (const { segment: id, ordinal, supersededAt } of superseded) {
      if (!isTombstone(supersededAt) || !this.#placed.has(id)) continue
      const { columns } = this.#catalog.segments.find(({ info }) => info.id === id)!
      const captureId = columns.captureIds[ordinal]!
      const body = readStoredBody(this.store, captureId)
      const { analyzer } = this.#catalog.identity
      const { group } = analyzeStored(
        readDocumentRecord(this.store, captureId),
        body,
        { details: body.details },
        analyzer,
      )
      for (const term of occurrencesIn(group.postings, Float64Array.of(0)).terms) terms.add(term)
    }
    return terms
  }

  /** The instants of the first captures of the URLs that operations change. */
  #firstInstants(operations: readonly Operation[]): number[] {
    const keys = new Map(operations.flatMap(({ key }) => (isUrl(key) ? [[urlOfKey(key), key]] : [])))
    return [...keys.values()].flatMap(key => {
      const record = this.store.get(key)
      return record
        ? resolveRecord(decodeUrlRecord(record))
            .spans.slice(0, 1)
            .map(({ first }) => first.at)
        : []
    })
  }

  /** @param options.isKnown - false if the pages are new to the index, and the store has them already. */
  #changed(
    { operations, change }: Pick<PreparedCommit, 'operations' | 'change'>,
    { added = new AddedTerms(), isKnown = true }: { added?: AddedTerms; isKnown?: boolean } = {},
  ): PartChange {
    const deletedTerms = this.#readDeleted(change)
    const before = statisticsOf(this.#catalog, isKnown ? this.#firstInstants(operations) : [])
    const fieldsBefore = holdersOfFields(this.#catalog, this.store)
    const known = new Set(this.#catalog.segments)
    this.store.apply(operations)
    this.#follow(change)
    const { segments, manifest } = this.#catalog
    const byId = new Map(segments.map(segment => [segment.info.id, segment]))
    const captures = new Map<number, IndexedCapture>()
    const deleted: number[] = []
    const note = (segment: Segment, ordinal: number): void => {
      const { captureIds, supersededAt } = segment.columns
      const captureId = captureIds[ordinal]!
      if (isTombstone(supersededAt[ordinal]!)) deleted.push(captureId)
      else captures.set(captureId, { ...this.#indexed(segment, ordinal), occurrences: added.of(captureId) })
    }
    for (const { segment, ordinal } of change.superseded) {
      note(byId.get(segment)!, ordinal)
      if (isTombstone(byId.get(segment)!.columns.supersededAt[ordinal]!))
        for (const term of termsOf(byId.get(segment)!, ordinal)) deletedTerms.add(term)
    }
    for (const segment of segments)
      if (!known.has(segment)) for (let ordinal = 0; ordinal < segment.captures; ordinal++) note(segment, ordinal)
    for (const { captureId, acquiredAt } of change.revised) {
      const { segment, ordinal } = locateCapture({ segments }, captureId, acquiredAt)
      if (!isTombstone(segment.columns.supersededAt[ordinal]!)) note(segment, ordinal)
    }
    const { nextCaptureId, lastStampAt, urls, purged, dropped, retainedSinceAt } = manifest
    return {
      operations: operations.filter(({ key }) => isOfPages(key)),
      counters: { nextCaptureId, lastStampAt, urls, purged, dropped, retainedSinceAt },
      captures: [...captures.values()],
      deleted,
      deletedTerms,
      addedTerms: added.groups,
      statistics: changedStatistics(statisticsOf(this.#catalog, this.#firstInstants(operations)), before),
      fields: changedHolders(holdersOfFields(this.#catalog, this.store), fieldsBefore),
    }
  }

  #indexed({ columns, revisions }: Segment, ordinal: number): IndexedCapture {
    const { captureIds, acquiredAt, supersededAt, publishedAt, lengths } = columns
    const captureId = captureIds[ordinal]!
    return {
      captureId,
      url: readDocumentRecord(this.store, captureId).url,
      acquiredAt: acquiredAt[ordinal]!,
      supersededAt: supersededAt[ordinal]!,
      publishedAt: Number.isNaN(publishedAt[ordinal]!) ? undefined : publishedAt[ordinal]!,
      revised: revisedStates(revisions?.rowsOf(ordinal) ?? []),
      length: lengths[ordinal]!,
    }
  }
}

/** Builds commits, and reads the terms of their captures. */
function buildAndRead(added: AddedTerms, build = buildUnpacked): typeof buildUnpacked {
  return plan => {
    added.read(plan)
    return build(plan)
  }
}

/** Yields the terms of a capture in a segment. */
function* termsOf(segment: Segment, ordinal: number): Generator<string> {
  const cursor = segment.dictionary.cursorFrom('', () => false)
  while (cursor.next()) {
    const entry = cursor.entry()
    const { count, ordinals } = segment.postings(entry)
    if (ordinals.subarray(0, count).includes(ordinal)) yield entry.term
  }
}
