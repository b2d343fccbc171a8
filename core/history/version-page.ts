import { clip } from '@asof/extract/characters'
import { shownFields } from '../fields/field-values.ts'
import type { Page } from '../page.ts'
import type { Revision } from '../store/records/revision-record.ts'
import { readBodyBeginning, readDocumentRecord, readRevision } from '../store/records/stored-page.ts'
import { locateCapture } from '../store/snapshots/catalog.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { CurrentCapture } from './current-capture.ts'

/**
 * Returns the page of one version. The text is that of the capture; metadata, markup and white space are those of the
 * revision if there is one.
 *
 * @param markdownUnits - maximum length of the Markdown, UTF-16 units. Default: no maximum.
 */
export function versionPage(
  version: CurrentCapture,
  { store, catalog }: Snapshot,
  markdownUnits: number = Number.POSITIVE_INFINITY,
): Page {
  const { captureId, at, lastSeenAt, revision } = version
  const { segment, ordinal } = locateCapture(catalog, captureId, at)
  const document = readDocumentRecord(store, captureId)
  const body = readBodyBeginning(store, captureId, markdownUnits)
  const acquired = segment.columns.publishedAt[ordinal]!
  const content: Revision = revision
    ? readRevision(store, revision.id)
    : { details: body.details, publishedAt: Number.isNaN(acquired) ? undefined : acquired }
  const { details, publishedAt, form = { title: document.title, markdown: body.markdown } } = content
  const { publishedFrom, fields, ...rest } = details
  return {
    url: document.url,
    title: form.title,
    ...rest,
    fields: fields && shownFields(fields),
    publishedAt,
    publishedFrom: publishedAt === undefined ? undefined : publishedFrom,
    acquiredAt: at,
    revisedAt: revision?.at,
    lastSeenAt,
    markdown: clip(form.markdown, markdownUnits),
  }
}
