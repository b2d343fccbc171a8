import { AsofError, isAsofError } from '@asof/extract/errors'
import type { Columns } from '../../segment/columns/columns.ts'
import { DeclaredRemovals } from '../../segment/columns/declared-removals.ts'
import { type RevisedCapture, type RevisionRow, Revisions } from '../../segment/columns/revisions.ts'
import { isTombstone } from '../../segment/columns/tombstone.ts'
import type { PostingCache } from '../../segment/posting-cache.ts'
import { Segment } from '../../segment/segment.ts'
import type { SegmentInfo } from '../../segment/segment-writer.ts'
import { failpoint } from '../failpoint.ts'
import { decodeIdentity, type Identity } from '../identity.ts'
import { REPAIR_HINT } from '../integrity/checksum.ts'
import {
  allRevisionRows,
  allSupersessions,
  firstNumberOfKey,
  identityKey,
  manifestKey,
  secondNumberOfKey,
} from '../keys.ts'
import { decodeManifest, emptyManifest, type Manifest } from '../manifest.ts'
import { decodeRevisionRows } from '../records/revision-record.ts'
import { decodeSupersession } from '../records/supersession.ts'
import type { Store } from '../store.ts'

/** The live segments with the manifest that names them. Each commit replaces the catalog by a new one. */
export interface Catalog {
  /** The numbers of the rules that the index was made with. */
  identity: Identity
  manifest: Manifest
  /** In descending order of `maxAcquiredAt`. */
  segments: readonly Segment[]
}

/**
 * Reads the manifest, opens its segments and applies their supersessions. Deletes segments that a crash left
 * unfinished. On a full disk they stay until the store is reopened before its next write; their numbers are never used again.
 *
 * @param onStray - called with the number of each deleted segment.
 * @throws ASOF_STORE_CORRUPT
 */
export async function loadCatalog(
  store: Store,
  cache: PostingCache,
  onStray: (segment: number) => void = () => {},
): Promise<Catalog> {
  failpoint('open-1-begin')
  const named = store.get(identityKey)
  if (!named) throw new AsofError('ASOF_STORE_CORRUPT', `the identity of the store is missing; ${REPAIR_HINT}`)
  const identity = decodeIdentity(named)
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
  const strays = [...(await store.segmentsPresent())].filter(id => !byId.has(id))
  try {
    for (const id of strays) {
      failpoint('open-3-before-clearing-a-stray')
      await store.clearSegment(id)
      onStray(id)
      failpoint('open-4-stray-cleared')
    }
  } catch (error) {
    if (!isAsofError(error, 'ASOF_STORE_WRITE')) throw error
  }
  for await (const [key, value] of store.iterate(allSupersessions)) {
    const segment = byId.get(firstNumberOfKey(key))
    segment?.supersede(secondNumberOfKey(key), decodeSupersession(value))
  }
  for (const segment of segments) markTombstones(segment)
  const revised: RevisedCapture[] = []
  for await (const [key, value] of store.iterate(allRevisionRows))
    revised.push({ captureId: firstNumberOfKey(key), ...decodeRevisionRows(value) })
  enterRevisions(segments, revised)
  return { identity, manifest, segments: newestFirst(segments) }
}

/** Sorts segments in descending order of `maxAcquiredAt`. */
export function newestFirst(segments: Iterable<Segment>): Segment[] {
  return [...segments].sort((a, b) => b.info.maxAcquiredAt - a.info.maxAcquiredAt || b.info.id - a.info.id)
}

/**
 * The change of a catalog by a commit, a purge or a merge. It is plain data, so that it can be sent to other threads.
 */
export interface CatalogChange {
  /** The new manifest, which names the live segments. */
  manifest: Manifest
  /** New segments, with their columns as they are on disk. */
  added: readonly { info: SegmentInfo; columns: Columns }[]
  /** New `supersededAt` of captures, also of those that a merge has moved to a new segment. */
  superseded: readonly { segment: number; ordinal: number; supersededAt: number }[]
  /** All revisions and the declared removal of each capture for which these have changed. */
  revised: readonly RevisedCapture[]
}

/**
 * Returns the catalog after a change. Changes the columns of existing segments in place.
 *
 * @param open - opens a new segment.
 */
