import type { RevisedCapture } from '../segment/columns/revisions.ts'
import {
  aliasKey,
  claimOfKey,
  claimsOf,
  documentKey,
  documentRange,
  type KeyRange,
  manifestKey,
  revisionKey,
  revisionRange,
  revisionRowsKey,
  supersessionKey,
  urlKey,
} from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { decodeAliasRecord, encodeAliasRecord } from '../store/records/alias-record.ts'
import { deleteBodies } from '../store/records/delete-bodies.ts'
import { encodeSupersession } from '../store/records/supersession.ts'
import { encodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Catalog, CatalogChange } from '../store/snapshots/catalog.ts'
import { locateCapture } from '../store/snapshots/catalog.ts'
import type { Operation, ReadableStore } from '../store/store.ts'

/** The deleted part of one URL's history. */
export interface UrlDeletion {
  url: string
  captures: { captureId: number; at: number }[]
  revisionIds: number[]
  /** The rest of the URL's record. If it is empty, the aliases of the URL are deleted too. */
  record: UrlRecord
}

/** A commit that deletes captures. */
export interface PreparedDeletion {
  operations: Operation[]
  captures: number
  captureIds: number[]
  /** The change of the catalog, to be made when the operations are on disk. */
  change: CatalogChange
  /** The key ranges in which deleted values still take space on disk. */
  waste: KeyRange[]
  /** Approximate size of the deleted values, bytes. */
  wasteBytes: number
}

/**
 * Prepares the deletion of captures. The commit deletes their records and bodies, and writes a tombstone in the place
 * of their `supersededAt`, which excludes them from answers and statistics. A later merge deletes their postings.
 *
 * @param tombstone - `PURGED` or `EXPIRED`.
 * @param counts - returns the counters of the manifest that change, given the number of captures.
 */
export async function prepareDeletion(
  store: ReadableStore,
  catalog: Catalog,
  deletions: readonly UrlDeletion[],
  { tombstone, counts }: { tombstone: number; counts: (captures: number) => Partial<Manifest> },
): Promise<PreparedDeletion> {
  const operations: Operation[] = []
  const waste: KeyRange[] = []
  for (const { url, record } of deletions) {
    if (record.length > 0) operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(record) })
    else operations.push({ type: 'del', key: urlKey(url) })
  }
  const gone = deletions.filter(({ record }) => record.length === 0).map(({ url }) => url)
  for (const operation of await withoutAliases(store, gone)) operations.push(operation)
  const captures = deletions.flatMap(deletion => deletion.captures)
  for (const { captureId } of captures) {
    operations.push({ type: 'del', key: documentKey(captureId) })
    waste.push(documentRange(captureId))
  }
  for (const revisionId of deletions.flatMap(deletion => deletion.revisionIds)) {
    operations.push({ type: 'del', key: revisionKey(revisionId) })
    waste.push(revisionRange(revisionId))
  }
  const superseded: CatalogChange['superseded'][number][] = []
  const revised: RevisedCapture[] = []
  for (const { captureId, at } of captures) {
    const { segment, ordinal } = locateCapture(catalog, captureId, at)
    const { id } = segment.info
    if (segment.isRevised(ordinal)) {
      operations.push({ type: 'del', key: revisionRowsKey(captureId) })
      revised.push({ captureId, acquiredAt: at, rows: [] })
    }
    operations.push({ type: 'put', key: supersessionKey(id, ordinal), value: encodeSupersession(tombstone) })
    superseded.push({ segment: id, ordinal, supersededAt: tombstone })
  }
  const captureIds = captures.map(({ captureId }) => captureId)
  const bodies = await deleteBodies(store, captureIds)
  for (const operation of bodies.operations) operations.push(operation)
  const { manifest: before } = catalog
  const manifest: Manifest = {
    ...before,
    ...counts(captures.length),
    generation: before.generation + 1,
    urls: before.urls - deletions.filter(({ captures, record }) => captures.length > 0 && record.length === 0).length,
  }
  operations.push({ type: 'put', key: manifestKey, value: encodeManifest(manifest) })
  return {
    operations,
    captures: captures.length,
    captureIds,
    change: { manifest, added: [], superseded, revised },
    waste: [...waste, ...bodies.waste],
    wasteBytes: bodies.wasteBytes,
  }
}

/** Returns the operations that delete the aliases of URLs. Claims of the same aliases on other URLs are kept. */
async function withoutAliases(store: ReadableStore, urls: readonly string[]): Promise<Operation[]> {
  const operations: Operation[] = []
  const aliases = new Set<string>()
  for (const url of urls) {
    for await (const [key] of store.iterate(claimsOf(url))) {
      operations.push({ type: 'del', key })
      aliases.add(claimOfKey(key).alias)
    }
  }
  const gone = new Set(urls)
  for (const alias of aliases) {
    const stored = store.get(aliasKey(alias))
    if (!stored) continue
    const left = decodeAliasRecord(stored).filter(claim => !gone.has(claim.url))
    if (left.length > 0) operations.push({ type: 'put', key: aliasKey(alias), value: encodeAliasRecord(left) })
    else operations.push({ type: 'del', key: aliasKey(alias) })
  }
  return operations
}

/** Returns the captures and revisions in a part of a record. */
export function versionsIn(part: UrlRecord): Pick<UrlDeletion, 'captures' | 'revisionIds'> {
  return {
    captures: part.flatMap(observation => (observation.kind === 'capture' ? observation : [])),
    revisionIds: part.flatMap(observation => (observation.kind === 'revision' ? observation.revisionId : [])),
  }
}
