import type { Segment } from '../segment/segment.ts'
import { documentKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { hostOf } from '../url.ts'
import type { TitleColumnsBuilder } from './title-columns.ts'

/** Number of newest pages from which suggestions come. It bounds the memory. */
export const MAX_PAGES = 20_000

/** A page that is current at an instant. */
export interface CurrentPage {
  captureId: number
  /** Epoch ms. */
  at: number
  url: string
  title: string
}

/** Adds the title of a page, and its site. */
export function addPage(titles: TitleColumnsBuilder, { captureId, url, title }: CurrentPage): void {
  titles.add({ kind: 'title', text: title, pageUrl: url, captureId })
  const site = hostOf(url)
  if (site !== '') titles.add({ kind: 'site', text: site, pageUrl: url, captureId })
}

/**
 * Yields the newest pages that are current at the instant, newest first, at most {@link MAX_PAGES}. Pages that were acquired at the same
 * instant are sorted by URL, so that the order does not depend on segments or on the order of arrival. Reads each page when it is needed.
 */
export function* newestPages(
  segments: readonly Segment[],
  instant: number,
  store: StoredValues,
): Generator<CurrentPage, void> {
  const heads: { page: CurrentPage; next: () => CurrentPage | undefined }[] = []
  for (const segment of segments) {
    const pages = currentPages(segment, instant, store)
    const next = (): CurrentPage | undefined => pages.next().value ?? undefined
    const page = next()
    if (page) heads.push({ page, next })
  }
  for (let yielded = 0; yielded < MAX_PAGES && heads.length > 0; yielded++) {
    let first = 0
    for (let i = 1; i < heads.length; i++) if (goesBefore(heads[i]!.page, heads[first]!.page)) first = i
    const { page, next } = heads[first]!
    const following = next()
    if (following) heads[first] = { page: following, next }
    else heads.splice(first, 1)
    yield page
  }
}

/** Yields the current pages of one segment, newest first. Pages that were acquired at the same instant are in order of URL. */
function* currentPages(segment: Segment, instant: number, store: StoredValues): Generator<CurrentPage, void> {
  const { acquiredAt, captureIds, supersededAt } = segment.columns
  for (let ordinal = segment.ordinalEndAt(instant) - 1; ordinal >= 0; ordinal--) {
    if (supersededAt[ordinal]! <= instant) continue
    const captureId = captureIds[ordinal]!
    const bytes = store.get(documentKey(captureId))
    // The page was purged after the iteration began.
    if (!bytes) continue
    const { url, title } = decodeHead(bytes).texts
    yield { captureId, at: acquiredAt[ordinal]!, url, title }
  }
}

function goesBefore(a: CurrentPage, b: CurrentPage): boolean {
  return a.at === b.at ? a.url < b.url : a.at > b.at
}
