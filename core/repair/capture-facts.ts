import { isAsofError } from '@asof/extract/errors'
import { type ColumnName, type Columns, columnOrder, decodeColumn } from '../segment/columns/columns.ts'
import { Stream } from '../segment/streams.ts'
import { allSupersessions, chunkKey, firstNumberOfKey, secondNumberOfKey } from '../store/keys.ts'
import type { Manifest } from '../store/manifest.ts'
import { decodeSupersession } from '../store/records/supersession.ts'
import type { Store } from '../store/store.ts'

/** The values of a capture in its segment. */
export interface CaptureFacts {
  /** Epoch ms. */
  acquiredAt: number
  /** Epoch ms; undefined if unknown. */
  publishedAt?: number
  /**
   * Epoch ms; Infinity while the capture is current. If it is a tombstone, the capture was purged or expired, see
   * `isTombstone`.
   */
  supersededAt: number
  declared: boolean
  /** False if the publish dates of the segment are lost. */
  datesKnown: boolean
}

/** The values of captures that could be read from the segments of an index. */
export interface KnownCaptures {
  facts: ReadonlyMap<number, CaptureFacts>
  /** Every capture of the index with a lower number is in `facts`. 0 if values of some segments are lost. */
  completeBelow: number
}

/**
 * Reads the values of every capture from the segments. If a live segment is damaged, segments that the manifest does
 * not name are read too.
 */
export async function knownCaptures(store: Store, manifest: Manifest | undefined): Promise<KnownCaptures> {
  const overlay = new Map<number, Map<number, number>>()
  for await (const [key, value] of store.iterate(allSupersessions)) {
    const id = firstNumberOfKey(key)
    const superseded = overlay.get(id) ?? new Map<number, number>()
    overlay.set(id, superseded.set(secondNumberOfKey(key), decodeSupersession(value)))
  }
  const facts = new Map<number, CaptureFacts>()
  let isComplete = manifest !== undefined
  const live = manifest?.segments.map(({ id }) => id) ?? []
  for (const id of live) if (!addSegment(id, store, overlay.get(id), facts)) isComplete = false
  if (isComplete && manifest) return { facts, completeBelow: manifest.nextCaptureId }
  for (const id of await store.segmentsPresent()) if (!live.includes(id)) addSegment(id, store, overlay.get(id), facts)
  return { facts, completeBelow: 0 }
}

/** Adds the values of a segment's captures that are not in `facts` yet. Returns false if they cannot be read. */
function addSegment(
  id: number,
  store: Store,
  superseded: ReadonlyMap<number, number> | undefined,
  facts: Map<number, CaptureFacts>,
): boolean {
  const captureIds = column('captureIds', id, store)
  const acquiredAt = column('acquiredAt', id, store)
  if (!captureIds || !acquiredAt || captureIds.length !== acquiredAt.length) return false
  const publishedAt = column('publishedAt', id, store)
  const supersededAt = column('supersededAt', id, store)
  const declared = column('declared', id, store)
  captureIds.forEach((captureId, ordinal) => {
    if (facts.has(captureId)) return
    const published = publishedAt?.[ordinal] ?? Number.NaN
    facts.set(captureId, {
      acquiredAt: acquiredAt[ordinal]!,
      publishedAt: Number.isNaN(published) ? undefined : published,
      supersededAt: superseded?.get(ordinal) ?? supersededAt?.[ordinal] ?? Number.POSITIVE_INFINITY,
      datesKnown: publishedAt !== undefined,
      declared: declared?.[ordinal] === 1,
    })
  })
  return supersededAt !== undefined
}

/** Returns a column; undefined if it is lost. */
function column<N extends ColumnName>(name: N, segment: number, store: Store): Columns[N] | undefined {
  const bytes = store.get(chunkKey(segment, Stream.columns, columnOrder.indexOf(name)))
  if (!bytes) return undefined
  try {
    return decodeColumn(name, bytes)
  } catch (error) {
    // A damaged column counts as lost.
    if (isAsofError(error, 'ASOF_STORE_CORRUPT')) return undefined
    throw error
  }
}
