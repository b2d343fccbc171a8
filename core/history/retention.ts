import { AsofError } from '@asof/extract/errors'
import { EXPIRED, isTombstone } from '../segment/columns/tombstone.ts'
import { documentKey, urlKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { ReadableStore } from '../store/store.ts'
import { type PreparedDeletion, prepareDeletion, type UrlDeletion, versionsIn } from './tombstones.ts'

/** A capture that retention deletes because it was superseded too long ago. Instants are epoch ms. */
export interface ExpiredCapture {
  captureId: number
  at: number
  supersededAt: number
}

/**
 * Returns the captures that were superseded before `cutoff`, in the order in which they were superseded. The order does
 * not depend on the segments.
 *
 * @param atMost - maximum number. It is exceeded only by captures that were superseded at the same instant as the last
 *   one.
 */
export function expiredCaptures({ segments }: Catalog, cutoff: number, atMost: number): ExpiredCapture[] {
  const ends: Float64Array[] = segments.map(({ columns }) =>
    columns.supersededAt.filter(end => end < cutoff && !isTombstone(end)),
  )
  const count = ends.reduce((total, some) => total + some.length, 0)
  if (count === 0) return []
  const all = new Float64Array(count)
  let filled = 0
  for (const some of ends) {
    all.set(some, filled)
    filled += some.length
  }
  const last = all.sort()[Math.min(atMost, count) - 1]!
  const expired: ExpiredCapture[] = []
  segments.forEach(({ columns }, s) => {
    if (ends[s]?.length === 0) return
    columns.supersededAt.forEach((supersededAt, ordinal) => {
      if (supersededAt > last || isTombstone(supersededAt)) return
      expired.push({ captureId: columns.captureIds[ordinal]!, at: columns.acquiredAt[ordinal]!, supersededAt })
    })
  })
  return expired.sort((a, b) => a.supersededAt - b.supersededAt || a.captureId - b.captureId)
}

/**
 * Prepares the deletion of expired captures, and of all observations of their URLs before the first capture that is kept.
 *
 * @returns undefined if nothing can be deleted now.
 */
export async function prepareExpiry(
  store: ReadableStore,
  catalog: Catalog,
  expired: readonly ExpiredCapture[],
): Promise<PreparedDeletion | undefined> {
  const documents = await store.getMany(expired.map(({ captureId }) => documentKey(captureId)))
  const byId = new Map<number, ExpiredCapture>()
  const urls = new Set<string>()
  expired.forEach((capture, i) => {
    const document = documents[i]
    // The capture was purged after it was found to be expired.
    if (!document) return
    byId.set(capture.captureId, capture)
    urls.add(decodeHead(document).texts.url)
  })
  const records = await store.getMany([...urls].map(urlKey))
  const deletions: UrlDeletion[] = []
  let lastEnd = catalog.manifest.retainedSinceAt
  for (const [i, url] of [...urls].entries()) {
    const stored = records[i]
    if (!stored) throw new AsofError('ASOF_STORE_CORRUPT', `the history of ${url} is missing`)
    const history = decodeUrlRecord(stored)
    const kept = firstKept(history, byId)
    const expiredPart = versionsIn(history.slice(0, kept))
    if (expiredPart.captures.length === 0) continue
    deletions.push({ url, ...expiredPart, record: history.slice(kept) })
    for (const { captureId } of expiredPart.captures)
      lastEnd = Math.max(lastEnd, byId.get(captureId)?.supersededAt ?? lastEnd)
  }
  if (deletions.length === 0) return undefined
  const { manifest } = catalog
  return prepareDeletion(store, catalog, deletions, {
    tombstone: EXPIRED,
    counts: captures => ({ dropped: manifest.dropped + captures, retainedSinceAt: lastEnd }),
  })
}

/** Returns the index of the first observation to keep: the first capture that is not expired. */
function firstKept(history: UrlRecord, expired: ReadonlyMap<number, ExpiredCapture>): number {
  const index = history.findIndex(observation => observation.kind === 'capture' && !expired.has(observation.captureId))
  return index < 0 ? history.length : index
}
