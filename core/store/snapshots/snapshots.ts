import { AsofError } from '../../errors.ts'
import type { PostingCache } from '../../segment/posting-cache.ts'
import { Segment } from '../../segment/segment.ts'
import { MergeSignals } from '../../threads/work-pace.ts'
import type { Manifest } from '../manifest.ts'
import type { Store } from '../store.ts'
import type { StoredValues } from '../store-reader.ts'
import { type Catalog, type CatalogChange, followChange, loadCatalog } from './catalog.ts'

/** What one read sees: one state of the index, as of one instant. */
export interface Snapshot {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
}

/** Threads that read the same LevelDB folder and have a catalog of their own. */
export interface SnapshotFollower {
  /** Receives every change of the catalog, in order, when it takes effect. */
  follow(change: CatalogChange): void
  /** Resolves when all changes that were sent have been applied. Until then the threads may open segments that a change removes. */
  caughtUp(): Promise<void>
  /** Closes the folder, because the store will be reopened. */
  stop(): Promise<void>
}

/**
 * The states of the index that reads see. The writer publishes each committed change here. Searches, pages, histories and suggestions read
 * from here. A read sees one complete catalog. Running reads are counted, so that a merge or a purge deletes data only when no read needs
 * it.
 */
export class Snapshots {
  /** Tells background work, such as merges and backups, that reads are running, so that it slows down. */
  readonly signals = new MergeSignals()
  /** The segments that an earlier process left unfinished. They were deleted when the index was opened. */
  readonly strays: readonly number[]
  readonly #store: Store
  readonly #cache: PostingCache
  readonly #now: () => number
  readonly #followers: SnapshotFollower[] = []
  /** Running asynchronous reads. They may need segments that the current catalog no longer names. */
  readonly #reads = new Set<Promise<unknown>>()
  #catalog: Catalog
  /** A promise that settles when the store can be read again: after the recovery from a failed write, or after an exclusive change. */
  #unreadable: Promise<unknown> | undefined
  /** The running write, which has a stamp. Reads must not see its captures yet. */
  #writing: { stampAt: number; done: Promise<unknown> } | undefined
  /** The latest instant as of which an answer was given. */
  #answeredAt = Number.NEGATIVE_INFINITY
  #closed = false

  private constructor(store: Store, cache: PostingCache, now: () => number, catalog: Catalog, strays: number[]) {
    this.#store = store
    this.#cache = cache
    this.#now = now
    this.#catalog = catalog
    this.strays = strays
  }

