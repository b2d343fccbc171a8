import { allAliases, allClaims, allUrls, claimsOf, urlKey } from '../store/keys.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { type Catalog, PURGED } from '../store/snapshots/catalog.ts'
import type { Store } from '../store/store.ts'
import { type PreparedDeletion, prepareDeletion, versionsIn } from './tombstones.ts'

/** Prepares the deletion of a URL from all of time. Returns undefined if the index never had the URL. */
export async function preparePurge(store: Store, catalog: Catalog, url: string): Promise<PreparedDeletion | undefined> {
  const stored = store.get(urlKey(url))
  if (!stored && !(await hasAliases(store, url))) return undefined
  const versions = versionsIn(stored ? decodeUrlRecord(stored) : [])
  const prepared = await prepareDeletion(store, catalog, [{ url, ...versions, record: [] }], {
    tombstone: PURGED,
    counts: purged => ({ purged: catalog.manifest.purged + purged }),
  })
  // The key ranges to compact are stored on disk. A narrow range would reveal the purged URL, so whole key ranges are
  // compacted.
  return { ...prepared, waste: [...prepared.waste, allUrls, allAliases, allClaims] }
}

async function hasAliases(store: Store, url: string): Promise<boolean> {
  for await (const _ of store.iterate(claimsOf(url))) return true
  return false
}
