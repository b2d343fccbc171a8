import { AsofError } from '../errors.ts'
import { documentKey, urlKey } from '../store/keys.ts'
import { decodeDocument } from '../store/records/documents.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import { type Catalog, EXPIRED, isTombstone } from '../store/snapshots/catalog.ts'
import type { Store } from '../store/store.ts'
import { type PreparedErasure, prepareErasure, type UrlErasure, versionsIn } from './tombstones.ts'

/** A capture that was superseded long enough ago to be let go. Instants are epoch ms. */
export interface Expired {
  captureId: number
  at: number
  supersededAt: number
}

/**
 * The captures superseded before `cutoff`, those first that were superseded first: an order that does not depend on
 * which segments they lie in.
 *
 * @param atMost - how many, but for more of one instant.
 */
export function expiredCaptures({ segments }: Catalog, cutoff: number, atMost: number): Expired[] {
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
  const last = all.sort()[Math.min(atMost, count) - 1]
  const expired: Expired[] = []
  segments.forEach(({ columns }, s) => {
    if (ends[s].length === 0) return
    columns.supersededAt.forEach((supersededAt, ordinal) => {
      if (supersededAt > last || isTombstone(supersededAt)) return
      expired.push({ captureId: columns.captureIds[ordinal], at: columns.acquiredAt[ordinal], supersededAt })
    })
  })
  return expired.sort((a, b) => a.supersededAt - b.supersededAt || a.captureId - b.captureId)
}

/**
 * Prepares to let expired captures go, with all that was observed of their URLs before the first capture that stays.
 *
 * @returns undefined when none of them can go now.
 */
export async function prepareRetirement(
  store: Store,
  catalog: Catalog,
  expired: readonly Expired[],
): Promise<PreparedErasure | undefined> {
  const documents = await store.getMany(expired.map(({ captureId }) => documentKey(captureId)))
  const byId = new Map<number, Expired>()
  const urls = new Set<string>()
  documents.forEach((document, i) => {
    // One that was purged meanwhile is gone already.
    if (!document) return
    byId.set(expired[i].captureId, expired[i])
    urls.add(decodeDocument(document).url)
  })
  const records = await store.getMany([...urls].map(urlKey))
  const erasures: UrlErasure[] = []
  let lastEnd = catalog.manifest.retainedSinceAt
  for (const [i, url] of [...urls].entries()) {
    const stored = records[i]
    if (!stored) throw new AsofError('ASOF_STORE_CORRUPT', `the history of ${url} is missing`)
    const history = decodeUrlRecord(stored)
    const kept = firstKept(history, byId)
    const expiredPart = versionsIn(history.slice(0, kept))
    if (expiredPart.captures.length === 0) continue
    erasures.push({ url, ...expiredPart, record: history.slice(kept) })
    for (const { captureId } of expiredPart.captures)
      lastEnd = Math.max(lastEnd, byId.get(captureId)?.supersededAt ?? lastEnd)
  }
  if (erasures.length === 0) return undefined
  const { manifest } = catalog
  return prepareErasure(store, catalog, erasures, {
    mark: EXPIRED,
    counts: dropped => ({ dropped: manifest.dropped + dropped, retainedSinceAt: lastEnd }),
  })
}

/** Where what stays of a history begins: at its first capture that does not go. */
function firstKept(history: UrlRecord, going: ReadonlyMap<number, Expired>): number {
  const index = history.findIndex(observation => observation.kind === 'capture' && !going.has(observation.captureId))
  return index < 0 ? history.length : index
}
