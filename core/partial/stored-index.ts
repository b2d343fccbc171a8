import {
  type Conditions,
  rangesOf,
  type SelectedPages,
  type SelectedRange,
  selectPages,
} from '../bulk/page-selection.ts'
import { purgedUrls } from '../history/change-targets.ts'
import { captureAt, ownCapture } from '../history/current-capture.ts'
import { type ExportRange, type ExportSlice, exportSlice } from '../history/history-export.ts'
import type { ExpiredCapture } from '../history/retention.ts'
import { aliasesOf, declaredAtOf, type Entry, type Outcome, urlOfEntry } from '../ingest/entry.ts'
import type { IndexFields } from '../search/collection/collection.ts'
import {
  allAliases,
  allClaims,
  allUrls,
  allVectors,
  bodyKey,
  documentKey,
  modelsKey,
  revisionRowsKey,
  urlOfClaim,
  urlOfKey,
  vectorKey,
} from '../store/keys.ts'
import { MemoryStore } from '../store/memory-store.ts'
import { decodeHead } from '../store/records/documents.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import type { PageReads, Snapshot } from '../store/snapshots/snapshots.ts'
import type { Operation } from '../store/store.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { addPage, type CurrentPage } from '../suggest/newest-pages.ts'
import { type TitleColumns, TitleColumnsBuilder } from '../suggest/title-columns.ts'
import { addRecordedPage, noPages, type RecordedPages } from '../transfer/recorded-pages.ts'
import { StoredModels } from '../vectors/stored-models.ts'
import { type CaptureVector, StoredVectors } from '../vectors/stored-vectors.ts'
import { type LoadedPages, loadPages, type PageStore } from './load-pages.ts'
import { PagesInOrder } from './pages-in-order.ts'
import { type HeldFields, type IndexCounters, type PartChange, PartialIndex } from './partial-index.ts'
import { type RevisedState, readRevisedStates } from './revised-states.ts'

/** Number of URLs whose histories are read at a time to select pages by conditions. */
const URLS_AT_ONCE = 256
/** Number of alias claims that are read together with the histories. */
const CLAIMS_AT_ONCE = 1_024

/** Number of pages that another index gets at a time. */
const PAGES_AT_ONCE = 50
/** Number of titles that are read at a time. */
const TITLES_AT_ONCE = 500

const noCaptures: ReadonlySet<number> = new Set()

/** Options of {@link StoredIndex.enter} and {@link StoredIndex.change}. */
export interface EnterOptions {
  /**
   * Returns the instant of the change, epoch ms, not before `declaredAt`.
   *
   * @param declaredAt - the latest instant that an observation declares; −Infinity if none does.
   */
  stampAt: (declaredAt: number) => number
  /** Reads the fields of the whole index. */
  fields: () => Promise<HeldFields>
  /** The identity of the embeddings model. Default: none is in use. */
  model?: string | undefined
}

/** Observations that were entered. */
export interface EnteredChange {
  outcomes: Outcome[]
  change: PartChange
  /** The instant of the change, epoch ms. */
  at: number
  /** True if answers as of earlier instants change. */
  rewrites: boolean
}

/**
 * An index whose values are in another store, such as PostgreSQL. Each method brings the pages that it is about into memory, where the same
 * code as for an index on one machine reads or changes them. All methods read one state of the store: the one that the counters are of.
 */
export class StoredIndex {
  readonly #store: PageStore
  readonly #counters: IndexCounters
  readonly #models: string | null

  /** @param counters.models - the list of the models that computed vectors, as it is stored, as text. Default: none did. */
  constructor(store: PageStore, { models = null, ...counters }: IndexCounters & { models?: string | null }) {
    this.#store = store
    this.#counters = counters
    this.#models = models
  }

