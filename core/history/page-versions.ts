import { isDeepStrictEqual } from 'node:util'
import type { PagePart, PageVersion, Timeline, VersionsPart } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { Page } from '../page.ts'
import { readText } from '../store/records/stored-page.ts'
import type { UrlRecord } from '../store/records/url-record.ts'
import { aliased, knownRecord, type StoredReading } from './current-capture.ts'
import { storedPage } from './stored-history.ts'

/** Where the content of a version is. */
interface ContentPlace {
  captureId: number
  acquiredAt: number
  fingerprint: string
  /** The revision that says the metadata. Absent: the capture does. */
  revision?: { id: number; at: number }
}

/** A version without what it says. */
interface VersionSpan {
  kind: PageVersion['kind']
  at: number
  /** Absent for a removal. */
  content?: ContentPlace
  lastSeenAt: number
  /** Infinite for the last one. */
  supersededAt: number
}

/** The versions that had begun by `instant`, oldest first, in one pass over the record. */
export function versionSpans(record: UrlRecord, instant: number): VersionSpan[] {
  const spans: VersionSpan[] = []
  let content: ContentPlace | undefined
  let hasBegun = false
  for (const [index, observation] of record.entries()) {
    const { kind, at } = observation
    if (at > instant) break
    if (kind === 'capture') {
      const { captureId, fingerprint } = observation
      content = { captureId, acquiredAt: at, fingerprint }
    } else if (kind === 'revision') content = content && { ...content, revision: { id: observation.revisionId, at } }
    else if (kind === 'removal') content = undefined
    hasBegun ||= kind !== 'sighting' && kind !== 'seen'
    // Of several observations in one millisecond, only the last one to arrive was ever visible.
    if (record[index + 1]?.at === at) continue
    const before = spans.at(-1)
    if (!hasBegun) {
      if (before) before.lastSeenAt = at
      continue
    }
    hasBegun = false
    if (!content && !before?.content) continue
    if (before) before.supersededAt = at
    const role = content ? (content.acquiredAt === at ? 'capture' : 'revision') : 'removal'
    spans.push({ kind: role, at, ...(content && { content }), lastSeenAt: at, supersededAt: Number.POSITIVE_INFINITY })
  }
  return spans
}

/** The versions of a URL, or of the page that it is an alias of. */
interface UrlVersions {
  url: string
  spans: VersionSpan[]
}

function isCurrent({ spans }: UrlVersions): boolean {
  return spans.at(-1)?.content !== undefined
}

/** As for `page`, the URL's own current page comes before one that it is an alias of; a page that is gone comes last. */
function resolvedVersions(url: string, reading: StoredReading): UrlVersions {
  const under = (name: string): UrlVersions => ({
    url: name,
    spans: versionSpans(knownRecord(name, reading), reading.instant),
  })
  const own = under(url)
  if (isCurrent(own)) return own
  const alias = aliased(url, reading)
  const target = alias === undefined ? undefined : under(alias)
  return target && (isCurrent(target) || (target.spans.length > 0 && own.spans.length === 0)) ? target : own
}

/** When the versions of a URL began, by the end of the reading's time. */
export function storedTimeline(url: string, reading: StoredReading): Timeline | undefined {
  const { url: found, spans } = resolvedVersions(url, reading)
  if (spans.length === 0) return undefined
  return { url: found, versions: spans.map(({ kind, at }) => ({ kind, at })) }
}

/** UTF-16 units of markdown after which a part ends. */
const PART_CHARS = 4 * 1024 * 1024

/**
 * A part of the versions of a URL.
 *
 * @param url - normalized.
 * @throws ASOF_INVALID_OPTION - `after` is not a cursor of this URL.
 */
