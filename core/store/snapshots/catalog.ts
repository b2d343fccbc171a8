import { AsofError } from '../../errors.ts'
import type { Columns } from '../../segment/columns/columns.ts'
import { type RevisedCapture, type RevisionRow, Revisions } from '../../segment/columns/revisions.ts'
import { type PostingCache, Segment } from '../../segment/segment.ts'
import type { SegmentInfo } from '../../segment/segment-writer.ts'
import { failpoint } from '../failpoint.ts'
import { REPAIR_HINT } from '../integrity/checksum.ts'
import { allRevisionRows, allSupersessions, manifestKey, ordinalOfKey, segmentOfKey } from '../keys.ts'
import { decodeManifest, emptyManifest, type Manifest } from '../manifest.ts'
import { decodeRevisionRows } from '../records/revision-record.ts'
import { decodeSupersession } from '../records/supersession.ts'
import type { Store } from '../store.ts'

/** The live segments and the manifest that names them. Replaced as a whole by every commit, never changed in place. */
export interface Catalog {
  manifest: Manifest
  /** Newest first by `maxAcquiredAt`. */
  segments: readonly Segment[]
}

/**
 * Reads the manifest, opens its segments, applies their supersessions and clears what a crash left behind.
 *
 * @param onStray - told of every segment that was cleared.
 */
export async function loadCatalog(
  store: Store,
  cache: PostingCache,
  onStray: (segment: number) => void = () => {},
): Promise<Catalog> {
  failpoint('open-1-begin')
  const stored = store.get(manifestKey)
  const manifest = stored ? decodeManifest(stored) : emptyManifest
  if (manifest.generation < store.acknowledgedGeneration)
    throw new AsofError(
      'ASOF_STORE_CORRUPT',
      `the last ${store.acknowledgedGeneration - manifest.generation} commits are gone, though they were acknowledged; ${REPAIR_HINT}`,
    )
  const segments = manifest.segments.map(info => Segment.open(info, store.chunks(info.id), cache))
  const byId = new Map(segments.map(segment => [segment.info.id, segment]))
  failpoint('open-2-segments-read')
  for (const id of await store.segmentsPresent()) {
    if (byId.has(id)) continue
    failpoint('open-3-before-clearing-a-stray')
    await store.clearSegment(id)
    onStray(id)
    failpoint('open-4-stray-cleared')
  }
  for await (const [key, value] of store.iterate(allSupersessions)) {
    const segment = byId.get(segmentOfKey(key))
    if (segment) segment.columns.supersededAt[ordinalOfKey(key)] = decodeSupersession(value)
  }
  for (const segment of segments) markTombstones(segment)
  const revised: RevisedCapture[] = []
  for await (const [key, value] of store.iterate(allRevisionRows))
    revised.push({ captureId: segmentOfKey(key), ...decodeRevisionRows(value) })
  enterRevisions(segments, revised)
  return { manifest, segments: newestFirst(segments) }
}

export function newestFirst(segments: Iterable<Segment>): Segment[] {
  return [...segments].sort((a, b) => b.info.maxAcquiredAt - a.info.maxAcquiredAt || b.info.id - a.info.id)
}

/** What a commit, a purge or a merge changes of a catalog: data alone, so that other threads can follow it. */
export interface CatalogChange {
  /** Names the segments that are live from now on. */
  manifest: Manifest
  added: readonly { info: SegmentInfo; columns: Columns }[]
  /** New `supersededAt` of captures of the segments there were. */
  superseded: readonly { segment: number; ordinal: number; supersededAt: number }[]
  /** Captures that have other revisions now, as far as a search asks for them; without rows: none any more. */
  revised: readonly RevisedCapture[]
}

/**
 * The catalog after a change. The columns of the segments there were change in place.
 *
 * @param open - makes a segment of its parts.
 */