  async #part(urls: Iterable<string>, options?: LoadedPages): Promise<PartialIndex> {
    const part = new PartialIndex(this.#counters)
    await loadPages(part, urls, this.#store, options)
    return part
  }

  /** Returns reads of the pages of URLs, and of those that they are aliases of. @param times - see `PartialIndex.reads`. */
  async reads(urls: readonly string[], times: Parameters<PartialIndex['reads']>[0]): Promise<PageReads> {
    return (await this.#part(urls)).reads(times)
  }

  /** Returns the histories of URLs, and of the pages that they are aliases of, without contents. */
  async histories(urls: readonly string[], instant: number): Promise<Snapshot> {
    return (await this.#part(urls, { captureIds: noCaptures })).snapshot(instant)
  }

  /** Returns the number of the capture that each URL has at an instant, by URL. Does not follow aliases. URLs without a capture are left out. */
  async capturesAt(urls: readonly string[], instant: number): Promise<ReadonlyMap<string, number>> {
    const part = await this.#part(urls, { captureIds: noCaptures, followsAliases: false })
    const captures = urls.map(url => [url, ownCapture(url, part.snapshot(instant))?.captureId] as const)
    return new Map(captures.flatMap(([url, captureId]) => (captureId === undefined ? [] : [[url, captureId]])))
  }

  async #recordedPages(urls: readonly string[]): Promise<RecordedPages> {
    const { store, catalog } = await this.#part(urls, { followsAliases: false })
    const columns = await this.#store.columns(catalog.segments.flatMap(one => [...one.columns.captureIds]))
    const pages = noPages()
    for (const url of urls) addRecordedPage(pages, url, { store, publishedAt: id => columns.get(id)?.publishedAt })
    return pages
  }

  /** Reads all pages in the order of their URLs, some at a time, for another index. */
  async *pages(): AsyncGenerator<RecordedPages> {
    for await (const rows of this.#store.pagesOf(allUrls))
      for (let from = 0; from < rows.length; from += PAGES_AT_ONCE)
        yield this.#recordedPages(rows.slice(from, from + PAGES_AT_ONCE).map(([key]) => urlOfKey(key)))
  }

  /** Reads all aliases and vectors, some at a time, for another index. The last operation has the list of the models. */
  async *aliasesAndVectors(): AsyncGenerator<Operation[]> {
    for (const range of [allAliases, allClaims, allVectors])
      for await (const rows of this.#store.pagesOf(range))
        yield rows.map(([key, value]) => ({ type: 'put', key, value }))
    if (this.#models !== null) yield [{ type: 'put', key: modelsKey, value: Buffer.from(this.#models) }]
  }

  /** Returns the titles of captures, in the same order. Captures that were deleted meanwhile are left out. */
  async titles(captures: readonly Omit<CurrentPage, 'title'>[]): Promise<TitleColumns> {
    const titles = new TitleColumnsBuilder()
    for (let from = 0; from < captures.length; from += TITLES_AT_ONCE) {
      const some = captures.slice(from, from + TITLES_AT_ONCE)
      const documents = await this.#store.getMany(some.map(({ captureId }) => documentKey(captureId)))
      for (const [i, capture] of some.entries()) {
        const document = documents[i]
        if (document) addPage(titles, { ...capture, title: decodeHead(document).texts.title })
      }
    }
    return titles.build()
  }

  /** Returns for each capture, in the same order, the values by which searches filter it from each of its revisions on. */
  async revisedStates(captureIds: readonly number[]): Promise<RevisedState[][]> {
    return (await this.#store.getMany(captureIds.map(revisionRowsKey))).map(readRevisedStates)
  }

  /** Returns one slice of the export as of an instant. */
  export(range: ExportRange, instant: number): Promise<ExportSlice> {
    const part = new PartialIndex(this.#counters)
    const pages = new PagesInOrder(part, this.#store)
    const snapshot = {
      store: part.store,
      instant,
      // A getter, because captures are brought into the part during the export.
      get catalog() {
        return part.catalog
      },
    }
    return exportSlice(pages, range, snapshot, captureId => pages.bring(captureId))
  }

  /**
   * Selects pages among the next URLs. Reads at most {@link URLS_AT_ONCE} histories, which may be fewer than the caller allows.
   *
   * @param readFields - reads the fields of the whole index as of the instant.
   */
  async select(
    conditions: Conditions,
    { after, isOfAllTime }: SelectedRange,
    instant: number,
    readFields: () => Promise<IndexFields>,
  ): Promise<SelectedPages> {
    const part = new PartialIndex(this.#counters)
    const ranges = rangesOf(conditions.prefix, after)
    const records = await this.#store.firstOf(ranges.records, URLS_AT_ONCE)
    const claims = isOfAllTime && !conditions.filter ? await this.#store.firstOf(ranges.claims, CLAIMS_AT_ONCE) : []
    // The last URL with a claim may have more claims than were read. One claim is enough to select it.
    const ends: Buffer[] = []
    if (records.length >= URLS_AT_ONCE) ends.push(Buffer.from(urlOfKey(records.at(-1)![0])))
    if (claims.length >= CLAIMS_AT_ONCE) ends.push(Buffer.from(urlOfClaim(claims.at(-1)![0])))
    const end = ends.sort(Buffer.compare)[0]
    const isRead = (url: Uint8Array): boolean => !end || Buffer.compare(url, end) <= 0
    const read = records.filter(([key]) => isRead(key.subarray(1)))
    const rows = [...read, ...claims.filter(([key]) => isRead(urlOfClaim(key)))]
    part.store.apply(rows.map(([key, value]) => ({ type: 'put', key, value })))
    if (conditions.filter) {
      const current = read.flatMap(([, record]) => captureAt(decodeUrlRecord(record), instant)?.captureId ?? [])
      const urls = read.map(([key]) => urlOfKey(key))
      await loadPages(part, urls, this.#store, { captureIds: new Set(current), followsAliases: false })
    }
    const all = { after, atMost: Number.POSITIVE_INFINITY, mostRead: Number.POSITIVE_INFINITY, isOfAllTime }
    const fields = conditions.filter && (await readFields())
    const selected = await selectPages(part.store, conditions, all, part.snapshot(instant), fields)
    return end ? { ...selected, next: end.toString() } : selected
  }

  /** Adds observations. */
  async enter(entries: readonly Entry[], options: EnterOptions): Promise<EnteredChange> {
    const part = await this.#part(new Set(entries.map(urlOfEntry)), {
      aliases: new Set(entries.flatMap(aliasesOf)),
      isForCommit: true,
    })
    return this.#enter(part, entries, options)
  }

  /**
   * Adds one observation. `entryOf` makes it from the latest history of the page, which decides for which URL it is recorded.
   *
   * @param url - the URL that the observation is about, normalized.
   */
  async change(url: string, entryOf: (latest: Snapshot) => Entry, options: EnterOptions): Promise<EnteredChange> {
    const part = await this.#part([url], { isForCommit: true })
    return this.#enter(part, [entryOf(part.snapshot(Number.POSITIVE_INFINITY))], options)
  }

  async #enter(
    part: PartialIndex,
    entries: readonly Entry[],
    { stampAt, fields, model }: EnterOptions,
  ): Promise<EnteredChange> {
    const declared = entries.map(declaredAtOf).filter(at => at !== undefined)
    const at = stampAt(Math.max(...declared))
    const readVectors = model === undefined ? undefined : (ids: readonly number[]) => this.vectors(ids, model)
    const options = { isSearched: false, readVectors }
    const { outcomes, ...change } = await part.commit(entries, at, await fields(), options)
    return { outcomes, change, at, rewrites: declared.length > 0 }
  }

  /** Returns the vectors of captures. @param model - the identity of the model in use; undefined if none is. */
  async vectors(captureIds: readonly number[], model: string | undefined): Promise<StoredVectors> {
    const { all } = StoredModels.decoded(this.#models)
    const store = await this.#copy(captureIds.flatMap(captureId => all.map(({ id }) => vectorKey(captureId, id))))
    if (this.#models !== null) store.apply([{ type: 'put', key: modelsKey, value: Buffer.from(this.#models) }])
    const vectors = new StoredVectors(store, model)
    await vectors.load()
    return vectors
  }

  /**
   * Returns the operations that write vectors and delete those of deleted captures, and the new list of models, as text.
   *
   * @param change.isLate - true if the captures are already in the index.
   */
  async changeVectors({
    added,
    deleted,
    isLate,
    model,
  }: {
    added: readonly CaptureVector[]
    deleted: readonly number[]
    isLate: boolean
    model: string | undefined
  }): Promise<{ operations: Operation[]; models?: string }> {
    if (added.length === 0 && (this.#models === null || deleted.length === 0)) return { operations: [] }
    const vectors = await this.vectors(deleted, model)
    const gone = await vectors.deleting(deleted)
    const made = vectors.adding(added, { late: isLate }, gone.models)
    const all = [...gone.operations, ...made.operations]
    const isOfModels = ({ key }: Operation): boolean => key[0] === modelsKey[0]
    const models = all.findLast(isOfModels)
    const operations = all.filter(one => !isOfModels(one))
    return models?.type === 'put' ? { operations, models: Buffer.from(models.value).toString() } : { operations }
  }

  /** Returns the contents of captures. Captures that were deleted meanwhile are left out. */
  contents(captureIds: readonly number[]): Promise<StoredValues> {
    return this.#copy(captureIds.flatMap(id => [documentKey(id), bodyKey(id)]))
  }

  async #copy(keys: readonly Uint8Array[]): Promise<MemoryStore> {
    const values = await this.#store.getMany(keys)
    const store = new MemoryStore()
    store.apply(values.flatMap((value, k) => (value ? [{ type: 'put' as const, key: keys[k]!, value }] : [])))
    return store
  }

  /** Deletes histories from all of time, see `PartialIndex.purge`. @param options.ofPage - true to delete the pages that URLs are aliases of. */
  async purge(urls: readonly string[], { ofPage = false } = {}): ReturnType<PartialIndex['purge']> {
    const part = await this.#part(urls)
    const all = ofPage ? urls.flatMap(url => purgedUrls(url, part.snapshot(Number.POSITIVE_INFINITY))) : urls
    await loadPages(part, all, this.#store, { claims: true })
    return part.purge(all)
  }

  /** Deletes expired captures, see `PartialIndex.expire`. */
  async expire(expired: readonly (ExpiredCapture & { url: string })[]): ReturnType<PartialIndex['expire']> {
    const captureIds = new Set(expired.map(({ captureId }) => captureId))
    const part = await this.#part(new Set(expired.map(({ url }) => url)), { captureIds, claims: true })
    return part.expire(expired)
  }

  /** Takes over pages of another index, see `PartialIndex.adopt`. @param pages - Default: none. */
  adopt(pages: Partial<RecordedPages> = {}, counters = this.#counters): Promise<PartChange> {
    return new PartialIndex(this.#counters).adopt({ ...noPages(), ...pages }, counters)
  }
}
