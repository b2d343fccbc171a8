import { aliasKey, urlKey } from '../store/keys.ts'
import { decodeAliasRecord, targetAt } from '../store/records/alias-record.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { type CurrentCapture, currentAt } from './url-history.ts'

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
  const target = own ? undefined : aliased(url, reading)
  return own ?? (target === undefined ? undefined : currentUnder(target, reading))
}

/** The same at this very URL. */
export function currentUnder(url: string, reading: StoredReading): CurrentCapture | undefined {
  return currentAt(knownRecord(url, reading), reading.instant)
}

/** The history of a URL; empty for one that is unknown. */
export function knownRecord(url: string, { store, catalog }: Omit<StoredReading, 'instant'>): UrlRecord {
  const bytes = store.get(urlKey(url))
  if (!bytes) return []
  const { nextCaptureId } = catalog.manifest
  // Batches that are on disk but not in the catalog have not happened yet.
  return decodeUrlRecord(bytes).filter(observation => {
    if (observation.kind === 'capture') return observation.captureId < nextCaptureId
    return observation.kind !== 'revision' || observation.revisionId < nextCaptureId
  })
}

/** The URL of the page that another URL led to as of the instant. */
export function aliased(url: string, { store, instant }: Omit<StoredReading, 'catalog'>): string | undefined {
  const stored = store.get(aliasKey(url))
  return stored && targetAt(decodeAliasRecord(stored), instant)
}
