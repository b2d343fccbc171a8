import { AsofError } from '@asof/extract/errors'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { changedParts, type VersionContent } from './changed-parts.ts'
import { aliasTarget, visibleRecord } from './current-capture.ts'
import type { HistorySlice, PageVersion, Timeline } from './page-version.ts'
import { versionPage } from './version-page.ts'
import { type VersionSpan, versionSpans } from './version-spans.ts'

/** The versions of one page. `url` is the URL under which they are stored. */
interface UrlVersions {
  url: string
  spans: VersionSpan[]
}

function isCurrent({ spans }: UrlVersions): boolean {
  return spans.at(-1)?.content !== undefined
}

/**
 * Finds the versions of a URL. Its own current page comes first, then the page that it is an alias of, then its own
 * removed page.
 */
function resolveVersions(url: string, snapshot: Snapshot): UrlVersions {
  const under = (name: string): UrlVersions => ({
    url: name,
    spans: versionSpans(visibleRecord(name, snapshot), snapshot.instant),
  })
  const own = under(url)
  if (isCurrent(own)) return own
  const alias = aliasTarget(url, snapshot)
  const target = alias === undefined ? undefined : under(alias)
  return target && (isCurrent(target) || (target.spans.length > 0 && own.spans.length === 0)) ? target : own
}

/** Returns when each version of a URL began, up to the snapshot's instant; undefined if there is no version. */
export function storedTimeline(url: string, snapshot: Snapshot): Timeline | undefined {
  const { url: found, spans } = resolveVersions(url, snapshot)
  if (spans.length === 0) return undefined
  return { url: found, versions: spans.map(({ kind, at }) => ({ kind, at })) }
}

/** Number of UTF-16 units of Markdown after which a slice ends. */
const SLICE_CHARS = 4 * 1024 * 1024

/**
 * Returns one slice of the versions of a URL.
 *
 * @param url - normalized.
 * @throws ASOF_INVALID_OPTION - `cursor` is not one of this URL.
 */
export function historySlice(
  url: string,
  { cursor, maxResults }: { cursor: string | undefined; maxResults: number },
  snapshot: Snapshot,
): HistorySlice {
  const { url: found, spans } = versionsOfSlice(url, cursor, snapshot)
  const cursorAt = cursor === undefined ? Number.NEGATIVE_INFINITY : readCursor(cursor).at
  const start = spans.findIndex(({ at }) => at > cursorAt)
  const slice: HistorySlice = { url: found, versions: [] }
  if (start === -1) return slice
  let previous = contentBefore(spans, start, snapshot)
  let chars = 0
  for (const span of spans.slice(start)) {
    const last = slice.versions.at(-1)
    if (last && (slice.versions.length === maxResults || chars > SLICE_CHARS))
      return { ...slice, next: `${last.at} ${found}` }
    const content = contentOf(span, snapshot)
    slice.versions.push(version(span, content, previous, snapshot))
    if (!content) continue
    chars += content.page.markdown.length
    previous = content
  }
  return slice
}

/** Returns the versions for one slice. From the second slice on, the cursor says which URL has them. */
function versionsOfSlice(url: string, given: string | undefined, snapshot: Snapshot): UrlVersions {
  if (given === undefined) return resolveVersions(url, snapshot)
  const cursor = readCursor(given)
  if (cursor.url !== url && cursor.url !== aliasTarget(url, snapshot)) throw invalidCursor()
  return { url: cursor.url, spans: versionSpans(visibleRecord(cursor.url, snapshot), snapshot.instant) }
}

function readCursor(text: string): { url: string; at: number } {
  const [, at, url] = /^(-?\d{1,16}) (.+)$/s.exec(text) ?? []
  if (url === undefined) throw invalidCursor()
  return { url, at: Number(at) }
}

function invalidCursor(): AsofError {
  const message = 'cursor: not one of this URL; pass `next` of the previous slice, or leave it out'
  return new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'cursor' } })
}

function contentOf({ content: place, lastSeenAt }: VersionSpan, snapshot: Snapshot): VersionContent | undefined {
  return place && { place, page: versionPage({ ...place, at: place.acquiredAt, lastSeenAt }, snapshot) }
}

/** Returns the content of the last version before `index`, skipping removals. */
function contentBefore(spans: readonly VersionSpan[], index: number, snapshot: Snapshot): VersionContent | undefined {
  const span = spans.slice(0, index).findLast(({ content }) => content)
  return span && contentOf(span, snapshot)
}

function version(
  { kind, at, lastSeenAt, supersededAt }: VersionSpan,
  content: VersionContent | undefined,
  previous: VersionContent | undefined,
  snapshot: Snapshot,
): PageVersion {
  return {
    kind,
    at,
    lastSeenAt: content ? lastSeenAt : at,
    supersededAt: Number.isFinite(supersededAt) ? supersededAt : undefined,
    title: (content ?? previous)?.page.title ?? '',
    publishedAt: content?.page.publishedAt,
    changed: content && previous ? changedParts(previous, content, snapshot) : [],
  }
}