export function followChange(
  { segments }: Catalog,
  { manifest, added, superseded, revised }: CatalogChange,
  open: (info: SegmentInfo, columns: Columns) => Segment,
): Catalog {
  const byId = new Map(segments.map(segment => [segment.info.id, segment]))
  const withPurged = new Set<Segment>()
  for (const { segment: id, ordinal, supersededAt } of superseded) {
    const segment = byId.get(id)
    if (!segment) throw new AsofError('ASOF_STORE_CORRUPT', `a change names segment ${id}, which is not live`)
    segment.columns.supersededAt[ordinal] = supersededAt
    if (isTombstone(supersededAt)) withPurged.add(segment)
  }
  const opened = added.map(({ info, columns }) => open(info, columns))
  for (const segment of [...withPurged, ...opened]) markTombstones(segment)
  const live = new Set(manifest.segments.map(({ id }) => id))
  const all = newestFirst([...segments.filter(({ info }) => live.has(info.id)), ...opened])
  // Revisions of segments that a merge replaced move to the segment that the merge made.
  const moved = segments.filter(({ info }) => !live.has(info.id)).flatMap(revisionsOf)
  enterRevisions(all, [...moved, ...revised])
  return { manifest, segments: all }
}

/** The revisions of a segment, capture by capture. */
export function revisionsOf({ columns, revisions }: Segment): RevisedCapture[] {
  if (!revisions) return []
  return [...revisions.byOrdinal()]!
    .filter(([ordinal]) => !isTombstone(columns.supersededAt[ordinal]!))
    .map(([ordinal, rows]) => ({
      captureId: columns.captureIds[ordinal]!,
      acquiredAt: columns.acquiredAt[ordinal]!,
      rows,
    }))
}

/** Gives captures the revisions that they have from now on. */
function enterRevisions(segments: readonly Segment[], revised: readonly RevisedCapture[]): void {
  const changes = new Map<Segment, Map<number, readonly RevisionRow[]>>()
  for (const { captureId, acquiredAt, rows } of revised) {
    const { segment, ordinal } = placeOf({ segments }, captureId, acquiredAt)
    const rowsOf = changes.get(segment) ?? segment.revisions?.byOrdinal() ?? new Map<number, readonly RevisionRow[]>()
    changes.set(segment, rowsOf)
    if (rows.length > 0) rowsOf.set(ordinal, rows)
    else rowsOf.delete(ordinal)
  }
  for (const [segment, rowsOf] of changes) segment.revise(rowsOf.size > 0 ? new Revisions(rowsOf) : undefined)
}

/** Where a capture stands. */
export interface Place {
  segment: Segment
  ordinal: number
}

/**
 * @throws ASOF_STORE_CORRUPT - no segment holds the capture.
 */
export function placeOf({ segments }: Pick<Catalog, 'segments'>, captureId: number, acquiredAt: number): Place {
  for (const segment of segments) {
    const ordinal = segment.ordinalOf(captureId, acquiredAt)
    if (ordinal >= 0) return { segment, ordinal }
  }
  throw new AsofError('ASOF_STORE_CORRUPT', `capture ${captureId} is in no segment`)
}

/** Derives a segment's purged ordinals from its supersessions: those that retention let go among them. */
export function markTombstones(segment: Segment): void {
  const { supersededAt } = segment.columns
  const tombstones: number[] = []
  for (let i = 0; i < supersededAt.length; i++) if (isTombstone(supersededAt[i]!)) tombstones.push(i)
  segment.tombstones = Uint32Array.from(tombstones)
}

/** `supersededAt` of a purged capture: it was never valid. */
export const PURGED = Number.NEGATIVE_INFINITY

/**
 * `supersededAt` of a capture that retention deleted, or that became a sighting because the same text was observed before
 * it. Like a purged capture it counts nowhere, but its segment need not be rewritten soon.
 */
export const EXPIRED = -Number.MAX_VALUE

/** Whether this `supersededAt` is none of an instant: the capture counts nowhere. */
export function isTombstone(supersededAt: number): boolean {
  return supersededAt <= EXPIRED
}
