import PQueue from 'p-queue'
import { AsofError } from '../errors.ts'
import { type Columns, columnOrder, encodeColumn } from '../segment/columns.ts'
import { type PostingCache, Segment } from '../segment/segment.ts'
import { DROPPED } from '../segment/segment-merger.ts'
import { Stream } from '../segment/streams.ts'
import { type Catalog, loadCatalog, markPurged, newestFirst } from '../store/catalog.ts'
import { chunkKey, manifestKey } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import type { MergePolicy } from '../store/merge-policy.ts'
import { MergeThread } from '../store/merge-thread.ts'
import type { MergeResult } from '../store/merge-worker.ts'
import type { Operation, Store } from '../store/store.ts'
import { type Entry, type Outcome, prepareCommit } from './commit-batch.ts'
import { preparePurge } from './prepare-purge.ts'

/** Merging waits behind commits, but not forever: with this many segments a commit waits for a merge. */
const MAX_SEGMENTS = 128
/** On close, a merge of up to this many captures is awaited; a larger one is stopped, and begins anew next time. */
const AWAITED_MERGE_CAPTURES = 50_000

export interface WriterOptions {
  /** The engine's clock, epoch ms. */
  now: () => number
  /** Told of failures that harm no answer: a merge that could not be done. */
  onWarning: (warning: Error) => void
  mergePolicy: MergePolicy
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
  readonly #onWarning: (warning: Error) => void
  readonly #mergePolicy: MergePolicy
  readonly #turns = new PQueue({ concurrency: 1 })
  readonly #mergeThread: MergeThread
  #merging: { done: Promise<void>; captures: number } | undefined
  /** Settles when the store can be read again: while it recovers from a failed write, and during a purge. */
  #unreadable: Promise<unknown> | undefined
  /** The write under way: its stamp is taken, its captures are not to be seen yet. */
  #writing: { stampAt: number; done: Promise<unknown> } | undefined
  #recovering = false
  #answeredAt = Number.NEGATIVE_INFINITY
  #hasWritten = false
  #closed = false

  private constructor(store: Store, cache: PostingCache, options: WriterOptions, catalog: Catalog) {
    this.#store = store
    this.#cache = cache
    this.#now = options.now
    this.#onWarning = options.onWarning
    this.#mergePolicy = options.mergePolicy
    this.#catalog = catalog
    this.#mergeThread = new MergeThread(store.location, operations => store.commit(operations))
  }

  static async open(store: Store, cache: PostingCache, options: WriterOptions): Promise<IndexWriter> {
    const writer = new IndexWriter(store, cache, options, await loadCatalog(store, cache))
    writer.#considerMerge()
    return writer
  }

  get catalog(): Catalog {
    return this.#catalog
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
    work: (query: Q, reading: Reading) => T,
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
        return work(query, { instant, catalog: this.#catalog })
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
    while (this.#catalog.segments.length >= MAX_SEGMENTS && this.#merging) await this.#merging.done
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
    const { operations, outcomes, apply } = await prepareCommit(
      this.#store,
      this.#catalog,
      this.#cache,
      entries,
      stampAt,
    )
    await this.#store.commit(operations)
    this.#catalog = apply()
    return outcomes
  }

  /** Takes a URL out of all of time; returns how many captures that were. */
  purge(url: string): Promise<number> {
    return this.#turn(async () => {
      const prepared = await preparePurge(this.#store, this.#catalog, url)
      if (!prepared) return 0
      // A reader between the deletion of records and their captures' would find the one without the other.
      await this.#unread(async () => {
        await this.#store.commit(prepared.operations)
        this.#catalog = prepared.apply()
      })
      return prepared.captures
    })
  }

