import { AsofError } from '../errors.ts'
import { type Columns, columnOrder, encodeColumn } from '../segment/columns/columns.ts'
import type { Segment } from '../segment/segment.ts'
import { Stream } from '../segment/streams.ts'
import { failpoint } from '../store/failpoint.ts'
import { chunkKey, manifestKey, segmentRange, supersessionRange } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { type Catalog, type CatalogChange, PURGED } from '../store/snapshots/catalog.ts'
import type { Operation, Store } from '../store/store.ts'
import { BackOff, type Later } from '../threads/back-off.ts'
import { MergeSignals } from '../threads/work-pace.ts'
import type { MergePolicy } from './merge-policy.ts'
import { MergeThread } from './merge-thread.ts'
import type { MergeResult } from './merge-worker.ts'
import { Reclaimer } from './reclaimer.ts'
import { DROPPED } from './segment-merger.ts'

/** Merging waits behind commits, but not forever: with this many segments a commit waits for a merge. */
const MAX_SEGMENTS = 128
/** On close, a merge of up to this many captures is awaited; a larger one is stopped, and begins anew next time. */
const AWAITED_MERGE_CAPTURES = 50_000
/** Purges are carried out together: when none has come for this long, or the first has waited this long. */
const PURGE_QUIET_MS = 5_000
const PURGE_WAIT_MS = 5 * 60_000
/** Share of a segment's captures that makes rewriting it worthwhile, whatever took them out. */
const ERASED_SHARE = 1 / 8
/** Disk space that is left alone for the time being: what compacting costs must be worth it. */
const SMALL_WASTE_BYTES = 32 * 1024 * 1024
/** On close, less disk space than this is not worth waiting for. */
const LEAST_WASTE_BYTES = 1024 * 1024
/** Share of the segments' bytes that may be waste while merges follow one another, or when the index is closed. */
const WASTE_SHARE = 1 / 8
/** When nothing was committed or merged for this long, the index is at rest. */
const REST_MS = 3_000
/** Disk space that an earlier process left to be reclaimed is left alone by those that open only for a moment. */
const RECLAIM_AFTER_MS = 10_000

/** What a merger needs of the writer. */
export interface MergerHost {
  catalog(): Catalog
  /** Runs a change of the index when those before it are done. */
  turn<T>(change: () => Promise<T>): Promise<T>
  /** Takes a segment number out of circulation; what is written under it counts only once the manifest names it. */
  reserveSegment(): Promise<number>
  /** Makes a change that is on disk take effect. */
  follow(change: CatalogChange): void
  /** Resolves when nobody reads what the catalog of now no longer names. */
  readsEnd(): Promise<void>
  /** Told that a merge of so many captures begins while nothing is added. */
  mergesAtRest(captures: number): void
  onWarning(warning: Error): void
}

export interface MergerOptions {
  store: Store
  policy: MergePolicy
  later: Later
}

/** Merges segments in the background, rewrites those with purged captures, and gives the space of both back. */
export class Merger {
  readonly reclaimer: Reclaimer
  readonly signals = new MergeSignals()
  readonly #host: MergerHost
  readonly #store: Store
  readonly #policy: MergePolicy
  readonly #later: Later
  readonly #thread: MergeThread
  readonly #backOff: BackOff
  #merging: { done: Promise<void>; captures: number } | undefined
  /** Timers of the purges to be carried out. */
  #cancelQuiet: (() => void) | undefined
  #cancelWait: (() => void) | undefined
  #cancelRest: (() => void) | undefined
  #isAtRest = false
  #purgesAreDue = false
  #isRecovering = false
  #isClosing = false

