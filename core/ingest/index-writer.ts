import { isDeepStrictEqual } from 'node:util'
import { AsofError, invalidOption } from '@asof/extract/errors'
import PQueue from 'p-queue'
import { preparePurge } from '../history/prepare-purge.ts'
import { Retainer } from '../history/retainer.ts'
import { type ExpiredCapture, expiredCaptures, prepareExpiry } from '../history/retention.ts'
import type { PreparedDeletion } from '../history/tombstones.ts'
import type { MergePolicy } from '../merge/merge-policy.ts'
import { Merger } from '../merge/merger.ts'
import type { SegmentMerging } from '../merge/segment-merging.ts'
import type { Relevance } from '../relevance/relevance.ts'
import { encodeRelevance, MAX_VERSIONS, relevanceAt, relevanceInstants } from '../relevance/stored-relevance.ts'
import type { Backup, BackupOptions, BackupReport } from '../store/backup/backup.ts'
import { failpoint } from '../store/failpoint.ts'
import { documentKey, manifestKey, relevanceInstantsKey, relevanceKey } from '../store/keys.ts'
import { encodeManifest } from '../store/manifest.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import { statsOf } from '../store/snapshots/index-stats.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import type { Store } from '../store/store.ts'
import { type Later, later } from '../threads/back-off.ts'
import type { CaptureVector, StoredVectors } from '../vectors/stored-vectors.ts'
import { prepareCommit } from './commit.ts'
import type { Build } from './commit-segment.ts'
import { declaredAtOf, type Entry, type Outcome } from './entry.ts'

export interface WriterOptions {
  /** Called with failures that do not affect answers, such as a failed merge. */
  onWarning: (warning: Error) => void
  mergePolicy: MergePolicy
  merging: SegmentMerging
  /**
   * Returns the cutoff of retention for the current instant, epoch ms. Captures superseded before the cutoff are
   * deleted. Default: all captures are kept.
   */
  retainAt?: (now: number) => number
  /** Timers for background work. Default: the timers of Node. */
  later?: Later
  /** Builds the segment of a commit, a large one on another thread. */
  build: Build
  /** Called with the number of captures when a merge begins while nothing is added. */
  onMergeAtRest?: (captures: number) => void
  /** The stored vectors. Only the writer changes them. */
  vectors: StoredVectors
}

/** Writes the index. All changes go through this one writer, one at a time, and are then published to readers. */
export class IndexWriter {
  readonly #store: Store
  readonly #snapshots: Snapshots
  readonly #build: Build
  readonly #vectors: StoredVectors
  readonly #turns = new PQueue({ concurrency: 1 })
  readonly #merger: Merger
  readonly #backups = new Set<Backup>()
  readonly #retainer: Retainer | undefined
  #hasWritten = false
  #closed = false

  private constructor(store: Store, snapshots: Snapshots, options: WriterOptions) {
    this.#store = store
    this.#snapshots = snapshots
    this.#build = options.build
    this.#vectors = options.vectors
    const { onWarning, retainAt, merging, mergePolicy: policy } = options
    if (retainAt) {
      const retained = {
        currentInstant: () => snapshots.currentInstant(),
        expired: (cutoff: number, atMost: number) => expiredCaptures(snapshots.catalog, cutoff, atMost),
        expire: (expired: readonly ExpiredCapture[]) => this.#expire(expired),
        onWarning,
      }
      this.#retainer = new Retainer(retained, retainAt)
    }
    const host = {
      turn: <T>(change: () => Promise<T>) => this.#turns.add(change),
      reserveSegment: () => this.#reserveSegment(),
      publish: (change: CatalogChange) => this.#publish(change),
      mergesAtRest: (captures: number) => options.onMergeAtRest?.(captures),
      onWarning,
    }
    this.#merger = new Merger(host, { store, snapshots, policy, merging, later: options.later ?? later })
  }

  static async open(store: Store, snapshots: Snapshots, options: WriterOptions): Promise<IndexWriter> {
    await options.vectors.load()
    const writer = new IndexWriter(store, snapshots, options)
    writer.#merger.start(snapshots.strays)
    writer.#retainer?.startIfDue()
    return writer
  }

  get mergesUnderWay(): number {
    return this.#merger.mergesUnderWay
  }

