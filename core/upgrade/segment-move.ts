import { analyzeStored } from '../ingest/analyze-stored.ts'
import { COMMIT_BYTES, COMMIT_CAPTURES } from '../ingest/commit-queue.ts'
import { buildStoredSegment, type CaptureInPlace } from '../ingest/commit-segment.ts'
import { Reclaimer } from '../merge/reclaimer.ts'
import { isTombstone } from '../segment/columns/tombstone.ts'
import { PostingCache } from '../segment/posting-cache.ts'
import type { Segment } from '../segment/segment.ts'
import { failpoint } from '../store/failpoint.ts'
import { encodeIdentity, type Identity, newIdentity, type UnfinishedUpgrade } from '../store/identity.ts'
import { allDocuments, identityKey, manifestKey, segmentRange, supersessionRange } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { readDocumentRecord, readStoredBody } from '../store/records/stored-page.ts'
import { loadCatalog } from '../store/snapshots/catalog.ts'
import type { Operation, Store } from '../store/store.ts'

/**
 * Moves the captures of an index from segments of one analyzer to new segments of another one, some at a time. Each step is one
 * atomic commit, which also says how far the move has come. So after a crash it continues where it was.
 */
export class SegmentMove {
  identity: Identity
  /** Number of captures that are still to be moved. */
  remaining = 0
  readonly #store: Store
  readonly #reclaimer: Reclaimer
  #manifest: Manifest
  /** The segments in order of number: all of them until {@link begin}, then those that are still to be moved. */
  #segments: Segment[]

  private constructor(store: Store, identity: Identity, manifest: Manifest, segments: readonly Segment[]) {
    this.#store = store
    this.identity = identity
    this.#manifest = manifest
    this.#segments = [...segments].sort((a, b) => a.info.id - b.info.id)
    this.#reclaimer = new Reclaimer(store)
  }

  /** Loads the index of a store, and what an interrupted move has left. */
  static async of(store: Store): Promise<SegmentMove> {
    const { identity, manifest, segments } = await loadCatalog(store, new PostingCache(0))
    return new SegmentMove(store, identity, manifest, segments)
  }

  /** Begins a move, or continues the interrupted one. If the interrupted one had another analyzer, its new segments are moved too. */
  async begin(analyzer: number): Promise<void> {
    const unfinished = this.identity.upgrade
    // The segment that is moved in part keeps the lowest number. Its captures that have been moved are in a new segment already.
    const upgrade =
      unfinished?.analyzer === analyzer
        ? unfinished
        : { analyzer, before: this.#manifest.nextSegmentId, moved: unfinished?.moved ?? 0 }
    this.#segments = this.#segments.filter(({ info }) => info.id < upgrade.before)
    this.remaining = this.#segments.reduce(
      (total, segment, s) => total + liveFrom(segment, s === 0 ? upgrade.moved : 0),
      0,
    )
    if (upgrade !== unfinished) await this.#commit([], { upgrade })
    failpoint('upgrade-1-begun')
  }

  /** True if no segment is left to be moved. */
  get isDone(): boolean {
    return this.#segments.length === 0
  }

  /** Moves the next captures. Returns their number. */
  async next(): Promise<number> {
    const segment = this.#segments[0]
    const { upgrade } = this.identity
    if (!segment || !upgrade) throw new TypeError('there is nothing to move')
    const { captures, end } = this.#read(segment, upgrade)
    const { nextSegmentId, segments } = this.#manifest
    const built = captures.length > 0 ? await buildStoredSegment(nextSegmentId, captures) : undefined
    const isMoved = end === segment.captures
    const { id } = segment.info
    const operations = built?.operations ?? []
    if (isMoved) operations.push(this.#reclaimer.note([segmentRange(id), supersessionRange(id)], segment.info.bytes))
    await this.#commit(operations, {
      upgrade: { ...upgrade, moved: isMoved ? 0 : end },
      manifest: {
        ...this.#manifest,
        nextSegmentId: nextSegmentId + (built ? 1 : 0),
        segments: segments.filter(info => !isMoved || info.id !== id).concat(built?.info ?? []),
      },
    })
    failpoint('upgrade-2-moved')
    this.remaining -= captures.length
    if (isMoved) {
      this.#segments.shift()
      await this.#store.clearSegment(id)
      failpoint('upgrade-3-cleared')
    }
    return captures.length
  }

  /** Records the new format and analyzer in the identity of the index, and reclaims the disk space of the old segments. */
  async finish(): Promise<void> {
    const { ranking, upgrade } = this.identity
    if (!this.isDone || !upgrade) throw new TypeError('the move is not finished')
    const waste = this.#reclaimer.note([allDocuments], 0)
    await this.#commit([waste], { identity: { ...newIdentity(), ranking, analyzer: upgrade.analyzer } })
    failpoint('upgrade-4-finished')
    await this.#reclaimer.run()
  }

  /** Reads and analyzes as many captures of a segment as fit in one commit. */
  #read({ columns, captures: count }: Segment, { analyzer, moved }: UnfinishedUpgrade) {
    const captures: CaptureInPlace[] = []
    let end = moved
    for (let chars = 0; end < count && captures.length < COMMIT_CAPTURES && chars < COMMIT_BYTES; end++) {
      const supersededAt = columns.supersededAt[end]!
      if (isTombstone(supersededAt)) continue
      const captureId = columns.captureIds[end]!
      const publishedAt = columns.publishedAt[end]!
      const body = readStoredBody(this.#store, captureId)
      const metadata = { publishedAt: Number.isNaN(publishedAt) ? undefined : publishedAt, details: body.details }
      captures.push({
        captureId,
        at: columns.acquiredAt[end]!,
        supersededAt,
        declared: columns.declared[end] === 1,
        analyzed: analyzeStored(readDocumentRecord(this.#store, captureId), body, metadata, analyzer),
        afterPack: this.#store.head(captureId)!.afterPack,
      })
      chars += body.markdown.length
    }
    return { captures, end }
  }

  /** Writes a step of the move. Each counts as a commit of the index. */
  async #commit(
    operations: Operation[],
    { identity, upgrade, manifest }: { identity?: Identity; upgrade?: UnfinishedUpgrade; manifest?: Manifest },
  ): Promise<void> {
    const named = identity ?? { ...this.identity, upgrade }
    const { generation } = this.#manifest
    const changed = { ...(manifest ?? this.#manifest), generation: generation + 1 }
    await this.#store.commit([
      ...operations,
      { type: 'put', key: identityKey, value: encodeIdentity(named) },
      { type: 'put', key: manifestKey, value: encodeManifest(changed) },
    ])
    this.#store.acknowledge(changed.generation)
    this.identity = named
    this.#manifest = changed
  }
}

/** Returns the number of captures of a segment, from an ordinal on, that are not deleted. */
function liveFrom({ captures, tombstones }: Segment, ordinal: number): number {
  return captures - ordinal - tombstones.filter(tombstone => tombstone >= ordinal).length
}
