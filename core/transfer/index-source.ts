import { AsofError } from '@asof/extract/errors'
import { relevanceInstants } from '../relevance/stored-relevance.ts'
import { expectIndex, expectPath, finishSwap, indexFolderOf } from '../repair/index-folder.ts'
import { PostingCache } from '../segment/posting-cache.ts'
import { FolderStore } from '../store/folder-store.ts'
import { type Identity, newIdentity } from '../store/identity.ts'
import { allAliases, allClaims, allUrls, allVectors, modelsKey, relevanceKey, urlOfKey } from '../store/keys.ts'
import type { Manifest } from '../store/manifest.ts'
import { type Catalog, loadCatalog, locateCapture } from '../store/snapshots/catalog.ts'
import { statsOf } from '../store/snapshots/index-stats.ts'
import type { Operation, Store } from '../store/store.ts'
import { addRecordedPage, noPages, type RecordedPages } from './recorded-pages.ts'

const CACHE_BYTES = 32 * 1024 * 1024
/** Number of captures, and size of their contents, that are read at a time. One page may have more. */
const CAPTURES_AT_ONCE = 500
const CHARS_AT_ONCE = 4 * 1024 * 1024
const VALUES_AT_ONCE = 2_000

/** The index of a data folder that no process has open, read page by page. */
export class IndexSource {
  readonly #store: Store
  readonly #catalog: Catalog

  private constructor(store: Store, catalog: Catalog) {
    this.#store = store
    this.#catalog = catalog
  }

  /**
   * @throws ASOF_STORE_MISSING - there is no index.
   * @throws ASOF_STORE_LOCKED - a process has it open.
   * @throws ASOF_STORE_FORMAT - the index has another format, analyzer or ranking than a new index, or an unfinished upgrade. Run `upgrade`.
   * @throws ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  static async open(dir: string): Promise<IndexSource> {
    expectPath(dir)
    await finishSwap(dir)
    await expectIndex(dir)
    const store = await FolderStore.open(indexFolderOf(dir), { cacheBytes: CACHE_BYTES })
    try {
      const catalog = await loadCatalog(store, new PostingCache(0))
      const { format, analyzer, ranking } = newIdentity()
      const found: Identity = catalog.identity
      if (found.upgrade || found.format !== format || found.analyzer !== analyzer || found.ranking !== ranking)
        throw new AsofError('ASOF_STORE_FORMAT', `the index in ${dir} has older rules: run asof upgrade first`)
      return new IndexSource(store, catalog)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** The counters of the index. */
  get manifest(): Manifest {
    return this.#catalog.manifest
  }

  get stats(): { captures: number; urls: number } {
    return statsOf(this.#catalog)
  }

  /** The versions of the relevance, as they are stored, with their instants in epoch ms. */
  get relevance(): { at: number; value: Uint8Array }[] {
    const count = this.#catalog.manifest.relevanceVersions ?? 0
    return relevanceInstants(this.#store)
      .slice(0, count)
      .map((at, v) => ({ at, value: this.#store.get(relevanceKey(v + 1))! }))
  }

  /** Reads all pages in the order of their URLs, some at a time. @param has - returns those of the given URLs that are left out. */
  async *pages(has: (urls: readonly string[]) => Promise<ReadonlySet<string>>): AsyncGenerator<RecordedPages> {
    const publishedAt = (captureId: number, acquiredAt: number): number | undefined => {
      const { segment, ordinal } = locateCapture(this.#catalog, captureId, acquiredAt)
      const at = segment.columns.publishedAt[ordinal]!
      return Number.isNaN(at) ? undefined : at
    }
    const source = { store: this.#store, publishedAt }
    let pages = noPages()
    for await (const urls of this.#urls()) {
      const known = await has(urls)
      for (const url of urls) {
        if (known.has(url)) continue
        addRecordedPage(pages, url, source)
        if (pages.captures.length < CAPTURES_AT_ONCE && pages.chars < CHARS_AT_ONCE) continue
        yield pages
        pages = noPages()
      }
    }
    if (pages.operations.length > 0) yield pages
  }

  /** The list of the models that computed vectors, as it is stored. Undefined if none did. */
  get models(): Uint8Array | undefined {
    return this.#store.get(modelsKey)
  }

  /** Reads all aliases and vectors, some at a time. */
  async *aliasesAndVectors(): AsyncGenerator<Operation[]> {
    let operations: Operation[] = []
    for (const range of [allAliases, allClaims, allVectors])
      for await (const [key, value] of this.#store.iterate(range)) {
        operations.push({ type: 'put', key, value })
        if (operations.length < VALUES_AT_ONCE) continue
        yield operations
        operations = []
      }
    if (operations.length > 0) yield operations
  }

  async *#urls(): AsyncGenerator<string[]> {
    let urls: string[] = []
    for await (const [key] of this.#store.iterate(allUrls)) {
      urls.push(urlOfKey(key))
      if (urls.length < CAPTURES_AT_ONCE) continue
      yield urls
      urls = []
    }
    if (urls.length > 0) yield urls
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
