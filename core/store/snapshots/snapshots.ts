import { AsofError } from '@asof/extract/errors'
import type { PostingCache } from '../../segment/posting-cache.ts'
import { Segment } from '../../segment/segment.ts'
import { MergeSignals } from '../../threads/work-pace.ts'
import type { Manifest } from '../manifest.ts'
import type { Store } from '../store.ts'
import type { StoredValues } from '../store-reader.ts'
import { type Catalog, type CatalogChange, followChange, loadCatalog } from './catalog.ts'

/** What one read sees: the state of the index after one commit, as of an instant. */
export interface Snapshot {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
}

/** Reads of pages and their histories. */
export interface PageReads extends Pick<Snapshots, 'read'> {
  /** The last instant that reads can see, epoch ms. `Infinity` if the index is not sealed. */
  readonly sealedAt: number
}

/** How reads see the index: as it is, or only up to an instant. */
export interface SnapshotReads
  extends PageReads,
    Pick<Snapshots, 'catalog' | 'currentInstant' | 'expectOpen' | 'readNow'> {}

/** Threads that read the same LevelDB folder with their own copy of the catalog. */
export interface SnapshotFollower {
  /** Receives each change of the catalog, in order. */
  follow(change: CatalogChange): void
  /**
   * Resolves when all changes sent so far are applied. Until then the threads may still open segments that a change
   * removed.
   */
  caughtUp(): Promise<void>
  /** Closes the folder, so that the store can be reopened. */
  stop(): Promise<void>
}

/**
 * Gives reads a consistent state of the index. The writer publishes each commit here. Counts running reads, so that a
 * merge or purge deletes data only when no read needs it.
 */
export class Snapshots implements SnapshotReads {
  /** Signals to merges and backups that searches are running, so that they slow down. */
  readonly signals = new MergeSignals()
  /** Numbers of the unfinished segments of an earlier process, which were deleted when the index was opened. */
  readonly strays: readonly number[]
  readonly sealedAt = Number.POSITIVE_INFINITY
  readonly #store: Store
  readonly #cache: PostingCache
  readonly #now: () => number
  readonly #followers: SnapshotFollower[] = []
  /** Running reads. They may need segments that the current catalog no longer names. */
  readonly #reads = new Set<Promise<unknown>>()
  #catalog: Catalog
  /** A promise that settles when reads may begin again, after a recovery from a failed write or an exclusive change. */
  #unreadable: Promise<unknown> | undefined
  /** The running write. Reads must not see its captures, which are stamped `stampAt`, before it is done. */
  #writing: { stampAt: number; done: Promise<unknown> } | undefined
  /** The latest instant for which a read was answered. */
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

  /** Makes a follower receive all later changes of the catalog. */
  addFollower(follower: SnapshotFollower): void {
    this.#followers.push(follower)
  }

  /**
   * Runs `work` on a snapshot. Later captures are stamped after the snapshot's instant, so only declared history can
   * change what `work` sees.
   *
   * @param prepare - gets the current instant, and returns the query with the instant to answer as of; undefined means now. If it
   *   throws, the read rejects with that error.
   * @throws ASOF_CLOSED
   */
  async read<Q extends { asOf: number | undefined }, T>(
    prepare: (requestedAt: number) => Q,
    work: (query: Q, snapshot: Snapshot) => T | Promise<T>,
  ): Promise<T> {
    for (;;) {
      // This loop is not a function of its own: awaiting one would delay reads that need not wait. If a recovery
      // failed, the read itself fails below.
      while (this.#unreadable) await this.#unreadable.catch(() => {})
      const requestedAt = this.currentInstant()
      const query = prepare(requestedAt)
      const instant = query.asOf ?? Math.min(requestedAt, (this.#writing?.stampAt ?? Number.POSITIVE_INFINITY) - 1)
      const isPast = query.asOf === undefined && instant < this.#catalog.manifest.lastStampAt
      if (!this.#writing || (instant < this.#writing.stampAt && !isPast)) {
        this.expectOpen()
        this.markAnswered(instant)
        this.signals.searched()
        const read = work(query, { store: this.#store, catalog: this.#catalog, instant })
        return read instanceof Promise ? await this.#counted(read) : read
      }
      // The running commit is stamped at or before the instant of this read, so the read must see it and waits. This
      // can also happen for "now", if the clock is behind earlier stamps. If the commit fails, its own caller gets the
      // error.
      await this.#writing.done.catch(() => {})
    }
  }

  /** Runs `work` on a snapshot as of now. */
  readNow<T>(work: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
    return this.read(
      () => ({ asOf: undefined }),
      (_, snapshot) => work(snapshot),
    )
  }

  /**
   * Returns the state after all commits, for changes that depend on it. Reads that are answered must use {@link read}.
   */
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

  /** Empties the caches of this thread. @param share - the share of their bytes that they may take from now on. */
  clearCaches(share: number): void {
    this.#cache.clear(share)
    this.#store.clearCache(share)
  }

  // The methods below are for the writer and its background work.

  /** Records that the index was read as of an instant. Later writes get later instants. */
  markAnswered(instant: number): void {
    this.#answeredAt = Math.max(this.#answeredAt, instant)
  }

  /** Returns the first instant from `at` on for which no read was answered. */
  unansweredFrom(at: number): number {
    return at > this.#answeredAt ? at : this.#answeredAt + 1
  }

  /**
   * Runs a write whose captures are stamped `stampAt`. Until it is done, reads as of now use the instant just before.
   */
  async whileWriting<T>(stampAt: number, write: () => Promise<T>): Promise<T> {
    const done = write()
    this.#writing = { stampAt, done }
    try {
      return await done
    } finally {
      this.#writing = undefined
    }
  }

  /** Makes a change visible to later reads, on this thread and on followers. */
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

  /** Makes all followers close the folder. */
  async stopFollowers(): Promise<void> {
    for (const follower of this.#followers) await follower.stop()
  }

  /** Waits until no running read, on any thread, needs data that the current catalog no longer names. */
  async readsEnd(): Promise<void> {
    await Promise.allSettled([...this.#reads, ...this.#followers.map(follower => follower.caughtUp())])
  }

  /** Runs `change` alone: after all running reads, and before any later read. */
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