export function followChange(
  { identity, segments }: Catalog,
  { manifest, added, superseded, revised }: CatalogChange,
  open: (info: SegmentInfo, columns: Columns) => Segment,
): Catalog {
  // The ends of a new segment change at once if they changed during its merge. Threads that are sent the same change need them as written.
  const changed = new Set(superseded.map(({ segment }) => segment))
  const opened = added.map(({ info, columns }) =>
    open(info, changed.has(info.id) ? { ...columns, supersededAt: columns.supersededAt.slice() } : columns),
  )
  const byId = new Map([...segments, ...opened].map(segment => [segment.info.id, segment]))
  const withPurged = new Set<Segment>()
  for (const { segment: id, ordinal, supersededAt } of superseded) {
    const segment = byId.get(id)
    if (!segment) throw new AsofError('ASOF_STORE_CORRUPT', `a change names segment ${id}, which is not live`)
    segment.supersede(ordinal, supersededAt)
    if (isTombstone(supersededAt)) withPurged.add(segment)
  }
  for (const segment of new Set([...withPurged, ...opened])) markTombstones(segment)
  const live = new Set(manifest.segments.map(({ id }) => id))
  const all = newestFirst([...segments.filter(({ info }) => live.has(info.id)), ...opened])
  // When a merge replaces segments, the revisions and removals of their captures move to the merged segment.
  const moved = segments.filter(({ info }) => !live.has(info.id)).flatMap(revisionsOf)
  enterRevisions(all, [...moved, ...revised])
  return { identity, manifest, segments: all }
}

/** Returns the change that makes a catalog of an empty one: its segments as they were written, and all that has changed since. */
export function changeFromNothing({ manifest, segments }: Catalog): CatalogChange {
  const written = segments.map(segment => ({ info: segment.info, ...segment.written() }))
  return {
    manifest,
    added: written.map(({ info, columns }) => ({ info, columns })),
    superseded: written.flatMap(({ info, superseded }) => superseded.map(one => ({ segment: info.id, ...one }))),
    revised: segments.flatMap(revisionsOf),
  }
}

/** Returns the revisions and declared removals of a segment's captures, except tombstones. */
function revisionsOf({ columns, revisions, removals }: Segment): RevisedCapture[] {
  const rowsOf = revisions?.byOrdinal()
  const removedAtOf = removals?.byOrdinal
  return [...new Set([...(rowsOf?.keys() ?? []), ...(removedAtOf?.keys() ?? [])])]
    .filter(ordinal => !isTombstone(columns.supersededAt[ordinal]!))
    .map(ordinal => {
      return {
        captureId: columns.captureIds[ordinal]!,
        acquiredAt: columns.acquiredAt[ordinal]!,
        rows: rowsOf?.get(ordinal) ?? [],
        removedAt: removedAtOf?.get(ordinal),
      }
    })
}

/** Replaces the revisions and the declared removal of each given capture. */
function enterRevisions(segments: readonly Segment[], revised: readonly RevisedCapture[]): void {
  const changes = new Map<Segment, Map<number, RevisedCapture>>()
  for (const change of revised) {
    const { segment, ordinal } = locateCapture({ segments }, change.captureId, change.acquiredAt)
    const changesOf = changes.get(segment)
    if (changesOf) changesOf.set(ordinal, change)
    else changes.set(segment, new Map([[ordinal, change]]))
  }
  for (const [segment, changesOf] of changes) {
    const rowsOf = segment.revisions?.byOrdinal() ?? new Map<number, readonly RevisionRow[]>()
    const removedAtOf = new Map(segment.removals?.byOrdinal)
    for (const [ordinal, { rows, removedAt }] of changesOf) {
      if (rows.length > 0) rowsOf.set(ordinal, rows)
      else rowsOf.delete(ordinal)
      if (removedAt !== undefined) removedAtOf.set(ordinal, removedAt)
      else removedAtOf.delete(ordinal)
    }
    segment.revise(rowsOf.size > 0 ? new Revisions(rowsOf) : undefined)
    segment.removals = removedAtOf.size > 0 ? new DeclaredRemovals(removedAtOf) : undefined
  }
}

/** Where a capture is. */
export interface CaptureLocation {
  segment: Segment
  ordinal: number
}

/**
 * Finds the segment and ordinal of a capture.
 *
 * @throws ASOF_STORE_CORRUPT - no segment has it.
 */
export function locateCapture(
  { segments }: Pick<Catalog, 'segments'>,
  captureId: number,
  acquiredAt: number,
): CaptureLocation {
  for (const segment of segments) {
    const ordinal = segment.ordinalOf(captureId, acquiredAt)
    if (ordinal >= 0) return { segment, ordinal }
  }
  throw new AsofError('ASOF_STORE_CORRUPT', `capture ${captureId} is in no segment`)
}

/** Updates the list of a segment's tombstones from its column `supersededAt`. */
function markTombstones(segment: Segment): void {
  const { supersededAt } = segment.columns
  const tombstones: number[] = []
  for (let i = 0; i < supersededAt.length; i++) if (isTombstone(supersededAt[i]!)) tombstones.push(i)
  segment.tombstones = Uint32Array.from(tombstones)
}
