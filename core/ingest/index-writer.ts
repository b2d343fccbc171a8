import PQueue from 'p-queue'
import type { BackupOptions, BackupReport } from '../engine.ts'
import { AsofError } from '../errors.ts'
import { preparePurge } from '../history/prepare-purge.ts'
import { Retainer } from '../history/retainer.ts'
import { type Expired, prepareRetirement } from '../history/retention.ts'
import type { PreparedErasure } from '../history/tombstones.ts'
import type { MergePolicy } from '../merge/merge-policy.ts'
import { Merger } from '../merge/merger.ts'
import { type PostingCache, Segment } from '../segment/segment.ts'
import { Backup } from '../store/backup/backup.ts'
import { failpoint } from '../store/failpoint.ts'
import { documentKey, manifestKey } from '../store/keys.ts'
import { encodeManifest } from '../store/manifest.ts'
import { type Catalog, type CatalogChange, followChange, loadCatalog } from '../store/snapshots/catalog.ts'
import { statsOf } from '../store/snapshots/index-stats.ts'
import type { Store } from '../store/store.ts'
import { type Later, later } from '../threads/back-off.ts'
import type { CaptureVector, StoredVectors } from '../vectors/stored-vectors.ts'
import { type Build, type Entry, type Outcome, prepareCommit } from './commit-batch.ts'

export interface WriterOptions {
  /** The engine's clock, epoch ms. */
  now: () => number
  /** Told of failures that harm no answer: a merge that could not be done. */
  onWarning: (warning: Error) => void
  mergePolicy: MergePolicy
  /** Given an instant, the one before which a capture must have been superseded to be let go. Default: all are kept. */
  retainAt?: (now: number) => number
  /** Timers of what happens in the background. Default: the system's. */
  later?: Later
  readers: ReadingThreads
  /** Builds the segments of batches: on another thread, if it takes long. */
  build: Build
  /** Told that a merge of so many captures begins while nothing is added. */
  onMergeAtRest?: (captures: number) => void
  /** Loaded when the writer is opened, and written by it alone. */
  vectors: StoredVectors
}

/** Threads that read the index beside this one. */
export interface ReadingThreads {
  /** Told of every change of the catalog, in order, in the moment it takes effect. */
  follow(change: CatalogChange): void
  /** Resolves when the changes so far have arrived: until then a segment that one of them names may be opened. */
  caughtUp(): Promise<void>
  /** Makes them let go of the store. */
  release(): Promise<void>
}

/** One state of the index, as of one instant. */
export interface Reading {
  /** Epoch ms. */
  instant: number
  catalog: Catalog
}

/** The one writer of an index: every change of the catalog goes through it, one at a time. */
export class IndexWriter {
  #catalog: Catalog
  readonly #store: Store
  readonly #cache: PostingCache
  readonly #now: () => number
  readonly #readers: ReadingThreads
  readonly #build: Build
  readonly #vectors: StoredVectors
  /** Reads under way on other threads. They may need what the catalog of now no longer names. */
  readonly #reads = new Set<Promise<unknown>>()
  readonly #turns = new PQueue({ concurrency: 1 })
  readonly #merger: Merger
  readonly #backups = new Set<Backup>()
  readonly #retainer: Retainer | undefined
  /** Settles when the store can be read again: while it recovers from a failed write, and during a purge. */
  #unreadable: Promise<unknown> | undefined
  /** The write under way: its stamp is taken, its captures are not to be seen yet. */
  #writing: { stampAt: number; done: Promise<unknown> } | undefined
  #answeredAt = Number.NEGATIVE_INFINITY
  #hasWritten = false
  #closed = false

