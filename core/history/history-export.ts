import type { HistoryPart } from '../engine.ts'
import { invalidOption } from '../options.ts'
import type { Page } from '../page.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { type CurrentCapture, captureAt, visibleRecord } from './current-capture.ts'
import { versionPage } from './version-page.ts'

/** Where a part of the export ended: all URLs before `url`, and the first `given` versions of `url`, were exported. */
export interface ExportCursor {
  url: string
  given: number
}

/** @throws ASOF_INVALID_OPTION */
export function readExportCursor(text: string): ExportCursor {
  const [, given, url] = /^(\d{1,16}) (.+)$/s.exec(text) ?? []
  if (url === undefined) throw invalidOption('after', 'is not a cursor; pass `next` of the previous part')
  return { url, given: Number(given) }
}

/** A part ends after this many UTF-16 units of Markdown. */
const PART_CHARS = 4 * 1024 * 1024

/**
 * Returns one part of the versions of all pages, URL by URL.
 *
 * @param urls - in order, from the URL of the cursor on: `limit` of them, and one more if there are more.
 */
export function exportPart(
  urls: readonly string[],
  { after, limit }: { after: ExportCursor | undefined; limit: number },
  snapshot: Snapshot,
): HistoryPart {
  const captures: Page[] = []
  let chars = 0
  for (const url of urls) {
    const exported = url === after?.url ? after.given : 0
    let given = 0
    for (const page of versionsOf(url, snapshot)) {
      if (given++ < exported) continue
      if (captures.length === limit || (chars > 0 && chars + page.markdown.length > PART_CHARS))
        return { captures, next: `${given - 1} ${url}` }
      captures.push(page)
      chars += page.markdown.length
    }
  }
  // At the end of the last URL, only the number of URLs indicates whether there are more.
  if (urls.length > limit) return { captures, next: `${Number.MAX_SAFE_INTEGER} ${urls.at(-1)}` }
  return { captures }
}

/** Every version of one URL, capture or revision, that was current at some time up to the snapshot's instant; oldest first. */
function* versionsOf(url: string, snapshot: Snapshot): Generator<Page> {
  const record = visibleRecord(url, snapshot)
  let end = snapshot.instant
  const versions: CurrentCapture[] = []
  for (const { kind, at } of record.toReversed()) {
    if (kind === 'sighting' || kind === 'seen') continue
    // Of several observations in one millisecond, only the last one to arrive was ever visible.
    const current = kind !== 'removal' && at <= end ? captureAt(record, end) : undefined
    if (current) versions.unshift(current)
    end = Math.min(end, at - 1)
  }
  for (const version of versions) {
    const { supersededAt } = version
    yield { ...versionPage(version, snapshot), ...(supersededAt !== undefined && { supersededAt }) }
  }
}
