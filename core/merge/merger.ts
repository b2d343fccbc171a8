import { AsofError } from '../errors.ts'
import { type Columns, columnOrder, encodeColumn } from '../segment/columns/columns.ts'
import type { Segment } from '../segment/segment.ts'
import { Stream } from '../segment/streams.ts'
import { failpoint } from '../store/failpoint.ts'
import { chunkKey, manifestKey, segmentRange, supersessionRange } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { type CatalogChange, PURGED } from '../store/snapshots/catalog.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import type { Operation, Store } from '../store/store.ts'
import { BackOff, type Later } from '../threads/back-off.ts'
import type { MergePolicy } from './merge-policy.ts'
import { MergeThread } from './merge-thread.ts'
import type { MergeResult } from './merge-worker.ts'
import { Reclaimer } from './reclaimer.ts'
import { OMITTED } from './segment-merger.ts'

/** Commits go before merges; but with this many segments, a commit waits for a merge. */
const MAX_SEGMENTS = 128
/** On close, a merge of up to this many captures is awaited. A larger one is stopped, and starts over next time. */
const AWAITED_MERGE_CAPTURES = 50_000
/** The postings of purges are removed together: when no purge came for this long, or the first has waited this long. */
const PURGE_QUIET_MS = 5_000
const PURGE_WAIT_MS = 5 * 60_000
/** A segment is rewritten when this share of its captures is deleted. */
const DELETED_SHARE = 1 / 8
/** Less disk space than this is not reclaimed yet, because compaction would cost more than it gains. */
const SMALL_WASTE_BYTES = 32 * 1024 * 1024
/** On close, less disk space than this is not reclaimed. */
const LEAST_WASTE_BYTES = 1024 * 1024
/** Share of the segments' bytes that may remain unreclaimed between merges and on close. */
const WASTE_SHARE = 1 / 8
/** The index is at rest when nothing was committed or merged for this long. */
const REST_MS = 3_000
/** Disk space left by an earlier process is reclaimed after this long, so that short-lived processes do not start on it. */
const RECLAIM_AFTER_MS = 10_000

/** What a merger needs from the writer. */
export interface MergerHost {
  /** Runs a change of the index after the changes before it. */
  turn<T>(change: () => Promise<T>): Promise<T>
  /** Reserves a segment number. Data written under it is part of the index only once the manifest names the segment. */
  reserveSegment(): Promise<number>
  /** Makes a change that is on disk visible to readers. */
  publish(change: CatalogChange): void
  /** Called when a merge begins while the index is at rest, with the number of captures to merge. */
  mergesAtRest(captures: number): void
  onWarning(warning: Error): void
}

export interface MergerOptions {
  store: Store
  snapshots: Snapshots
  policy: MergePolicy
  later: Later
}

/** Merges segments in the background, rewrites segments with purged captures, and reclaims the disk space of both. */
export class Merger {
  readonly reclaimer: Reclaimer
  readonly #host: MergerHost
  readonly #store: Store
  readonly #snapshots: Snapshots
  readonly #policy: MergePolicy
  readonly #later: Later
  readonly #thread: MergeThread
  readonly #backOff: BackOff
  #merging: { done: Promise<void>; captures: number } | undefined
  /** These two cancel the timers after which the postings of purges are removed. */
  #cancelQuiet: (() => void) | undefined
  #cancelWait: (() => void) | undefined
  #cancelRest: (() => void) | undefined
  #isAtRest = false
  #purgesAreDue = false
  #isRecovering = false
  #isClosing = false

