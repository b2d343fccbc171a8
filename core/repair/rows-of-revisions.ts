import { revisionRows, searchableOf } from '../history/revision-rows.ts'
import type { RevisionRow } from '../segment/columns/revisions.ts'
import { readDocumentRecord, readRevision, readStoredBody } from '../store/records/stored-page.ts'
import type { StoredValues } from '../store/store-reader.ts'
import type { Ending } from './histories.ts'

/**
 * Computes the rows by which searches filter the revisions of a capture.
 *
 * @throws ASOF_STORE_CORRUPT - a capture or a revision is missing from the store.
 */
export function revisionRowsOf(
  { captureId, publishedAt, revisions }: Pick<Ending, 'captureId' | 'revisions'> & { publishedAt: number | undefined },
  store: StoredValues,
): RevisionRow[] {
  if (revisions.length === 0) return []
  const { language } = readDocumentRecord(store, captureId)
  const { details } = readStoredBody(store, captureId)
  const first = searchableOf({ details, publishedAt }, language)
  return revisionRows(
    first,
    revisions.map(({ revisionId, at, declared }) => ({
      ...searchableOf(readRevision(store, revisionId), language),
      at,
      declared,
    })),
  )
}
