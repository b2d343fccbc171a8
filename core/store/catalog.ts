import { AsofError } from '../errors.ts'
import { type PostingCache, Segment } from '../segment/segment.ts'
import { allSupersessions, manifestKey, ordinalOfKey, segmentOfKey } from './keys.ts'
import { decodeManifest, emptyManifest, type Manifest } from './manifest.ts'
import type { Store } from './store.ts'
import { decodeSupersession } from './supersession.ts'

/** The live segments and the manifest that names them. Replaced as a whole by every commit, never changed in place. */
export interface Catalog {
  manifest: Manifest
  /** Newest first by `maxAcquiredAt`. */
  segments: readonly Segment[]
}

/** Reads the manifest, opens its segments, applies their supersessions and clears what a crash left behind. */
export async function loadCatalog(store: Store, cache: PostingCache): Promise<Catalog> {
  const stored = store.get(manifestKey)
  const manifest = stored ? decodeManifest(stored) : emptyManifest
  const segments = manifest.segments.map(info => Segment.open(info, store.chunks(info.id), cache))
  const byId = new Map(segments.map(segment => [segment.info.id, segment]))
  for (const id of await store.segmentsPresent()) if (!byId.has(id)) await store.clearSegment(id)
  for await (const [key, value] of store.iterate(allSupersessions)) {
    const segment = byId.get(segmentOfKey(key))
    if (segment) segment.columns.supersededAt[ordinalOfKey(key)] = decodeSupersession(value)
  }
  for (const segment of segments) markPurged(segment)
  return { manifest, segments: newestFirst(segments) }
}

export function newestFirst(segments: Iterable<Segment>): Segment[] {
  return [...segments].sort((a, b) => b.info.maxAcquiredAt - a.info.maxAcquiredAt || b.info.id - a.info.id)
}

/** Where a capture stands. */
export interface Place {
  segment: Segment
  ordinal: number
}

/**
 * @throws ASOF_STORE_CORRUPT - no segment holds the capture.
 */
export function placeOf({ segments }: Catalog, captureId: number, acquiredAt: number): Place {
  for (const segment of segments) {
    const ordinal = segment.ordinalOf(captureId, acquiredAt)
    if (ordinal >= 0) return { segment, ordinal }
  }
  throw new AsofError('ASOF_STORE_CORRUPT', `capture ${captureId} is in no segment`)
}

/** Derives a segment's purged ordinals from its supersessions. */
export function markPurged(segment: Segment): void {
  const { supersededAt } = segment.columns
  const purged: number[] = []
  for (let i = supersededAt.indexOf(PURGED); i >= 0; i = supersededAt.indexOf(PURGED, i + 1)) purged.push(i)
  segment.purged = Uint32Array.from(purged)
}

/** `supersededAt` of a purged capture: it was never valid. */
export const PURGED = Number.NEGATIVE_INFINITY
