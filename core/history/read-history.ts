import { invalidOption } from '@asof/extract/errors'
import { resolveTimes } from '../dates/resolve-times.ts'
import type { Page, TimeInput } from '../page.ts'
import type { PageReads, Snapshot } from '../store/snapshots/snapshots.ts'
import { normalizeUrl } from '../url.ts'
import { currentCapture } from './current-capture.ts'
import { readMaxResults } from './history-export.ts'
import type { HistoryOptions, HistorySlice, PageOptions, Timeline } from './page-version.ts'
import { historySlice, storedTimeline } from './page-versions.ts'
import { versionPage } from './version-page.ts'

/** Reads a page, see `Engine.page`. */
export async function readPage(url: string, options: PageOptions, reads: PageReads): Promise<Page | undefined> {
  const { queryTime, supersededAt: isAsked = false, markdownMaxLength = Number.POSITIVE_INFINITY } = options
  if (!(markdownMaxLength >= 0)) throw invalidOption('markdownMaxLength', 'must be a number from 0')
  return readAt(url, queryTime, reads, (normal, snapshot, isPast) => {
    const current = currentCapture(normal, snapshot)
    if (!current) return undefined
    const page = versionPage(current, snapshot, markdownMaxLength)
    // Only a page as of the past can be superseded. As of now, the next version would be one whose commit is not
    // visible yet.
    if (!isAsked || !isPast) return page
    const { supersededAt } = current
    return supersededAt !== undefined && supersededAt <= reads.sealedAt ? { ...page, supersededAt } : page
  })
}

/** Reads the versions of a page, see `Engine.history`. */
export async function readHistory(
  url: string,
  { queryTime, cursor, maxResults }: HistoryOptions,
  reads: PageReads,
): Promise<HistorySlice> {
  const versions = readMaxResults(maxResults)
  return readAt(url, queryTime, reads, (normal, snapshot) =>
    historySlice(normal, { cursor, maxResults: versions }, snapshot),
  )
}

/** Reads when the versions of a page began, see `Engine.timeline`. */
export function readTimeline(url: string, reads: PageReads): Promise<Timeline | undefined> {
  return readAt(url, undefined, reads, storedTimeline)
}

function readAt<T>(
  url: string,
  queryTime: TimeInput | undefined,
  reads: PageReads,
  work: (normal: string, snapshot: Snapshot, isPast: boolean) => T,
): Promise<T> {
  const normal = normalizeUrl(url)
  return reads.read(
    requestedAt => ({ asOf: resolveTimes({ queryTime }, requestedAt).queryTime }),
    ({ asOf }, snapshot) => work(normal, snapshot, asOf !== undefined),
  )
}
