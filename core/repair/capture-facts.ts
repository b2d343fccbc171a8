import { isAsofError } from '../errors.ts'
import { CaptureFlag, type ColumnName, type Columns, columnOrder, decodeColumn } from '../segment/columns/columns.ts'
import { Stream } from '../segment/streams.ts'
import { allSupersessions, chunkKey, firstNumberOfKey, secondNumberOfKey } from '../store/keys.ts'
import type { Manifest } from '../store/manifest.ts'
import { decodeSupersession } from '../store/records/supersession.ts'
import type { Store } from '../store/store.ts'

/** The values of a capture in the columns of its segment. */
export interface CaptureFacts {
  /** Epoch ms. */
  acquiredAt: number
  /** Epoch ms; undefined if unknown. */
  publishedAt?: number
  /** Epoch ms; Infinity if current. `isTombstone` is true for that of a purged or expired capture. */
  supersededAt: number
  declared: boolean
  /** False if the column with the publish dates is lost. */
  datesKnown: boolean
}

/** The values of all captures, read from the columns of an index. */
export interface KnownCaptures {
  facts: ReadonlyMap<number, CaptureFacts>
  /** `facts` has every capture of the index with a number below this one. 0 if some columns are lost. */
  completeBelow: number
}

/** Reads the facts of every capture. If columns of live segments are lost, segments that no manifest names are read too. */
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

/** Adds the captures of a segment that have no facts yet. Returns true if the segment has the instants of all its captures. */
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
  const flags = column('flags', id, store)
  captureIds.forEach((captureId, ordinal) => {
    if (facts.has(captureId)) return
    const published = publishedAt?.[ordinal] ?? Number.NaN
    facts.set(captureId, {
      acquiredAt: acquiredAt[ordinal]!,
      publishedAt: Number.isNaN(published) ? undefined : published,
      supersededAt: superseded?.get(ordinal) ?? supersededAt?.[ordinal] ?? Number.POSITIVE_INFINITY,
      datesKnown: publishedAt !== undefined,
      declared: ((flags?.[ordinal] ?? 0) & CaptureFlag.declared) !== 0,
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
    // A column that cannot be read is lost.
    if (isAsofError(error, 'ASOF_STORE_CORRUPT')) return undefined
    throw error
  }
}
