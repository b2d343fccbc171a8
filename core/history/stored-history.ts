import type { Page } from '../page.ts'
import type { Revision } from '../store/records/revision-record.ts'
import { readBody, readDocument, readRevision } from '../store/records/stored-page.ts'
import { placeOf } from '../store/snapshots/catalog.ts'
import { knownRecord, type StoredReading } from './current-capture.ts'
import { type CurrentCapture, currentAt } from './url-history.ts'

/** The page as a capture, or a revision of it, says. */
export function storedPage(current: CurrentCapture, { store, catalog }: StoredReading): Page {
  const { captureId, at, lastSeenAt, revision } = current
  const { segment, ordinal } = placeOf(catalog, captureId, at)
  const document = readDocument(store, captureId)
  const body = readBody(store, captureId)
  const acquired = segment.columns.publishedAt[ordinal]
  const said: Revision = revision
    ? readRevision(store, revision.id)
    : { details: body.details, ...(!Number.isNaN(acquired) && { publishedAt: acquired }) }
  const { details, publishedAt, form = { title: document.title, markdown: body.markdown } } = said
  const { publishedFrom, ...rest } = details
  return {
    url: document.url,
    title: form.title,
    ...rest,
    ...(publishedAt !== undefined && { publishedAt, ...(publishedFrom && { publishedFrom }) }),
    acquiredAt: at,
    ...(revision && revision.at > at && { revisedAt: revision.at }),
    lastSeenAt,
    markdown: form.markdown,
  }
}

/** Every version of one URL, capture or revision, that was current at some time up to the reading's, oldest first. */
export function* storedHistory(url: string, reading: StoredReading): Generator<Page> {
  const known = knownRecord(url, reading)
  let end = reading.instant
  const pages: CurrentCapture[] = []
  for (const observation of known.toReversed()) {
    const { kind, at } = observation
    if (kind === 'sighting' || kind === 'seen') continue
    // Of two at one time only the later one to arrive has ever been seen.
    const current = kind !== 'removal' && at <= end ? currentAt(known, end) : undefined
    if (current) pages.unshift(current)
    end = Math.min(end, at - 1)
  }
  for (const current of pages) {
    const { supersededAt } = current
    yield { ...storedPage(current, reading), ...(supersededAt !== undefined && { supersededAt }) }
  }
}

/** Where a part of all histories ended: so many captures of a URL, and all of the URLs before it, had been given. */
export interface HistoryCursor {
  url: string
  given: number
}

/** UTF-16 units of markdown after which a part ends. */
const PART_CHARS = 4 * 1024 * 1024

/**
 * A part of all histories.
 *
 * @param urls - in their order, from that of the cursor on.
 * @returns the captures, and where the part ends when there is more of those URLs.
 */
export function historyPart(
  urls: readonly string[],
  { after, limit }: { after: HistoryCursor | undefined; limit: number },
  reading: StoredReading,
): { captures: Page[]; end?: HistoryCursor } {
  const captures: Page[] = []
  let chars = 0
  for (const url of urls) {
    const before = url === after?.url ? after.given : 0
    let given = 0
    for (const page of storedHistory(url, reading)) {
      if (given++ < before) continue
      if (captures.length === limit || (chars > 0 && chars + page.markdown.length > PART_CHARS))
        return { captures, end: { url, given: given - 1 } }
      captures.push(page)
      chars += page.markdown.length
    }
  }
  return { captures }
}