  /** Keeps readers waiting while `change` runs. */
  async #unread(change: () => Promise<void>): Promise<void> {
    this.#unreadable = change().finally(() => {
      this.#unreadable = undefined
    })
    await this.#unreadable
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turns.onIdle()
    // One that only read the index need not wait for work that others left.
    if (this.#merging && this.#hasWritten && this.#merging.captures <= AWAITED_MERGE_CAPTURES) await this.#merging.done
    await this.#mergeThread.stop()
    await this.#merging?.done
    await this.#turns.onIdle()
  }

  async #turn<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
    return this.#turns.add(async () => {
      if (this.#store.mustReopen) await this.#recover()
      const result = await change()
      this.#hasWritten = true
      this.#considerMerge()
      return result
    })
  }

  /** The stamp of a batch: behind everything answered, and not before what the batch itself declares. */
  #stampFor(entries: readonly Entry[]): number {
    let at = this.currentInstant()
    for (const entry of entries)
      if (entry.kind === 'content') at = Math.max(at, entry.analyzed.capture.acquiredAt ?? at)
    return at > this.#answeredAt ? at : this.#answeredAt + 1
  }

  /** Reopens the store after a failed write and learns from it whether the failed batch reached the disk. */
  async #recover(): Promise<void> {
    this.#recovering = true
    try {
      await this.#unread(async () => {
        await this.#mergeThread.stop()
        await this.#store.reopen(async () => {
          this.#cache.clear()
          this.#catalog = await loadCatalog(this.#store, this.#cache)
        })
      })
    } finally {
      this.#recovering = false
    }
  }

  #considerMerge(): void {
    if (this.#merging || this.#closed) return
    const ids = this.#mergePolicy(
      this.#catalog.segments.map(({ info, purged }) => ({
        id: info.id,
        captures: info.captures,
        purged: purged.length,
      })),
    )
    if (ids.length === 0) return
    const sources = this.#catalog.segments.filter(({ info }) => ids.includes(info.id))
    const captures = sources.reduce((total, source) => total + source.captures, 0)
    const done = this.#merge(sources).then(
      () => true,
      (error: unknown) => {
        // A stopped or failed merge changed nothing that the manifest names; the next commit considers it again.
        if (!this.#closed && !this.#recovering)
          this.#onWarning(error instanceof Error ? error : new Error(String(error)))
        return false
      },
    )
    this.#merging = {
      captures,
      done: done.then(merged => {
        this.#merging = undefined
        if (merged) this.#considerMerge()
      }),
    }
  }

  async #merge(sources: Segment[]): Promise<void> {
    const target = await this.#turns.add(() => this.#reserveSegment())
    try {
      const result = await this.#mergeThread.run({
        target,
        sources: sources.map(({ info, purged }) => ({ info, purged })),
      })
      await this.#turns.add(() => this.#swap(sources, result))
    } catch (error) {
      // On a disk that is nearly full, what a failed merge left would make the next one fail too.
      if (!this.#store.mustReopen) await this.#store.clearSegment(target)
      throw error
    }
    for (const { info } of sources) await this.#store.clearSegment(info.id)
    if (sources.some(({ purged }) => purged.length > 0)) await this.#store.compact()
  }

  /** Takes a segment number out of circulation; what is written under it counts only once the manifest names it. */
  async #reserveSegment(): Promise<number> {
    if (this.#store.mustReopen) throw new AsofError('ASOF_STORE_WRITE', 'no merge starts until the store has recovered')
    const { manifest } = this.#catalog
    this.#catalog = { ...this.#catalog, manifest: { ...manifest, nextSegmentId: manifest.nextSegmentId + 1 } }
    return manifest.nextSegmentId
  }

  /** Puts the merged segment in the place of its sources, with the supersessions that came in the meantime. */
  async #swap(sources: readonly Segment[], { info, columns, mappings }: MergeResult): Promise<void> {
    const { segments, manifest } = this.#catalog
    if (!sources.every(source => segments.includes(source)))
      throw new AsofError('ASOF_STORE_WRITE', 'the segments of a merge are no longer live')
    carrySupersessions(sources, mappings, columns)
    const operations: Operation[] = []
    const kept = segments.filter(segment => !sources.includes(segment))
    const merged: Manifest = {
      ...manifest,
      generation: manifest.generation + 1,
      segments: [...kept.map(segment => segment.info), ...(info ? [info] : [])],
    }
    operations.push({ type: 'put', key: manifestKey, value: encodeManifest(merged) })
    if (info) {
      const value = encodeColumn('supersededAt', columns.supersededAt)
      const key = chunkKey(info.id, Stream.columns, columnOrder.indexOf('supersededAt'))
      operations.push({ type: 'put', key, value })
    }
    await this.#store.commit(operations)
    if (info) {
      const segment = new Segment(info, columns, this.#store.chunks(info.id), this.#cache)
      markPurged(segment)
      kept.push(segment)
    }
    this.#catalog = { manifest: merged, segments: newestFirst(kept) }
  }
}

function carrySupersessions(sources: readonly Segment[], mappings: readonly Uint32Array[], columns: Columns): void {
  sources.forEach((source, s) => {
    const { supersededAt } = source.columns
    const mapping = mappings[s]
    for (let ordinal = 0; ordinal < mapping.length; ordinal++)
      if (mapping[ordinal] !== DROPPED) columns.supersededAt[mapping[ordinal]] = supersededAt[ordinal]
  })
}
