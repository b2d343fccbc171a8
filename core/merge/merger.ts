import { AsofError, isError } from '@asof/extract/errors'
import type { Columns } from '../segment/columns/columns.ts'
import { PURGED } from '../segment/columns/tombstone.ts'
import type { Segment } from '../segment/segment.ts'
import { failpoint } from '../store/failpoint.ts'
import { manifestKey, segmentRange, supersessionKey, supersessionRange } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { encodeSupersession } from '../store/records/supersession.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import type { Operation, Store } from '../store/store.ts'
import { BackOff, type Later } from '../threads/back-off.ts'
import type { MergePolicy } from './merge-policy.ts'
import type { MergeResult } from './merge-segments.ts'
import { Reclaimer } from './reclaimer.ts'
import { OMITTED } from './segment-merger.ts'
import type { SegmentMerging } from './segment-merging.ts'

/** Number of segments from which a commit waits for a running merge. Below it, commits take precedence over merges. */
const MAX_SEGMENTS = 128
/**
 * On close, a merge of at most this many captures is completed. A larger merge is stopped, and starts over after the
 * next opening.
 */
const AWAITED_MERGE_CAPTURES = 50_000
/**
 * Postings of purged captures are removed together. The rewrite starts after this time without a purge, or when the
 * first purge has waited for the longer time.
 */
const PURGE_QUIET_MS = 5_000
const PURGE_WAIT_MS = 5 * 60_000
/** Share of deleted captures from which a segment is rewritten. */
const DELETED_SHARE = 1 / 8
/** Minimum size of deleted values for a compaction while the index is in use. */
const SMALL_WASTE_BYTES = 32 * 1024 * 1024
/** Minimum size of deleted values for a compaction on close. */
const MIN_WASTE_BYTES = 1024 * 1024
/** Share of the segments' bytes that deleted values may take between merges and on close. */
const WASTE_SHARE = 1 / 8
/** Time without a commit or merge after which the index counts as at rest. */
const REST_MS = 3_000
/**
 * Time after opening at which the disk space left by an earlier process is reclaimed. A short-lived process ends
 * before.
 */
const RECLAIM_AFTER_MS = 10_000

/** The functions of the writer that a merger calls. */
export interface MergerHost {
  /** Runs a change of the index after all earlier changes. */
  turn<T>(change: () => Promise<T>): Promise<T>
  /** Reserves a segment number. A segment becomes part of the index when the manifest names it. */
  reserveSegment(): Promise<number>
  /** Makes a change that is on disk visible to readers. */
  publish(change: CatalogChange): void
  /** Called with the number of captures when a merge begins while the index is at rest. */
  mergesAtRest(captures: number): void
  onWarning(warning: Error): void
}

export interface MergerOptions {
  store: Store
  snapshots: Snapshots
  policy: MergePolicy
  merging: SegmentMerging
  later: Later
}

/** Merges segments in the background, rewrites segments with purged captures, and reclaims the freed disk space. */
export class Merger {
  readonly reclaimer: Reclaimer
  readonly #host: MergerHost
  readonly #store: Store
  readonly #snapshots: Snapshots
  readonly #policy: MergePolicy
  readonly #later: Later
  readonly #merging: SegmentMerging
  readonly #backOff: BackOff
  #current: { done: Promise<void>; captures: number } | undefined
  /** Functions that cancel the timers for removing the postings of purged captures. */
  #cancelQuiet: (() => void) | undefined
  #cancelWait: (() => void) | undefined
  #cancelRest: (() => void) | undefined
  #isAtRest = false
  #purgesAreDue = false
  #isRecovering = false
  #isClosing = false

  constructor(host: MergerHost, { store, snapshots, policy, merging, later }: MergerOptions) {
    this.#host = host
    this.#store = store
    this.#snapshots = snapshots
    this.#policy = policy
    this.#later = later
    this.#backOff = new BackOff(later)
    this.reclaimer = new Reclaimer(store)
    this.#merging = merging
  }

