import { type CurrentCapture, currentAt } from '../ingest/history.ts'
import type { Page } from '../page.ts'
import { placeOf } from '../store/catalog.ts'
import { readBody, readDocument } from '../store/stored-page.ts'
import { knownObservations, type StoredReading } from './current-capture.ts'

/** The page that a capture is. */
export function storedPage({ captureId, at, lastSeenAt }: CurrentCapture, { store, catalog }: StoredReading): Page {
  const { segment, ordinal } = placeOf(catalog, captureId, at)
  const document = readDocument(store, captureId)
  const { details, markdown } = readBody(store, captureId)
  const { publishedFrom, ...rest } = details
  const publishedAt = segment.columns.publishedAt[ordinal]
  return {
    url: document.url,
    title: document.title,
    ...rest,
    ...(!Number.isNaN(publishedAt) && { publishedAt, ...(publishedFrom && { publishedFrom }) }),
    acquiredAt: at,
    lastSeenAt,
    markdown,
  }
}

/** Every capture at one URL that was current at some time up to the reading's, oldest first. */
export function* storedHistory(url: string, reading: StoredReading): Generator<Page> {
  const known = knownObservations(url, reading)
  if (!known) return
  let end = reading.instant
  const pages: CurrentCapture[] = []
  for (const observation of known.toReversed()) {
    if (observation.kind === 'sighting') continue
    // Of two at one time only the later one to arrive has ever been seen.
    const current = observation.kind === 'capture' && observation.at <= end ? currentAt(known, end) : undefined
    if (current) pages.unshift(current)
    end = Math.min(end, observation.at - 1)
  }
  for (const page of pages) yield storedPage(page, reading)
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
