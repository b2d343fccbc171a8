import { metadataFingerprint } from '../history/metadata-fingerprint.ts'
import { fingerprintOf } from '../ingest/analyze.ts'
import { isTombstone } from '../segment/columns/tombstone.ts'
import { allDocuments, allUrls, firstNumberOfKey, revisionKey, urlOfKey } from '../store/keys.ts'
import { readDocumentRecord, readStoredBody } from '../store/records/stored-page.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Store } from '../store/store.ts'
import type { CaptureFacts, KnownCaptures } from './capture-facts.ts'
import { recoverHistory, type SavedHistory, type Survivor, withoutCaptures } from './histories.ts'

/** A lost capture. Either its page or its instant could not be read. */
export interface LostCapture {
  /** Undefined if unknown. */
  url?: string
  /** Epoch ms; undefined if unknown. */
  acquiredAt?: number
}

/** The recovered histories, and what was lost. */
export interface Survivors {
  histories: Map<string, SavedHistory>
  lost: LostCapture[]
  /**
   * Number of URLs whose history was reconstructed from their captures, because the stored record is missing or
   * incomplete.
   */
  patched: number
  /** Number of revisions whose metadata are lost. */
  revisionsLost: number
}

/** Finds the captures whose page can be read, and reconstructs the history of each URL. */
export async function findSurvivors(store: Store, { facts, completeBelow }: KnownCaptures): Promise<Survivors> {
  const survivors: Survivors = { histories: new Map(), lost: [], patched: 0, revisionsLost: 0 }
  // A capture with a tombstone stays deleted, even if damage brought its page back.
  const isDeleted = (captureId: number): boolean => {
    const known = facts.get(captureId)
    return known ? isTombstone(known.supersededAt) : captureId < completeBelow
  }
  const urls = await pagesByCapture(store, isDeleted)
  const known = new Set<number>()
  const unknown = new Map<string, Survivor[]>()
  for await (const [, value] of store.iterate(allUrls))
    for (const observation of decodeUrlRecord(value))
      if (observation.kind === 'capture') known.add(observation.captureId)
  for (const [captureId, url] of urls) {
    if (known.has(captureId)) continue
    const found = facts.get(captureId)
    if (!found) survivors.lost.push({ url })
    else unknown.set(url, [...(unknown.get(url) ?? []), survivorOf(store, captureId, found)])
  }
  const add = (url: string, found: UrlRecord): void => {
    const record = withoutCaptures(found, isDeleted)
    const extra = unknown.get(url) ?? []
    unknown.delete(url)
    if (extra.length > 0) survivors.patched++
    const recorded = record.flatMap(o => (o.kind === 'capture' && urls.get(o.captureId) === url ? [o] : []))
    const hasRevision = (revisionId: number): boolean => store.get(revisionKey(revisionId)) !== undefined
    const history = recoverHistory(record, [...recorded, ...extra], captureId => facts.get(captureId), hasRevision)
    survivors.revisionsLost += history.revisionsLost
    for (const acquiredAt of history.lost) survivors.lost.push({ url, acquiredAt })
    // A history without captures is kept too. A removal in it ends any capture that is declared later with an earlier
    // instant.
    if (history.record.length > 0) survivors.histories.set(url, history)
  }
  for await (const [key, value] of store.iterate(allUrls)) add(urlOfKey(key), decodeUrlRecord(value))
  for (const url of [...unknown.keys()]) add(url, [])
  for (const [captureId, { acquiredAt }] of facts)
    if (!known.has(captureId) && !urls.has(captureId) && !isDeleted(captureId)) survivors.lost.push({ acquiredAt })
  return survivors
}

/** Returns the URL of every capture whose record and body can be read. */
async function pagesByCapture(store: Store, isDeleted: (captureId: number) => boolean): Promise<Map<number, string>> {
  const urls = new Map<number, string>()
  for await (const [key] of store.iterate(allDocuments)) {
    const captureId = firstNumberOfKey(key)
    if (!isDeleted(captureId) && store.body(captureId)) urls.set(captureId, readDocumentRecord(store, captureId).url)
  }
  return urls
}

function survivorOf(store: Store, captureId: number, { acquiredAt, publishedAt }: CaptureFacts): Survivor {
  const { details, text, markdown } = readStoredBody(store, captureId)
  const { title } = readDocumentRecord(store, captureId)
  const metadata = { details, publishedAt }
  return {
    captureId,
    at: acquiredAt,
    fingerprint: fingerprintOf(title, text, details),
    metadata: metadataFingerprint(metadata, { title, markdown }),
  }
}