  /**
   * Loads the catalog of a store.
   *
   * @param cache - the posting lists that reads on this thread keep open.
   * @param options.now - the clock of the engine, epoch ms.
   */
  static async open(store: Store, cache: PostingCache, { now }: { now: () => number }): Promise<Snapshots> {
    const strays: number[] = []
    const catalog = await loadCatalog(store, cache, id => strays.push(id))
    return new Snapshots(store, cache, now, catalog, strays)
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  /** Number of captures in the index, including tombstones that no merge has removed yet. */
  get captures(): number {
    return this.#catalog.segments.reduce((total, { captures }) => total + captures, 0)
  }

  /** Returns the instant that "now" means, epoch ms: the time of the clock, but never before the last stamp. */
  currentInstant(): number {
    return Math.max(this.#now(), this.#catalog.manifest.lastStampAt)
  }

  /** Makes a follower receive every later change of the catalog. */
  addFollower(follower: SnapshotFollower): void {
    this.#followers.push(follower)
  }

  /**
   * Runs `work` on one snapshot. No capture will be stamped at or before an instant that was read. So what `work` sees is final, except for
   * declared history.
   *
   * @param prepare - gets the current instant, and returns the query with its instant; undefined means now. If it throws, the read rejects
   *   with that error.
   * @throws ASOF_CLOSED
   */
  async read<Q extends { instant: number | undefined }, T>(
    prepare: (requestAt: number) => Q,
    work: (query: Q, snapshot: Snapshot) => T | Promise<T>,
  ): Promise<T> {
    for (;;) {
      // This is not a function, because awaiting one would also delay reads that need not wait. If a recovery failed, the read itself fails
      // below.
      while (this.#unreadable) await this.#unreadable.catch(() => {})
      const requestAt = this.currentInstant()
      const query = prepare(requestAt)
      const instant = query.instant ?? Math.min(requestAt, (this.#writing?.stampAt ?? Number.POSITIVE_INFINITY) - 1)
      const isPast = query.instant === undefined && instant < this.#catalog.manifest.lastStampAt
      if (!this.#writing || (instant < this.#writing.stampAt && !isPast)) {
        this.expectOpen()
        this.markAnswered(instant)
        this.signals.searched()
        const read = work(query, { store: this.#store, catalog: this.#catalog, instant })
        return read instanceof Promise ? await this.#counted(read) : read
      }
      // The running commit is stamped at or before the instant of this read. So the read must see it, and waits for it. The same holds for a
      // read of "now" if the clock is behind earlier stamps. If the commit fails, its own caller gets the error.
      await this.#writing.done.catch(() => {})
    }
  }

  /** Runs `work` on the snapshot of now. */
  readNow<T>(work: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
    return this.read(
      () => ({ instant: undefined }),
      (_, snapshot) => work(snapshot),
    )
  }

  /** Returns the state after all committed observations. It is for changes that depend on that state. Answers must use {@link read}. */
  async latest(): Promise<Snapshot> {
    while (this.#unreadable) await this.#unreadable.catch(() => {})
    return { store: this.#store, catalog: this.#catalog, instant: Number.POSITIVE_INFINITY }
  }

  /** @throws ASOF_CLOSED - the engine is closed or is closing. */
  expectOpen(): void {
    if (this.#closed) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
  }

  /** Rejects reads that have not begun. */
  close(): void {
    this.#closed = true
  }

  /** Releases the memory that reads on this thread keep, because other threads answer from now on. */
  clearCaches(): void {
    this.#cache.clear()
    this.#store.clearCache()
  }

  // Only the writer and its background work call the methods below.

  /** Records that the index was read or copied as of an instant. No later write is stamped at or before it. */
  markAnswered(instant: number): void {
    this.#answeredAt = Math.max(this.#answeredAt, instant)
  }

  /** Returns the first instant, at or after `at`, that is later than every instant as of which an answer was given. */
  unansweredFrom(at: number): number {
    return at > this.#answeredAt ? at : this.#answeredAt + 1
  }

  /** Runs a write that has a stamp. Until it ends, reads of now answer as of the instant before the stamp. */
  async whileWriting<T>(stampAt: number, write: () => Promise<T>): Promise<T> {
    const done = write()
    this.#writing = { stampAt, done }
    try {
      return await done
    } finally {
      this.#writing = undefined
    }
  }

  /** Makes a committed change visible to later reads, on this thread and on the threads that follow. */
  publish(change: CatalogChange): void {
    this.#catalog = followChange(
      this.#catalog,
      change,
      (info, columns) => new Segment(info, columns, this.#store.chunks(info.id), this.#cache),
    )
    for (const follower of this.#followers) follower.follow(change)
  }

  /** Replaces the manifest by another one with the same segments. */
  replaceManifest(manifest: Manifest): void {
    this.#catalog = { ...this.#catalog, manifest }
  }

  /** Loads the catalog again after the store was reopened. */
  async reload(): Promise<void> {
    this.#cache.clear()
    this.#catalog = await loadCatalog(this.#store, this.#cache)
  }

  /** Makes the followers close the folder. */
  async stopFollowers(): Promise<void> {
    for (const follower of this.#followers) await follower.stop()
  }

  /** Waits until no running read, on any thread, needs data that the current catalog does not name. */
  async readsEnd(): Promise<void> {
    await Promise.allSettled([...this.#reads, ...this.#followers.map(follower => follower.caughtUp())])
  }

  /** Runs `change` when the running reads have ended. Later reads wait until it is done. */
  async exclusively(change: () => Promise<void>): Promise<void> {
    this.#unreadable = this.readsEnd()
      .then(change)
      .finally(() => {
        this.#unreadable = undefined
      })
    await this.#unreadable
  }

  async #counted<T>(read: Promise<T>): Promise<T> {
    this.#reads.add(read)
    try {
      return await read
    } finally {
      this.#reads.delete(read)
    }
  }
}