  /**
   * Continues the work that an earlier process left.
   *
   * @param strays - numbers of unfinished segments of that process, which were deleted on opening.
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
    return this.#current ? 1 : 0
  }

  /** To be called after every change of the index. Starts a merge if one is needed. */
  committed(): void {
    this.#isAtRest = false
    this.#awaitRest()
    this.#consider()
  }

  /** Starts the next merge, if one is needed and none is running. */
  #consider(): void {
    if (this.#current || this.#isClosing || this.#backOff.isWaiting) return
    const { segments } = this.#snapshots.catalog
    if (this.#purgesAreDue && !segments.some(holdsPurged)) this.#purgesAreDue = false
    const chosen = this.#choose(segments)
    if (chosen.length > 0) this.#start(chosen)
  }

  /** Returns the segments that the policy chooses. A policy that throws chooses none: it must not fail the commit that asked it. */
  #choose(segments: readonly Segment[]): Segment[] {
    try {
      const ids = this.#policy(
        segments.map(segment => ({
          id: segment.info.id,
          captures: segment.captures,
          purged: segment.tombstones.length,
          mustRewrite: this.#mustRewrite(segment),
        })),
        this.#isAtRest,
      )
      return segments.filter(({ info }) => ids.includes(info.id))
    } catch (error) {
      this.#host.onWarning(asError(error))
      return []
    }
  }

  /**
   * To be called after a purge. The postings of the purged captures are removed after a delay, together with those of
   * other purges.
   */
  purged(): void {
    this.#cancelQuiet?.()
    this.#cancelQuiet = this.#later(PURGE_QUIET_MS, () => this.#startPurgeMerges())
    this.#cancelWait ??= this.#later(PURGE_WAIT_MS, () => this.#startPurgeMerges())
  }

  /** Waits until there is room for another segment. Returns at once if no merge is running that could make room. */
  async waitForRoom(): Promise<void> {
    try {
      while (this.#snapshots.catalog.segments.length >= MAX_SEGMENTS && this.#current) {
        this.#snapshots.signals.hurry = true
        await this.#current.done
      }
    } finally {
      this.#snapshots.signals.hurry = false
    }
  }

  /** Reclaims disk space if deleted values take at least `leastBytes`. Never rejects. */
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
      // Nothing is lost by a failure, because the ranges to compact are kept.
      if (!this.#isClosing && !this.#isRecovering) this.#host.onWarning(asError(error))
    }
  }

  /** Runs `reopen` while no merge has the folder open. A running merge fails and is retried later. */
  async whileClosed(reopen: () => Promise<void>): Promise<void> {
    this.#isRecovering = true
    try {
      await this.#merging.stop()
      await reopen()
      this.reclaimer.load()
    } finally {
      this.#isRecovering = false
    }
  }

  /**
   * Closes the folder. Completes short work that this process caused, and stops all other work.
   *
   * @param hasWritten - true if this process changed the index. A process that only read does not wait for work that
   *   others left.
   */
  async close(hasWritten: boolean): Promise<void> {
    this.#isClosing = true
    this.#cancelTimers()
    this.#cancelRest?.()
    if (hasWritten) {
      if (this.#current && this.#current.captures <= AWAITED_MERGE_CAPTURES) await this.#current.done
      if (!this.#current) await this.#rewritePurged()
    }
    await this.#merging.stop()
    await this.#current?.done
    if (hasWritten) {
      await this.reclaimer.settled()
      await this.reclaim(MIN_WASTE_BYTES)
    }
    await this.reclaimer.stop()
  }

  async #rewritePurged(): Promise<void> {
    for (const segment of this.#snapshots.catalog.segments.filter(holdsPurged)) {
      if (segment.captures > AWAITED_MERGE_CAPTURES || this.#store.mustReopen) continue
      this.#start([segment])
      await this.#current?.done
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

  /**
   * Starts the timer for the state at rest. At rest, more segments are merged, and disk space is reclaimed even if it
   * is a small share of the index.
   */
  #awaitRest(): void {
    this.#cancelRest?.()
    if (this.#isClosing) return
    this.#cancelRest = this.#later(REST_MS, () => {
      if (this.#current) return
      this.#isAtRest = true
      this.#consider()
      if (this.#current) return
      void this.#merging.stop().then(() => this.#compactWaste(SMALL_WASTE_BYTES))
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
        // A failed merge leaves the index as it was.
        const isStopped = this.#isClosing || this.#isRecovering
        if (!isStopped && this.#backOff.failed(() => this.#consider())) this.#host.onWarning(mergeWarning(error))
        return false
      },
    )
    this.#current = {
      captures,
      done: done.then(isMerged => {
        this.#current = undefined
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
      const result = await this.#merging.run({
        target,
        sources: sources.map(({ info, tombstones, columns }) => {
          return { info, tombstones, supersededAt: columns.supersededAt.slice() }
        }),
      })
      failpoint('merge-4-ready-to-swap')
      await this.#host.turn(() => this.#swap(sources, result))
    } catch (error) {
      // On a nearly full disk, the chunks of a failed merge would make the next merge fail too.
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
    // At rest, disk space is reclaimed only after the merge thread has ended, because both need memory.
    if (isPurging || !this.#isAtRest) void this.reclaim()
    this.#awaitRest()
  }

  /** Replaces the sources by the merged segment. Captures superseded during the merge are superseded in the merged segment, too. */
  async #swap(sources: readonly Segment[], { info, columns, mappings }: MergeResult): Promise<void> {
    const { segments, manifest } = this.#snapshots.catalog
    if (!sources.every(source => segments.includes(source)))
      throw new AsofError('ASOF_STORE_WRITE', 'the segments of a merge are no longer live')
    const superseded = info ? supersededSince(sources, mappings, info.id, columns) : []
    const operations: Operation[] = superseded.map(({ segment, ordinal, supersededAt }) => {
      return { type: 'put', key: supersessionKey(segment, ordinal), value: encodeSupersession(supersededAt) }
    })
    const kept = segments.filter(segment => !sources.includes(segment)).map(segment => segment.info)
    const merged: Manifest = {
      ...manifest,
      generation: manifest.generation + 1,
      segments: kept.concat(info ?? []),
    }
    operations.push({ type: 'put', key: manifestKey, value: encodeManifest(merged) })
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
    this.#host.publish({ manifest: merged, added: info ? [{ info, columns }] : [], superseded, revised: [] })
  }
}

/** True if the segment still has postings of purged captures. */
function holdsPurged({ tombstones, columns }: Segment): boolean {
  return tombstones.some(ordinal => columns.supersededAt[ordinal] === PURGED)
}

/** Returns the captures of the merged segment whose `supersededAt` has changed since the merge began. */
function supersededSince(
  sources: readonly Segment[],
  mappings: readonly Uint32Array[],
  segment: number,
  { supersededAt: written }: Columns,
): CatalogChange['superseded'] {
  const changed: CatalogChange['superseded'][number][] = []
  sources.forEach(({ columns }, s) => {
    mappings[s]?.forEach((ordinal, from) => {
      const supersededAt = columns.supersededAt[from]!
      if (ordinal !== OMITTED && supersededAt !== written[ordinal]) changed.push({ segment, ordinal, supersededAt })
    })
  })
  return changed
}

function asError(error: unknown): Error {
  return isError(error) ? error : new Error(String(error))
}

/** Returns the warning for the first failure of a merge. Retries warn again only after a success. */
function mergeWarning(cause: unknown): AsofError {
  return new AsofError('ASOF_STORE_WRITE', `${asError(cause).message}; the merge will be retried later`, { cause })
}
