import { resolveRecord } from '../history/resolve-history.ts'
import type { RecordedCapture } from '../ingest/commit.ts'
import type { RevisedCapture } from '../segment/columns/revisions.ts'
import { revisionKey, revisionRowsKey, urlKey } from '../store/keys.ts'
import { decodeRevisionRows } from '../store/records/revision-record.ts'
import { readDocumentRecord, readStoredBody } from '../store/records/stored-page.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import type { Operation } from '../store/store.ts'
import type { StoredValues } from '../store/store-reader.ts'

/** All that an index has of some pages, except their aliases. */
export interface RecordedPages {
  /** Histories and revisions, as they are stored. */
  operations: Operation[]
  captures: RecordedCapture[]
  revised: RevisedCapture[]
  /** Number of URLs that have captures. */
  urls: number
  /** Size of the contents, UTF-16 units. */
  chars: number
}

/** The index from which pages are read. */
export interface PagesSource {
  store: StoredValues
  /** Returns the publish date that a capture itself has, epoch ms. */
  publishedAt(captureId: number, acquiredAt: number): number | undefined
}

export function noPages(): RecordedPages {
  return { operations: [], captures: [], revised: [], urls: 0, chars: 0 }
}

/** Adds all that an index has of a URL. Does nothing if it never had the URL. @throws ASOF_STORE_CORRUPT */
export function addRecordedPage(pages: RecordedPages, url: string, { store, publishedAt }: PagesSource): void {
  const value = store.get(urlKey(url))
  if (!value) return
  const copy = (key: Uint8Array): Uint8Array | undefined => {
    const stored = store.get(key)
    if (stored) pages.operations.push({ type: 'put', key, value: stored })
    return stored
  }
  pages.operations.push({ type: 'put', key: urlKey(url), value })
  const record = decodeUrlRecord(value)
  const { spans } = resolveRecord(record)
  for (const { captureId, first, supersededAt } of spans) {
    const body = readStoredBody(store, captureId)
    pages.captures.push({
      captureId,
      at: first.at,
      supersededAt,
      declared: first.declared,
      body,
      document: readDocumentRecord(store, captureId),
      publishedAt: publishedAt(captureId, first.at),
    })
    pages.chars += body.markdown.length
    const rows = copy(revisionRowsKey(captureId))
    if (rows) pages.revised.push({ captureId, ...decodeRevisionRows(rows) })
  }
  for (const seen of record) if (seen.kind === 'revision') copy(revisionKey(seen.revisionId))
  if (spans.length > 0) pages.urls++
}
