import { type Catalog, markPurged, PURGED, placeOf } from '../store/catalog.ts'
import { decodeBodyBlock, decodeDocument, encodeBodyBlock } from '../store/documents.ts'
import {
  aliasKey,
  allAliases,
  bodyKey,
  documentKey,
  manifestKey,
  supersessionKey,
  urlKey,
  urlOfKey,
} from '../store/keys.ts'
import { encodeManifest } from '../store/manifest.ts'
import type { Operation, Store } from '../store/store.ts'
import { encodeSupersession } from '../store/supersession.ts'
import { decodeUrlRecord } from '../store/url-record.ts'

/** The commit that takes a URL out of all of time, or `undefined` when the store never knew it. */
export interface PreparedPurge {
  operations: Operation[]
  /** Captures purged. */
  captures: number
  apply(): Catalog
}

/**
 * Prepares a purge: records and bodies are deleted at once, the captures are marked so that they count nowhere, and
 * their postings go with the next merge.
 */
export async function preparePurge(store: Store, catalog: Catalog, url: string): Promise<PreparedPurge | undefined> {
  const stored = store.get(urlKey(url))
  if (!stored) return undefined
  const captures = decodeUrlRecord(stored).filter(observation => observation.kind === 'capture')
  const operations: Operation[] = [{ type: 'del', key: urlKey(url) }]
  const blocks = new Map<number, Uint8Array[]>()
  for (const { captureId } of captures) {
    operations.push({ type: 'del', key: documentKey(captureId) })
    emptyBody(store, captureId, blocks)
  }
  for (const [id, bodies] of blocks)
    operations.push(
      bodies.every(body => body.length === 0)
        ? { type: 'del', key: bodyKey(id) }
        : { type: 'put', key: bodyKey(id), value: await encodeBodyBlock(bodies) },
    )
  for await (const [key, value] of store.iterate(allAliases))
    if (Buffer.from(value).toString() === url) operations.push({ type: 'del', key: aliasKey(urlOfKey(key)) })
  const places = captures.map(({ captureId, at }) => placeOf(catalog, captureId, at))
  for (const { segment, ordinal } of places)
    operations.push({ type: 'put', key: supersessionKey(segment.info.id, ordinal), value: encodeSupersession(PURGED) })
  const manifest = {
    ...catalog.manifest,
    generation: catalog.manifest.generation + 1,
    urls: catalog.manifest.urls - 1,
    purged: catalog.manifest.purged + captures.length,
  }
  operations.push({ type: 'put', key: manifestKey, value: encodeManifest(manifest) })
  const apply = (): Catalog => {
    for (const { segment, ordinal } of places) segment.columns.supersededAt[ordinal] = PURGED
    for (const segment of new Set(places.map(place => place.segment))) markPurged(segment)
    return { manifest, segments: catalog.segments }
  }
  return { operations, captures: captures.length, apply }
}

function emptyBody(store: Store, captureId: number, blocks: Map<number, Uint8Array[]>): void {
  const record = store.get(documentKey(captureId))
  if (!record) return
  const { bodyBlock, bodyIndex } = decodeDocument(captureId, record)
  let bodies = blocks.get(bodyBlock)
  if (!bodies) {
    const block = store.get(bodyKey(bodyBlock))
    if (!block) return
    bodies = decodeBodyBlock(block)
    blocks.set(bodyBlock, bodies)
  }
  bodies[bodyIndex] = new Uint8Array(0)
}
