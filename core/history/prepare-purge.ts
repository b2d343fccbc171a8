import { allAliases, allAliasesOf, allUrls, urlKey } from '../store/keys.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { type Catalog, PURGED } from '../store/snapshots/catalog.ts'
import type { Store } from '../store/store.ts'
import { type PreparedErasure, prepareErasure, versionsIn } from './tombstones.ts'

/** Prepares to take a URL out of all of time; `undefined` when the store never knew it. */
export async function preparePurge(store: Store, catalog: Catalog, url: string): Promise<PreparedErasure | undefined> {
  const stored = store.get(urlKey(url))
  if (!stored) return undefined
  const erasure = await prepareErasure(store, catalog, [{ url, ...versionsIn(decodeUrlRecord(stored)), record: [] }], {
    mark: PURGED,
    counts: purged => ({ purged: catalog.manifest.purged + purged }),
  })
  // Whole kinds, so that the note of what is to be compacted does not name the URL.
  return { ...erasure, waste: [...erasure.waste, allUrls, allAliases, allAliasesOf] }
}
