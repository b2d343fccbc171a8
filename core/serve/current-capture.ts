import { type CurrentCapture, currentAt } from '../ingest/history.ts'
import type { Catalog } from '../store/catalog.ts'
import { aliasKey, urlKey } from '../store/keys.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/url-record.ts'

/** One state of the index as of one instant, and where it is stored. */
export interface StoredReading {
  store: StoredValues
  catalog: Catalog
  /** Epoch ms. */
  instant: number
}

/** The capture that is current at the URL, or else at the URL that it is an alias of. */
export function currentCapture(url: string, reading: StoredReading): CurrentCapture | undefined {
  const own = currentUnder(url, reading)
  const target = own ? undefined : aliased(url, reading.store)
  return own ?? (target === undefined ? undefined : currentUnder(target, reading))
}

/** The same at this very URL. */
export function currentUnder(url: string, reading: StoredReading): CurrentCapture | undefined {
  const known = knownObservations(url, reading)
  return known && currentAt(known, reading.instant)
}

/** What was observed at this very URL, as far as the reading's state of the index knows it. */
export function knownObservations(
  url: string,
  { store, catalog }: Pick<StoredReading, 'store' | 'catalog'>,
): UrlRecord | undefined {
  const bytes = store.get(urlKey(url))
  if (!bytes) return undefined
  // Batches that are on disk but not in the catalog have not happened yet.
  return decodeUrlRecord(bytes).filter(
    observation => observation.kind !== 'capture' || observation.captureId < catalog.manifest.nextCaptureId,
  )
}

/** The URL of the page that another URL leads to. */
export function aliased(url: string, store: StoredValues): string | undefined {
  const target = store.get(aliasKey(url))
  return target && Buffer.from(target).toString()
}