  /**
   * Adds observations in one commit and makes them durable.
   *
   * @throws ASOF_STORE_WRITE - no observation of the commit was added.
   * @throws ASOF_CLOSED
   */
  async write(entries: readonly Entry[]): Promise<Outcome[]> {
    // Waits before queueing the commit, because the merge that makes room must run before it.
    await this.#merger.waitForRoom()
    return this.#turn(async () => {
      const stampAt = this.#stampFor(entries)
      return this.#snapshots.whileWriting(stampAt, () => this.#commit(entries, stampAt))
    })
  }

  async #commit(entries: readonly Entry[], stampAt: number): Promise<Outcome[]> {
    failpoint('commit-1-begin')
    const prepared = await prepareCommit(this.#store, this.#snapshots.catalog, entries, stampAt, {
      build: this.#build,
      readVectors: this.#vectors.table && (async () => this.#vectors),
    })
    const { deletions } = prepared
    const deleted = deletions && (await this.#vectors.deleting(deletions.captureIds))
    const added = this.#vectors.adding(prepared.vectors, { late: false }, deleted?.models)
    failpoint('commit-2-prepared')
    const operations = [...prepared.operations, ...(deleted?.operations ?? []), ...added.operations]
    const write = async (): Promise<void> => {
      if (deletions) {
        const waste = [...deletions.waste, ...(deleted?.waste ?? [])]
        operations.push(this.#merger.reclaimer.note(waste, deletions.wasteBytes))
        failpoint('collapse-1-before-writing')
      }
      await this.#store.commit(operations)
      prepared.release()
      failpoint('commit-3-written')
      // The vectors in memory are updated before readers can see the captures.
      deleted?.done()
      added.done()
      this.#publish(prepared.change)
      if (deletions) failpoint('collapse-2-applied')
    }
    // The commit deletes records, which a read that is under way may still need. So it waits until no read runs.
    await (deletions ? this.#snapshots.exclusively(write) : write())
    failpoint('commit-4-applied')
    return prepared.outcomes
  }

  /**
   * Adds vectors of captures that are already in the index. Skips captures that were deleted or got a vector in the
   * meantime. Returns the number added.
   *
   * @throws ASOF_STORE_WRITE - no vector was added.
   * @throws ASOF_CLOSED
   */
  addVectors(vectors: readonly CaptureVector[]): Promise<number> {
    return this.#turn(async () => {
      const captureIds = vectors.map(([captureId]) => captureId)
      const documents = await this.#store.getMany(captureIds.map(documentKey))
      const lacking = new Set(await this.#vectors.lacking(captureIds))
      const kept = vectors.filter(([captureId], i) => documents[i] !== undefined && lacking.has(captureId))
      const { operations, done } = this.#vectors.adding(kept, { late: true })
      // A search receipt says which vectors took part, so no search may see only some of these.
      await this.#snapshots.exclusively(async () => {
        await this.#store.commit(operations)
        done()
      })
      return kept.length
    })
  }

  /**
   * Sets the relevance of the index from now on. Does nothing if the current relevance is equal.
   *
   * @returns the instant from which it holds, epoch ms.
   * @throws ASOF_INVALID_OPTION - it was set too often.
   * @throws ASOF_STORE_WRITE - it was not set.
   * @throws ASOF_CLOSED
   */
  setRelevance(relevance: Relevance): Promise<number> {
    return this.#turn(async () => {
      const { manifest } = this.#snapshots.catalog
      const current = relevanceAt(this.#store, manifest, Number.POSITIVE_INFINITY)
      if (current && isDeepStrictEqual(current.relevance, relevance)) return current.since
      const version = (manifest.relevanceVersions ?? 0) + 1
      if (version > MAX_VERSIONS) throw invalidOption('relevance', `was already set ${MAX_VERSIONS} times`)
      const stampAt = this.#stampFor([])
      const instants = relevanceInstants(this.#store).slice(0, version - 1)
      const changed = {
        ...manifest,
        generation: manifest.generation + 1,
        lastStampAt: stampAt,
        relevanceVersions: version,
      }
      await this.#snapshots.whileWriting(stampAt, async () => {
        await this.#store.commit([
          { type: 'put', key: relevanceKey(version), value: encodeRelevance(relevance) },
          { type: 'put', key: relevanceInstantsKey, value: encodeRelevance([...instants, stampAt]) },
          { type: 'put', key: manifestKey, value: encodeManifest(changed) },
        ])
        this.#publish({ manifest: changed, added: [], superseded: [], revised: [] })
      })
      return stampAt
    })
  }

  /** Deletes URLs from all of time, in one commit. Returns the number of URLs that had captures, and the number of their captures. */
  purge(urls: readonly string[]): Promise<{ pages: number; captures: number }> {
    return this.#turn(async () => {
      failpoint('purge-1-begin')
      const prepared = await preparePurge(this.#store, this.#snapshots.catalog, urls)
      if (!prepared) return { pages: 0, captures: 0 }
      failpoint('purge-2-prepared')
      await this.#delete(prepared)
      failpoint('purge-4-applied')
      this.#merger.purged()
      return { pages: prepared.urls, captures: prepared.captures }
    })
  }

  /** Deletes expired captures. Returns the number deleted. */
  #expire(expired: readonly ExpiredCapture[]): Promise<number> {
    return this.#turn(async () => {
      failpoint('expire-1-begin')
      const prepared = await prepareExpiry(this.#store, this.#snapshots.catalog, expired)
      if (!prepared) return 0
      failpoint('expire-2-prepared')
      await this.#delete(prepared)
      return prepared.captures
    })
  }

  /** Commits a deletion when no read is under way, because a read may still need the deleted records. */
  async #delete(prepared: PreparedDeletion): Promise<void> {
    const vectors = await this.#vectors.deleting(prepared.captureIds)
    await this.#snapshots.exclusively(async () => {
      const note = this.#merger.reclaimer.note([...prepared.waste, ...vectors.waste], prepared.wasteBytes)
      await this.#store.commit([...prepared.operations, ...vectors.operations, note])
      failpoint('delete-1-written')
      vectors.done()
      this.#publish(prepared.change)
    })
  }

  /**
   * Copies the index to a new LevelDB folder. The copy includes all writes requested before.
   *
   * @throws ASOF_CLOSED, ASOF_STORE_CORRUPT, ASOF_STORE_READ
   */
  async backup(target: string, { onProgress, signal }: BackupOptions): Promise<BackupReport> {
    const release = this.#merger.reclaimer.hold()
    try {
      const { backup, report } = await this.#turn(async () => {
        const { signals } = this.#snapshots
        const begun = await this.#store.backup(target, signals.buffer, onProgress)
        this.#backups.add(begun)
        const instant = this.#snapshots.currentInstant()
        // Later stamps must be after the instant of the backup.
        this.#snapshots.markAnswered(instant)
        const { captures, urls } = statsOf(this.#snapshots.catalog)
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

  #publish(change: CatalogChange): void {
    this.#snapshots.publish(change)
    this.#store.acknowledge(change.manifest.generation)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#retainer?.stop()
    await this.#stopBackups()
    await this.#turns.onIdle()
    await this.#merger.close(this.#hasWritten && this.#store.isLasting)
    await this.#turns.onIdle()
  }

  async #turn<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
    return this.#turns.add(async () => {
      if (this.#store.mustReopen) await this.#recover()
      const result = await change()
      this.#hasWritten = true
      this.#merger.committed()
      this.#retainer?.startIfDue()
      return result
    })
  }

  /**
   * Returns the time stamp of a commit. It is after every instant for which a search was answered, and not before any
   * instant that the entries declare.
   */
  #stampFor(entries: readonly Entry[]): number {
    let at = this.#snapshots.currentInstant()
    for (const entry of entries) at = Math.max(at, declaredAtOf(entry) ?? at)
    return this.#snapshots.unansweredFrom(at)
  }

  /** Reopens the store after a failed write. The reopened store shows whether the commit reached the disk. */
  async #recover(): Promise<void> {
    await this.#snapshots.exclusively(async () => {
      failpoint('recover-1-begin')
      await this.#snapshots.stopFollowers()
      await this.#stopBackups()
      await this.#merger.whileClosed(async () => {
        failpoint('recover-2-merge-stopped')
        await this.#store.reopen(async () => {
          failpoint('recover-4-reopened')
          await this.#snapshots.reload()
          await this.#vectors.load()
        })
        failpoint('recover-5-reloaded')
      })
    })
  }

  /**
   * Reserves a segment number on disk before anything is written under it. So no key is ever written twice, not even
   * after a failed merge. Otherwise damage could bring back the earlier value of a key, and its checksum would be
   * valid.
   */
  async #reserveSegment(): Promise<number> {
    const reserved = this.#snapshots.catalog.manifest.nextSegmentId
    const manifest = { ...this.#snapshots.catalog.manifest, nextSegmentId: reserved + 1 }
    await this.#store.commit([{ type: 'put', key: manifestKey, value: encodeManifest(manifest) }])
    this.#snapshots.replaceManifest(manifest)
    return reserved
  }
}