  constructor(host: MergerHost, { store, policy, later }: MergerOptions) {
    this.#host = host
    this.#store = store
    this.#policy = policy
    this.#later = later
    this.#backOff = new BackOff(later)
    this.reclaimer = new Reclaimer(store)
    this.#thread = new MergeThread(store.location, {
      signals: this.signals.buffer,
      exclusively: (write, bytes) => store.exclusively(write, bytes),
    })
  }

  /**
   * Takes up what an earlier process left to be done.
   *
   * @param strays - segments that it left unfinished, which were deleted.
   */
  start(strays: readonly number[]): void {
    if (strays.length > 0) {
      const note = this.reclaimer.note(strays.map(segmentRange), 0)
      this.#store.commit([note]).catch((error: unknown) => this.#host.onWarning(asError(error)))
    }
    if (this.#host.catalog().segments.some(holdsPurged)) this.purged()
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

  /** The index was changed: there may be a merge to be done. */
  committed(): void {
    this.#isAtRest = false
    this.#awaitRest()
    this.#consider()
  }

  /** Starts the next merge, if there is one to be done and none is running. */
  #consider(): void {
    if (this.#merging || this.#isClosing || this.#backOff.isWaiting) return
    const { segments } = this.#host.catalog()
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

  /** A purge was committed: the postings of its captures are to leave the disk soon, together with those of others. */
  purged(): void {
    this.#cancelQuiet?.()
    this.#cancelQuiet = this.#later(PURGE_QUIET_MS, () => this.#carryOutPurges())
    this.#cancelWait ??= this.#later(PURGE_WAIT_MS, () => this.#carryOutPurges())
  }

  /** Resolves when there is room for another segment, or no merge that could make some. */
  async room(): Promise<void> {
    try {
      while (this.#host.catalog().segments.length >= MAX_SEGMENTS && this.#merging) {
        this.signals.hurry = true
        await this.#merging.done
      }
    } finally {
      this.signals.hurry = false
    }
  }

  /** Compacts what was deleted, if it is worth it. Never rejects. */
  reclaim(leastBytes = SMALL_WASTE_BYTES): Promise<void> {
    const { segments } = this.#host.catalog()
    const liveBytes = segments.reduce((total, { info }) => total + info.bytes, 0)
    return this.#compactWaste(Math.max(leastBytes, liveBytes * WASTE_SHARE))
  }

  async #compactWaste(leastBytes: number): Promise<void> {
    if (this.#isRecovering || !this.reclaimer.isDue(leastBytes)) return
    try {
      await this.reclaimer.run()
      failpoint('merge-9-compacted')
    } catch (error) {
      // What was to be reclaimed remains noted.
      if (!this.#isClosing && !this.#isRecovering) this.#host.onWarning(asError(error))
    }
  }

  /** Lets go of the folder while `reopen` runs; what was under way fails and is taken up again later. */
  async aside(reopen: () => Promise<void>): Promise<void> {
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
   * Finishes what takes not long and was caused by this process, stops the rest, and lets go of the folder.
   *
   * @param hasWritten - whether this process changed the index: one that only read it need not wait for work that
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
    for (const segment of this.#host.catalog().segments.filter(holdsPurged)) {
      if (segment.captures > AWAITED_MERGE_CAPTURES || this.#store.mustReopen) continue
      this.#start([segment])
      await this.#merging?.done
    }
  }

  #carryOutPurges(): void {
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

  /** At rest what is cheap only then is done: the last merges, and giving back the waste of all, whatever its share. */
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
    return segment.tombstones.length >= segment.captures * ERASED_SHARE || (this.#purgesAreDue && holdsPurged(segment))
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
        // A stopped or failed merge changed nothing that the manifest names.
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
      // On a disk that is nearly full, what a failed merge left would make the next one fail too.
      if (!this.#store.mustReopen) {
        await this.#store.clearSegment(target)
        this.reclaimer.note([segmentRange(target)], 0)
      }
      throw error
    }
    await this.#host.readsEnd()
    for (const { info } of sources) {
      failpoint('merge-7-before-clearing-a-source')
      await this.#store.clearSegment(info.id)
    }
    failpoint('merge-8-sources-cleared')
    if (isPurging) this.reclaimer.hasten()
    // At rest it can wait until the merge thread has ended: both take memory.
    if (isPurging || !this.#isAtRest) void this.reclaim()
    this.#awaitRest()
  }

  /** Puts the merged segment in the place of its sources, with the supersessions that came in the meantime. */
  async #swap(sources: readonly Segment[], { info, columns, mappings }: MergeResult): Promise<void> {
    const { segments, manifest } = this.#host.catalog()
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
    this.#host.follow({ manifest: merged, added: info ? [{ info, columns }] : [], superseded: [], revised: [] })
  }
}

/** Whether captures that were purged on request still have postings in the segment. */
function holdsPurged({ tombstones, columns }: Segment): boolean {
  return tombstones.some(ordinal => columns.supersededAt[ordinal] === PURGED)
}

function carrySupersessions(sources: readonly Segment[], mappings: readonly Uint32Array[], columns: Columns): void {
  sources.forEach((source, s) => {
    const { supersededAt } = source.columns
    const mapping = mappings[s]
    for (let ordinal = 0; ordinal < mapping.length; ordinal++)
      if (mapping[ordinal] !== DROPPED) columns.supersededAt[mapping[ordinal]] = supersededAt[ordinal]
  })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Said once: the tries that follow at growing intervals say nothing until one succeeds. */
function mergeWarning(cause: unknown): AsofError {
  return new AsofError('ASOF_STORE_WRITE', `${asError(cause).message}; merging is tried again later`, { cause })
}
