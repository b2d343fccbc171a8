import { PURGED } from '../segment/columns/tombstone.ts'
import { allAliases, allClaims, allUrls, claimsOf, urlKey } from '../store/keys.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'
import type { ReadableStore } from '../store/store.ts'
import { type PreparedDeletion, prepareDeletion, type UrlDeletion, versionsIn } from './tombstones.ts'

/** Prepares the deletion of URLs from all of time. Returns undefined if the index never had any of them. */
export async function preparePurge(
  store: ReadableStore,
  catalog: Catalog,
  urls: readonly string[],
): Promise<(PreparedDeletion & { urls: number }) | undefined> {
  const deletions: UrlDeletion[] = []
  for (const url of urls) {
    const stored = store.get(urlKey(url))
    if (!stored && !(await hasAliases(store, url))) continue
    deletions.push({ url, ...versionsIn(stored ? decodeUrlRecord(stored) : []), record: [] })
  }
  if (deletions.length === 0) return undefined
  const prepared = await prepareDeletion(store, catalog, deletions, {
    tombstone: PURGED,
    counts: purged => ({ purged: catalog.manifest.purged + purged }),
  })
  // The key ranges to compact are stored on disk. A narrow range would reveal a purged URL, so whole key ranges are
  // compacted.
  return {
    ...prepared,
    urls: deletions.filter(({ captures }) => captures.length > 0).length,
    waste: [...prepared.waste, allUrls, allAliases, allClaims],
  }
}

async function hasAliases(store: ReadableStore, url: string): Promise<boolean> {
  for await (const _ of store.iterate(claimsOf(url))) return true
  return false
}