  private constructor(store: Store, cache: PostingCache, options: WriterOptions, catalog: Catalog) {
    this.#store = store
    this.#cache = cache
    this.#now = options.now
    this.#readers = options.readers
    this.#build = options.build
    this.#vectors = options.vectors
    this.#catalog = catalog
    const host = {
      catalog: () => this.#catalog,
      turn: <T>(change: () => Promise<T>) => this.#turns.add(change),
      reserveSegment: () => this.#reserveSegment(),
      follow: (change: CatalogChange) => this.#follow(change),
      readsEnd: () => this.#readsEnd(),
      mergesAtRest: (captures: number) => options.onMergeAtRest?.(captures),
      onWarning: options.onWarning,
    }
    if (options.retainAt)
      this.#retainer = new Retainer(
        {
          catalog: host.catalog,
          now: () => this.currentInstant(),
          retire: expired => this.#retire(expired),
          onWarning: options.onWarning,
        },
        options.retainAt,
      )
    this.#merger = new Merger(host, { store, policy: options.mergePolicy, later: options.later ?? later })
  }

  static async open(store: Store, cache: PostingCache, options: WriterOptions): Promise<IndexWriter> {
    const strays: number[] = []
    const catalog = await loadCatalog(store, cache, id => strays.push(id))
    await options.vectors.load()
    const writer = new IndexWriter(store, cache, options, catalog)
    writer.#merger.start(strays)
    writer.#retainer?.consider()
    return writer
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  get mergesUnderWay(): number {
    return this.#merger.mergesUnderWay
  }

  /** The instant of "now": the clock, but never before the last stamp. */
  currentInstant(): number {
    return Math.max(this.#now(), this.#catalog.manifest.lastStampAt)
  }

  /** The state of the index at the end of its time, for a change that builds on it: that answers no question. */
  async latest(): Promise<Reading> {
    while (this.#unreadable) await this.#unreadable.catch(() => {})
    return { instant: Number.POSITIVE_INFINITY, catalog: this.#catalog }
  }

  /**
   * Runs `work` on one state of the index, as of one instant. No capture will ever be stamped at or before an instant
   * that was read, so what `work` sees as of it is final, but for declared history.
   *
   * @param prepare - told the clock; returns the instant asked for, undefined for now. What it throws rejects the read.
   */
  async read<Q extends { queryAt: number | undefined }, T>(
    prepare: (requestAt: number) => Q,
    work: (query: Q, reading: Reading) => T | Promise<T>,
  ): Promise<T> {
    for (;;) {
      // Whether a failed recovery left the store readable shows in the read itself.
      while (this.#unreadable) await this.#unreadable.catch(() => {})
      const requestAt = this.currentInstant()
      const query = prepare(requestAt)
      const instant = query.queryAt ?? Math.min(requestAt, (this.#writing?.stampAt ?? Number.POSITIVE_INFINITY) - 1)
      const isPast = query.queryAt === undefined && instant < this.#catalog.manifest.lastStampAt
      if (!this.#writing || (instant < this.#writing.stampAt && !isPast)) {
        this.#answeredAt = Math.max(this.#answeredAt, instant)
        this.#merger.signals.searched()
        const read = work(query, { instant, catalog: this.#catalog })
        return read instanceof Promise ? await this.#tracked(read) : read
      }
      // Asked as of the very instant that is being written; a failure is the writer's.
      await this.#writing.done.catch(() => {})
    }
  }

  /**
   * Enters a batch and makes it durable.
   *
   * @throws ASOF_STORE_WRITE - nothing of the batch was kept.
   * @throws ASOF_CLOSED
   */
  async write(entries: readonly Entry[]): Promise<Outcome[]> {
    // Not within a turn: a merge needs turns of its own to end.
    await this.#merger.room()
    return this.#turn(async () => {
      const stampAt = this.#stampFor(entries)
      const done = this.#commit(entries, stampAt)
      this.#writing = { stampAt, done }
      try {
        return await done
      } finally {
        this.#writing = undefined
      }
    })
  }

  async #commit(entries: readonly Entry[], stampAt: number): Promise<Outcome[]> {
    failpoint('commit-1-begin')
    const prepared = await prepareCommit(this.#store, this.#catalog, entries, stampAt, {
      build: this.#build,
      ...(this.#vectors.table && { vectorOf: captureId => this.#vectors.of(captureId) }),
    })
    const { superfluous } = prepared
    const erased = superfluous && (await this.#vectors.erasing(superfluous.captureIds))
    const entered = this.#vectors.entering(prepared.vectors, { late: false }, erased?.models)
    failpoint('commit-2-prepared')
    const operations = [...prepared.operations, ...(erased?.operations ?? []), ...entered.operations]
    const write = async (): Promise<void> => {
      if (superfluous) {
        const waste = [...superfluous.waste, ...(erased?.waste ?? [])]
        operations.push(this.#merger.reclaimer.note(waste, superfluous.wasteBytes))
        failpoint('collapse-1-before-writing')
      }
      await this.#store.commit(operations)
      prepared.release()
      failpoint('commit-3-written')
      // Before any reader hears of the captures.
      erased?.done()
      entered.done()
      this.#follow(prepared.change)
      if (superfluous) failpoint('collapse-2-applied')
    }
    // A reader between the deletion of records and their captures' would find the one without the other.
    await (superfluous ? this.#unread(write) : write())
    failpoint('commit-4-applied')
    return prepared.outcomes
  }

  /**
   * Enters vectors of captures that are in the index already; those of captures that went meanwhile are left out. Returns how many were entered.
   *
   * @throws ASOF_STORE_WRITE - none was kept.
   * @throws ASOF_CLOSED
   */
  addVectors(vectors: readonly CaptureVector[]): Promise<number> {
    return this.#turn(async () => {
      const documents = await this.#store.getMany(vectors.map(([captureId]) => documentKey(captureId)))
      const kept = vectors.filter((_, i) => documents[i] !== undefined)
      const { operations, done } = this.#vectors.entering(kept, { late: true })
      // Whoever reads meanwhile would be told that they were there before, or not yet, and see some of them.
      await this.#unread(async () => {
        await this.#store.commit(operations)
        done()
      })
      return kept.length
    })
  }

  /** Takes a URL out of all of time; returns how many captures that were. */
  purge(url: string): Promise<number> {
    return this.#turn(async () => {
      failpoint('purge-1-begin')
      const prepared = await preparePurge(this.#store, this.#catalog, url)
      if (!prepared) return 0
      failpoint('purge-2-prepared')
      await this.#erase(prepared)
      failpoint('purge-4-applied')
      this.#merger.purged()
      return prepared.captures
    })
  }

  /** Lets captures go that were superseded long ago; returns how many. */
  #retire(expired: readonly Expired[]): Promise<number> {
    return this.#turn(async () => {
      failpoint('retire-1-begin')
      const prepared = await prepareRetirement(this.#store, this.#catalog, expired)
      if (!prepared) return 0
      failpoint('retire-2-prepared')
      await this.#erase(prepared)
      return prepared.captures
    })
  }

  /** Commits an erasure. A reader between the deletion of records and their captures' would find the one without the other. */
  async #erase(prepared: PreparedErasure): Promise<void> {
    const vectors = await this.#vectors.erasing(prepared.captureIds)
    await this.#unread(async () => {
      const note = this.#merger.reclaimer.note([...prepared.waste, ...vectors.waste], prepared.wasteBytes)
      await this.#store.commit([...prepared.operations, ...vectors.operations, note])
      failpoint('erase-1-written')
      vectors.done()
      this.#follow(prepared.change)
    })
  }

  /**
   * Copies the index as it is when its turn comes into a new LevelDB folder.
   *
   * @throws ASOF_CLOSED, ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  async backup(target: string, { onProgress, signal }: BackupOptions): Promise<BackupReport> {
    const release = this.#merger.reclaimer.hold()
    try {
      const { backup, report } = await this.#turn(async () => {
        const { signals } = this.#merger
        const begun = await Backup.begin(
          { location: this.#store.location, target, signals: signals.buffer },
          onProgress,
        )
        this.#backups.add(begun)
        const instant = this.currentInstant()
        // What is stamped from now on is not in it.
        this.#answeredAt = Math.max(this.#answeredAt, instant)
        const { captures, urls } = statsOf(this.#catalog)
        return { backup: begun, report: { instant, captures, urls } }
      })
      const stop = (): void => void backup.stop()
      if (signal?.aborted) stop()
      signal?.addEventListener('abort', stop)
      try {
        return { ...report, bytes: await backup.done }
      } finally {
        signal?.removeEventListener('abort', stop)
        this.#backups.delete(backup)
      }
    } finally {
      release()
      void this.#merger.reclaim()
    }
  }

  async #stopBackups(): Promise<void> {
    await Promise.all([...this.#backups].map(backup => backup.stop()))
  }

  #follow(change: CatalogChange): void {
    this.#catalog = followChange(
      this.#catalog,
      change,
      (info, columns) => new Segment(info, columns, this.#store.chunks(info.id), this.#cache),
    )
    this.#readers.follow(change)
    this.#store.acknowledge(change.manifest.generation)
  }

  async #tracked<T>(read: Promise<T>): Promise<T> {
    this.#reads.add(read)
    try {
      return await read
    } finally {
      this.#reads.delete(read)
    }
  }

  /** Waits for the reads under way on other threads. How they end is their callers' affair. */
  async #readsEnd(): Promise<void> {
    await Promise.allSettled([...this.#reads, this.#readers.caughtUp()])
  }

  /** Keeps readers waiting while `change` runs, which begins when those under way have ended. */
  async #unread(change: () => Promise<void>): Promise<void> {
    this.#unreadable = this.#readsEnd()
      .then(change)
      .finally(() => {
        this.#unreadable = undefined
      })
    await this.#unreadable
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#retainer?.stop()
    await this.#stopBackups()
    await this.#turns.onIdle()
    await this.#merger.close(this.#hasWritten)
    await this.#turns.onIdle()
  }

  async #turn<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
    return this.#turns.add(async () => {
      if (this.#store.mustReopen) await this.#recover()
      const result = await change()
      this.#hasWritten = true
      this.#merger.committed()
      this.#retainer?.consider()
      return result
    })
  }

  /** The stamp of a batch: behind everything answered, and not before what the batch itself declares. */
  #stampFor(entries: readonly Entry[]): number {
    let at = this.currentInstant()
    for (const entry of entries)
      if (entry.kind === 'content')
        at = Math.max(at, entry.analyzed.group.captures[entry.analyzed.index].acquiredAt ?? at)
    return at > this.#answeredAt ? at : this.#answeredAt + 1
  }

  /** Reopens the store after a failed write and learns from it whether the failed batch reached the disk. */
  async #recover(): Promise<void> {
    await this.#unread(async () => {
      failpoint('recover-1-begin')
      await this.#readers.release()
      await this.#stopBackups()
      await this.#merger.aside(async () => {
        failpoint('recover-2-merge-stopped')
        await this.#store.reopen(async () => {
          failpoint('recover-4-reopened')
          this.#cache.clear()
          this.#catalog = await loadCatalog(this.#store, this.#cache)
          await this.#vectors.load()
        })
        failpoint('recover-5-reloaded')
      })
    })
  }

  /**
   * On disk before anything is written under the number: no key ever gets a second value, not even after a merge that
   * came to nothing. Otherwise damage to a value could bring back the one before, whose checksum fits.
   */
  async #reserveSegment(): Promise<number> {
    const reserved = this.#catalog.manifest.nextSegmentId
    const manifest = { ...this.#catalog.manifest, nextSegmentId: reserved + 1 }
    await this.#store.commit([{ type: 'put', key: manifestKey, value: encodeManifest(manifest) }])
    this.#catalog = { ...this.#catalog, manifest }
    return reserved
  }
}
