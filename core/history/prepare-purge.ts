import { allAliases, allClaims, allUrls, claimsOf, urlKey } from '../store/keys.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { type Catalog, PURGED } from '../store/snapshots/catalog.ts'
import type { Store } from '../store/store.ts'
import { type PreparedDeletion, prepareDeletion, versionsIn } from './tombstones.ts'

/** Prepares the deletion of a URL from all of time. Returns undefined if the store never had the URL. */
export async function preparePurge(store: Store, catalog: Catalog, url: string): Promise<PreparedDeletion | undefined> {
  const stored = store.get(urlKey(url))
  if (!stored && !(await hasAliases(store, url))) return undefined
  const versions = versionsIn(stored ? decodeUrlRecord(stored) : [])
  const prepared = await prepareDeletion(store, catalog, [{ url, ...versions, record: [] }], {
    tombstone: PURGED,
    counts: purged => ({ purged: catalog.manifest.purged + purged }),
  })
  // The ranges to compact are stored, and a narrower range would contain the purged URL. So they are whole key ranges.
  return { ...prepared, waste: [...prepared.waste, allUrls, allAliases, allClaims] }
}

/** True if the URL has declared aliases. */
async function hasAliases(store: Store, url: string): Promise<boolean> {
  for await (const _ of store.iterate(claimsOf(url))) return true
  return false
}
