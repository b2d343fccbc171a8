import type { RevisedCapture } from '../segment/columns/revisions.ts'
import {
  aliasesOf,
  aliasKey,
  bodyKey,
  bodyRange,
  documentKey,
  documentRange,
  type KeyRange,
  manifestKey,
  namesOfReverseKey,
  revisionKey,
  revisionRange,
  revisionRowsKey,
  supersessionKey,
  urlKey,
} from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { decodeAliasRecord, encodeAliasRecord } from '../store/records/alias-record.ts'
import { encodeSupersession } from '../store/records/supersession.ts'
import { encodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Catalog, CatalogChange } from '../store/snapshots/catalog.ts'
import { placeOf } from '../store/snapshots/catalog.ts'
import type { Operation, Store } from '../store/store.ts'

/** What is taken out of the history of one URL. */
export interface UrlErasure {
  url: string
  captures: { captureId: number; at: number }[]
  revisionIds: number[]
  /** What is left; nothing: the URL is forgotten, its aliases too. */
  record: UrlRecord
}

/** The commit that takes captures out of all of time. */
export interface PreparedErasure {
  operations: Operation[]
  captures: number
  captureIds: number[]
  /** What becomes of the catalog once the operations are on disk. */
  change: CatalogChange
  /** Where on disk what was taken out still lies, and about how much that is. */
  waste: KeyRange[]
  wasteBytes: number
}

/** Bodies looked at together for how large they are. */
const MEASURED_AT_ONCE = 64

/**
 * Prepares to take captures out: their records and bodies are deleted at once, they are marked so that they count
 * nowhere from that moment on, and their postings go with the next merge.
 *
 * @param mark - their `supersededAt` from now on.
 * @param counts - what else changes of the manifest.
 */
export async function prepareErasure(
  store: Store,
  catalog: Catalog,
  erasures: readonly UrlErasure[],
  { mark, counts }: { mark: number; counts: (captures: number) => Partial<Manifest> },
): Promise<PreparedErasure> {
  const operations: Operation[] = []
  const waste: KeyRange[] = []
  for (const { url, record } of erasures) {
    if (record.length > 0) operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(record) })
    else operations.push({ type: 'del', key: urlKey(url) }, ...(await withoutAliases(store, url)))
  }
  const captures = erasures.flatMap(erasure => erasure.captures)
  for (const { captureId } of captures) {
    operations.push({ type: 'del', key: documentKey(captureId) }, { type: 'del', key: bodyKey(captureId) })
    waste.push(documentRange(captureId), bodyRange(captureId))
  }
  for (const revisionId of erasures.flatMap(erasure => erasure.revisionIds)) {
    operations.push({ type: 'del', key: revisionKey(revisionId) })
    waste.push(revisionRange(revisionId))
  }
  const superseded: CatalogChange['superseded'][number][] = []
  const revised: RevisedCapture[] = []
  for (const { captureId, at } of captures) {
    const { segment, ordinal } = placeOf(catalog, captureId, at)
    const { id } = segment.info
    if ((segment.revisions?.rowAt(ordinal, Number.POSITIVE_INFINITY) ?? -1) >= 0) {
      operations.push({ type: 'del', key: revisionRowsKey(captureId) })
      revised.push({ captureId, acquiredAt: at, rows: [] })
    }
    operations.push({ type: 'put', key: supersessionKey(id, ordinal), value: encodeSupersession(mark) })
    superseded.push({ segment: id, ordinal, supersededAt: mark })
  }
  const { manifest: before } = catalog
  const manifest: Manifest = {
    ...before,
    ...counts(captures.length),
    generation: before.generation + 1,
    urls: before.urls - erasures.filter(({ captures, record }) => captures.length > 0 && record.length === 0).length,
  }
  operations.push({ type: 'put', key: manifestKey, value: encodeManifest(manifest) })
  return {
    operations,
    captures: captures.length,
    captureIds: captures.map(({ captureId }) => captureId),
    change: { manifest, added: [], superseded, revised },
    waste,
    wasteBytes: await bodyBytes(
      store,
      captures.map(({ captureId }) => captureId),
    ),
  }
}

/** Deletes what the aliases of a URL say of it; what they say of other URLs stays. */
async function withoutAliases(store: Store, url: string): Promise<Operation[]> {
  const operations: Operation[] = []
  for await (const [key] of store.iterate(aliasesOf(url))) {
    operations.push({ type: 'del', key })
    const { alias } = namesOfReverseKey(key)
    const stored = store.get(aliasKey(alias))
    if (!stored) continue
    const left = decodeAliasRecord(stored).filter(claim => claim.url !== url)
    if (left.length > 0) operations.push({ type: 'put', key: aliasKey(alias), value: encodeAliasRecord(left) })
    else operations.push({ type: 'del', key: aliasKey(alias) })
  }
  return operations
}

async function bodyBytes(store: Store, captureIds: readonly number[]): Promise<number> {
  let bytes = 0
  for (let from = 0; from < captureIds.length; from += MEASURED_AT_ONCE) {
    const some = captureIds.slice(from, from + MEASURED_AT_ONCE)
    for (const body of await store.getMany(some.map(bodyKey))) bytes += body?.length ?? 0
  }
  return bytes
}

/** The captures and revisions of a part of a history. */
export function versionsIn(part: UrlRecord): Pick<UrlErasure, 'captures' | 'revisionIds'> {
  return {
    captures: part.flatMap(observation => (observation.kind === 'capture' ? observation : [])),
    revisionIds: part.flatMap(observation => (observation.kind === 'revision' ? observation.revisionId : [])),
  }
}