export function versionsPart(
  url: string,
  { after, limit }: { after: string | undefined; limit: number },
  reading: StoredReading,
): VersionsPart {
  const { url: found, spans } = cutVersions(url, after, reading)
  const cursorAt = after === undefined ? Number.NEGATIVE_INFINITY : readCursor(after).at
  const start = spans.findIndex(({ at }) => at > cursorAt)
  const part: VersionsPart = { url: found, versions: [] }
  if (start === -1) return part
  let previous = contentBefore(spans, start, reading)
  let chars = 0
  for (const span of spans.slice(start)) {
    const last = part.versions.at(-1)
    if (last && (part.versions.length === limit || chars > PART_CHARS)) return { ...part, next: `${last.at} ${found}` }
    const content = contentOf(span, reading)
    part.versions.push(version(span, content, previous, reading))
    if (!content) continue
    chars += content.page.markdown.length
    previous = content
  }
  return part
}

/** The versions that a part is of; from the second part on those of the URL that the cursor names. */
function cutVersions(url: string, after: string | undefined, reading: StoredReading): UrlVersions {
  if (after === undefined) return resolvedVersions(url, reading)
  const cursor = readCursor(after)
  if (cursor.url !== url && cursor.url !== aliased(url, reading)) throw invalidCursor()
  return { url: cursor.url, spans: versionSpans(knownRecord(cursor.url, reading), reading.instant) }
}

function readCursor(text: string): { url: string; at: number } {
  const [, at, url] = /^(-?\d{1,16}) (.+)$/s.exec(text) ?? []
  if (url === undefined) throw invalidCursor()
  return { url, at: Number(at) }
}

function invalidCursor(): AsofError {
  const message = 'after: not a cursor of this URL; pass the `next` of the part before, or leave it out'
  return new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'after' } })
}

/** The content of a version, as it is compared with that of the next one. */
interface VersionContent {
  place: ContentPlace
  page: Page
}

function contentOf({ content: place, lastSeenAt }: VersionSpan, reading: StoredReading): VersionContent | undefined {
  return place && { place, page: storedPage({ ...place, at: place.acquiredAt, lastSeenAt }, reading) }
}

/** The last content before a version. */
function contentBefore(
  spans: readonly VersionSpan[],
  index: number,
  reading: StoredReading,
): VersionContent | undefined {
  const span = spans.slice(0, index).findLast(({ content }) => content)
  return span && contentOf(span, reading)
}

function version(
  { kind, at, lastSeenAt, supersededAt }: VersionSpan,
  content: VersionContent | undefined,
  previous: VersionContent | undefined,
  reading: StoredReading,
): PageVersion {
  const publishedAt = content?.page.publishedAt
  return {
    kind,
    at,
    lastSeenAt: content ? lastSeenAt : at,
    ...(Number.isFinite(supersededAt) && { supersededAt }),
    title: (content ?? previous)?.page.title ?? '',
    ...(publishedAt !== undefined && { publishedAt }),
    changed: content && previous ? changedParts(previous, content, reading) : [],
  }
}

/** Parts of a page that are compared as they are. */
const metadata = ['publishedAt', 'author', 'description', 'lang', 'siteName', 'kind', 'data'] as const

function changedParts(before: VersionContent, after: VersionContent, reading: StoredReading): PagePart[] {
  const changed: PagePart[] = []
  const sameTitle = spaced(before.page.title) === spaced(after.page.title)
  if (!sameTitle) changed.push('title')
  const sameText = !textDiffers(before, after, reading)
  if (!sameText) changed.push('text')
  const sameForm = before.page.title === after.page.title && before.page.markdown === after.page.markdown
  if (sameTitle && sameText && !sameForm) changed.push('markup')
  for (const part of metadata) if (!isDeepStrictEqual(before.page[part], after.page[part])) changed.push(part)
  return changed
}

/** A fingerprint is of title, text and identifiers together: only where it differs must the texts be read. */
function textDiffers(before: VersionContent, after: VersionContent, { store }: StoredReading): boolean {
  if (before.place.fingerprint === after.place.fingerprint) return false
  const [old, now] = [before, after].map(({ place }) => spaced([...readText(store, place.captureId)].join('')))
  return old !== now
}

/** White space does not count, as it does not for a fingerprint. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
