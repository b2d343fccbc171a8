import { mkdir, rename } from 'node:fs/promises'
import { AsofError } from '@asof/extract/errors'
import { prepareRecorded } from '../ingest/commit.ts'
import { encodeRelevance } from '../relevance/stored-relevance.ts'
import { clearWork, expectPath, finishSwap, indexFoldersIn, repairedOf, workOf } from '../repair/index-folder.ts'
import { FolderStore } from '../store/folder-store.ts'
import { encodeIdentity, newIdentity } from '../store/identity.ts'
import { identityKey, manifestKey, relevanceInstantsKey, relevanceKey } from '../store/keys.ts'
import { emptyManifest, encodeManifest, type Manifest } from '../store/manifest.ts'
import type { Operation, Store } from '../store/store.ts'
import type { RecordedPages } from './recorded-pages.ts'

const CACHE_BYTES = 8 * 1024 * 1024

/** A new index for a data folder. While it is written, the data folder has no index; `finish` gives it this one. */
export class NewIndex {
  readonly #dir: string
  readonly #store: Store
  readonly #identity = newIdentity()
  #manifest: Manifest

  private constructor(dir: string, store: Store, manifest: Manifest) {
    this.#dir = dir
    this.#store = store
    this.#manifest = manifest
  }

  /**
   * Begins an index, and deletes one that was begun before and not finished.
   *
   * @param counters - the counters of the index that is copied.
   * @param relevance - the versions of its relevance, as they are stored, with their instants in epoch ms.
   * @throws ASOF_INVALID_OPTION - the folder has an index.
   */
  static async begin(
    dir: string,
    counters: Partial<Manifest>,
    relevance: readonly { at: number; value: Uint8Array }[],
  ): Promise<NewIndex> {
    expectPath(dir)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await finishSwap(dir)
    const { fresh } = workOf(dir)
    if ((await indexFoldersIn(dir)).some(name => name !== fresh && name !== repairedOf(dir)))
      throw new AsofError('ASOF_INVALID_OPTION', `${dir} has an index already: name a new folder`, {
        details: { field: 'dir' },
      })
    await clearWork(dir)
    const store = await FolderStore.open(fresh, { cacheBytes: CACHE_BYTES })
    const versions = relevance.length > 0 ? { relevanceVersions: relevance.length } : {}
    const target = new NewIndex(dir, store, { ...emptyManifest, ...counters, ...versions, segments: [], generation: 1 })
    await store.commit([
      { type: 'put', key: identityKey, value: encodeIdentity(target.#identity) },
      ...relevance.map(({ value }, v): Operation => ({ type: 'put', key: relevanceKey(v + 1), value })),
      { type: 'put', key: relevanceInstantsKey, value: encodeRelevance(relevance.map(({ at }) => at)) },
      { type: 'put', key: manifestKey, value: encodeManifest(target.#manifest) },
    ])
    return target
  }

  async write({ operations, captures }: RecordedPages): Promise<void> {
    const catalog = { identity: this.#identity, manifest: this.#manifest, segments: [] }
    const prepared = captures.length > 0 ? await prepareRecorded(this.#store, catalog, captures) : undefined
    await this.#store.commit([...operations, ...(prepared?.operations ?? [])])
    if (prepared) this.#manifest = prepared.change.manifest
    prepared?.release()
  }

  async writeValues(operations: Operation[]): Promise<void> {
    await this.#store.commit(operations)
  }

  /** Finishes the index, and makes it the index of the data folder. */
  async finish(): Promise<void> {
    this.#store.acknowledge(this.#manifest.generation)
    await this.#store.close()
    await rename(workOf(this.#dir).fresh, repairedOf(this.#dir))
    await finishSwap(this.#dir)
  }

  /** Closes the index without finishing it. */
  close(): Promise<void> {
    return this.#store.close()
  }
}