  constructor(host: MergerHost, { store, snapshots, policy, later }: MergerOptions) {
    this.#host = host
    this.#store = store
    this.#snapshots = snapshots
    this.#policy = policy
    this.#later = later
    this.#backOff = new BackOff(later)
    this.reclaimer = new Reclaimer(store)
    this.#thread = new MergeThread(store.location, {
      signals: this.#snapshots.signals.buffer,
      exclusively: (write, bytes) => store.exclusively(write, bytes),
    })
  }

  /**
   * Continues the work that an earlier process left.
   *
   * @param strays - unfinished segments of that process, which were deleted.
   */
  start(strays: readonly number[]): void {
    if (strays.length > 0) {
      const note = this.reclaimer.note(strays.map(segmentRange), 0)
      this.#store.commit([note]).catch((error: unknown) => this.#host.onWarning(asError(error)))
    }
    if (this.#snapshots.catalog.segments.some(holdsPurged)) this.purged()
    if (!this.reclaimer.isEmpty)
      this.#later(RECLAIM_AFTER_MS, () => {
        this.reclaimer.hasten()
        void this.reclaim()
      })
    this.committed()
  }

  get mergesUnderWay(): number {
    return this.#merging ? 1 : 0
  }

  /** To be called after every change of the index, because segments may have to be merged now. */
  committed(): void {
    this.#isAtRest = false
    this.#awaitRest()
    this.#consider()
  }

  /** Starts the next merge, if one is needed and none is running. */
  #consider(): void {
    if (this.#merging || this.#isClosing || this.#backOff.isWaiting) return
    const { segments } = this.#snapshots.catalog
    if (this.#purgesAreDue && !segments.some(holdsPurged)) this.#purgesAreDue = false
    const ids = this.#policy(
      segments.map(segment => ({
        id: segment.info.id,
        captures: segment.captures,
        purged: segment.tombstones.length,
        mustRewrite: this.#mustRewrite(segment),
      })),
      this.#isAtRest,
    )
    if (ids.length > 0) this.#start(segments.filter(({ info }) => ids.includes(info.id)))
  }

  /** To be called after a purge: its postings will be deleted soon, together with those of other purges. */
  purged(): void {
    this.#cancelQuiet?.()
    this.#cancelQuiet = this.#later(PURGE_QUIET_MS, () => this.#startPurgeMerges())
    this.#cancelWait ??= this.#later(PURGE_WAIT_MS, () => this.#startPurgeMerges())
  }

  /** Resolves when there is room for another segment, or no merge is running that could make room. */
  async waitForRoom(): Promise<void> {
    try {
      while (this.#snapshots.catalog.segments.length >= MAX_SEGMENTS && this.#merging) {
        this.#snapshots.signals.hurry = true
        await this.#merging.done
      }
    } finally {
      this.#snapshots.signals.hurry = false
    }
  }

  /** Reclaims disk space if there is enough to reclaim. Never rejects. */
  reclaim(leastBytes = SMALL_WASTE_BYTES): Promise<void> {
    const { segments } = this.#snapshots.catalog
    const liveBytes = segments.reduce((total, { info }) => total + info.bytes, 0)
    return this.#compactWaste(Math.max(leastBytes, liveBytes * WASTE_SHARE))
  }

  async #compactWaste(leastBytes: number): Promise<void> {
    if (this.#isRecovering || !this.reclaimer.isDue(leastBytes)) return
    try {
      await this.reclaimer.run()
      failpoint('merge-9-compacted')
    } catch (error) {
      // The ranges to reclaim are kept.
      if (!this.#isClosing && !this.#isRecovering) this.#host.onWarning(asError(error))
    }
  }

  /** Runs `reopen` while the merge thread has the folder closed. A merge under way fails and is retried later. */
  async whileClosed(reopen: () => Promise<void>): Promise<void> {
    this.#isRecovering = true
    try {
      await this.#thread.stop()
      await reopen()
      this.reclaimer.load()
    } finally {
      this.#isRecovering = false
    }
  }

  /**
   * Finishes short work that this process caused, stops other work, and closes the folder.
   *
   * @param hasWritten - true if this process changed the index. A process that only read need not wait for the work that
   *   others left.
   */
  async close(hasWritten: boolean): Promise<void> {
    this.#isClosing = true
    this.#cancelTimers()
    this.#cancelRest?.()
    if (hasWritten) {
      if (this.#merging && this.#merging.captures <= AWAITED_MERGE_CAPTURES) await this.#merging.done
      if (!this.#merging) await this.#rewritePurged()
    }
    await this.#thread.stop()
    await this.#merging?.done
    if (hasWritten) {
      await this.reclaimer.settled()
      await this.reclaim(LEAST_WASTE_BYTES)
    }
    await this.reclaimer.stop()
  }

  async #rewritePurged(): Promise<void> {
    for (const segment of this.#snapshots.catalog.segments.filter(holdsPurged)) {
      if (segment.captures > AWAITED_MERGE_CAPTURES || this.#store.mustReopen) continue
      this.#start([segment])
      await this.#merging?.done
    }
  }

  #startPurgeMerges(): void {
    this.#cancelTimers()
    this.#purgesAreDue = true
    this.#consider()
  }

  #cancelTimers(): void {
    this.#cancelQuiet?.()
    this.#cancelWait?.()
    this.#cancelQuiet = undefined
    this.#cancelWait = undefined
  }

  /** Once the index is at rest, runs merges that are due only then, and reclaims disk space whatever its share of the index. */
  #awaitRest(): void {
    this.#cancelRest?.()
    if (this.#isClosing) return
    this.#cancelRest = this.#later(REST_MS, () => {
      if (this.#merging) return
      this.#isAtRest = true
      this.#consider()
      if (this.#merging) return
      void this.#thread.stop().then(() => this.#compactWaste(SMALL_WASTE_BYTES))
    })
  }

  #mustRewrite(segment: Segment): boolean {
    if (segment.tombstones.length === 0) return false
    return segment.tombstones.length >= segment.captures * DELETED_SHARE || (this.#purgesAreDue && holdsPurged(segment))
  }

  #start(sources: Segment[]): void {
    const captures = sources.reduce((total, source) => total + source.captures, 0)
    if (this.#isAtRest) this.#host.mergesAtRest(captures)
    const done = this.#merge(sources).then(
      () => {
        this.#backOff.succeeded()
        return true
      },
      (error: unknown) => {
        // A stopped or failed merge changed no segment that the manifest names.
        const isStopped = this.#isClosing || this.#isRecovering
        if (!isStopped && this.#backOff.failed(() => this.#consider())) this.#host.onWarning(mergeWarning(error))
        return false
      },
    )
    this.#merging = {
      captures,
      done: done.then(isMerged => {
        this.#merging = undefined
        if (isMerged) this.#consider()
      }),
    }
  }

  async #merge(sources: Segment[]): Promise<void> {
    const isPurging = sources.some(holdsPurged)
    const target = await this.#host.turn(async () => {
      if (this.#store.mustReopen) throw new AsofError('ASOF_STORE_WRITE', 'the store must recover first')
      return this.#host.reserveSegment()
    })
    failpoint('merge-1-reserved')
    try {
      const result = await this.#thread.run({
        target,
        sources: sources.map(({ info, tombstones }) => ({ info, tombstones })),
      })
      failpoint('merge-4-ready-to-swap')
      await this.#host.turn(() => this.#swap(sources, result))
    } catch (error) {
      // On a disk that is nearly full, the rest of a failed merge would make the next merge fail too.
      if (!this.#store.mustReopen) {
        await this.#store.clearSegment(target)
        this.reclaimer.note([segmentRange(target)], 0)
      }
      throw error
    }
    await this.#snapshots.readsEnd()
    for (const { info } of sources) {
      failpoint('merge-7-before-clearing-a-source')
      await this.#store.clearSegment(info.id)
    }
    failpoint('merge-8-sources-cleared')
    if (isPurging) this.reclaimer.hasten()
    // At rest, this waits until the merge thread has ended, because both take memory.
    if (isPurging || !this.#isAtRest) void this.reclaim()
    this.#awaitRest()
  }

  /** Replaces the sources by the merged segment, with the supersessions committed in the meantime. */
  async #swap(sources: readonly Segment[], { info, columns, mappings }: MergeResult): Promise<void> {
    const { segments, manifest } = this.#snapshots.catalog
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
    failpoint('merge-5-before-swap')
    const replaced = sources.flatMap(source => [segmentRange(source.info.id), supersessionRange(source.info.id)])
    operations.push(
      this.reclaimer.note(
        replaced,
        sources.reduce((total, source) => total + source.info.bytes, 0),
      ),
    )
    await this.#store.commit(operations)
    failpoint('merge-6-swapped')
    this.#host.publish({ manifest: merged, added: info ? [{ info, columns }] : [], superseded: [], revised: [] })
  }
}

/** True if the segment still has postings of purged captures. */
function holdsPurged({ tombstones, columns }: Segment): boolean {
  return tombstones.some(ordinal => columns.supersededAt[ordinal] === PURGED)
}

function carrySupersessions(sources: readonly Segment[], mappings: readonly Uint32Array[], columns: Columns): void {
  sources.forEach((source, s) => {
    const { supersededAt } = source.columns
    mappings[s]?.forEach((merged, ordinal) => {
      if (merged !== OMITTED) columns.supersededAt[merged] = supersededAt[ordinal]!
    })
  })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** The warning for the first failure. Retries, at growing intervals, warn again only after a success. */
function mergeWarning(cause: unknown): AsofError {
  return new AsofError('ASOF_STORE_WRITE', `${asError(cause).message}; the merge will be retried later`, { cause })
}
