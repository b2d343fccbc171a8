import { isDeepStrictEqual } from 'node:util'
import type { PagePart, PageVersion, Timeline, VersionsPart } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { Page } from '../page.ts'
import { readText } from '../store/stored-page.ts'
import type { Observation, UrlRecord } from '../store/url-record.ts'
import { aliased, knownObservations, type StoredReading } from './current-capture.ts'
import { storedPage } from './stored-history.ts'

/** What began a version. */
type Beginning = Exclude<Observation, { kind: 'sighting' }>

/** A version by its times alone. */
interface VersionSpan {
  beginning: Beginning
  lastSeenAt: number
  /** Infinite for the last one. */
  supersededAt: number
}

/** The versions that had begun by `instant`, oldest first, in one pass over the record. */
export function versionSpans(record: UrlRecord, instant: number): VersionSpan[] {
  const spans: VersionSpan[] = []
  let latest: Beginning | undefined
  for (const [index, observation] of record.entries()) {
    const { at } = observation
    if (at > instant) break
    if (observation.kind !== 'sighting') latest = observation
    // Of several observations in one millisecond, only the last one to arrive was ever visible.
    if (record[index + 1]?.at === at || !latest) continue
    const before = spans.at(-1)
    if (before?.beginning === latest) before.lastSeenAt = at
    else if (latest.kind === 'capture' || before?.beginning.kind === 'capture') {
      if (before) before.supersededAt = at
      spans.push({ beginning: latest, lastSeenAt: at, supersededAt: Number.POSITIVE_INFINITY })
    }
  }
  return spans
}

/** The versions of a URL, or of the page that it is an alias of. */
interface UrlVersions {
  url: string
  spans: VersionSpan[]
}

function isCurrent({ spans }: UrlVersions): boolean {
  return spans.at(-1)?.beginning.kind === 'capture'
}

/** As for `page`, the URL's own current page comes before one that it is an alias of; a page that is gone comes last. */
function resolvedVersions(url: string, reading: StoredReading): UrlVersions {
  const under = (name: string): UrlVersions => ({
    url: name,
    spans: versionSpans(knownObservations(name, reading) ?? [], reading.instant),
  })
  const own = under(url)
  if (isCurrent(own)) return own
  const alias = aliased(url, reading.store)
  const target = alias === undefined ? undefined : under(alias)
  return target && (isCurrent(target) || (target.spans.length > 0 && own.spans.length === 0)) ? target : own
}

/** When the version that a page has as of the reading's instant ended; infinite while it is current. */
export function endOfVersion(page: Page, reading: StoredReading): number {
  const spans = versionSpans(knownObservations(page.url, reading) ?? [], Number.POSITIVE_INFINITY)
  const span = spans.findLast(({ beginning }) => beginning.at <= reading.instant)
  return span?.supersededAt ?? Number.POSITIVE_INFINITY
}

/** When the versions of a URL began, by the end of the reading's time. */
export function storedTimeline(url: string, reading: StoredReading): Timeline | undefined {
  const { url: found, spans } = resolvedVersions(url, reading)
  if (spans.length === 0) return undefined
  return { url: found, versions: spans.map(({ beginning: { kind, at } }) => ({ kind, at })) }
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
  const start = spans.findIndex(({ beginning }) => beginning.at > cursorAt)
  const part: VersionsPart = { url: found, versions: [] }
  if (start === -1) return part
  let previous = contentBefore(spans, start, reading)
  let chars = 0
  for (const span of spans.slice(start)) {
    const last = part.versions.at(-1)
    if (last && (part.versions.length === limit || chars > PART_CHARS)) return { ...part, next: `${last.at} ${found}` }
    const content = span.beginning.kind === 'capture' ? readContent(span.beginning, span, reading) : undefined
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
  if (cursor.url !== url && cursor.url !== aliased(url, reading.store)) throw invalidCursor()
  return { url: cursor.url, spans: versionSpans(knownObservations(cursor.url, reading) ?? [], reading.instant) }
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

type Capture = Extract<Beginning, { kind: 'capture' }>

/** The content of a version, as it is compared with that of the next one. */
interface VersionContent {
  capture: Capture
  page: Page
}

function readContent(capture: Capture, { lastSeenAt }: VersionSpan, reading: StoredReading): VersionContent {
  return { capture, page: storedPage({ captureId: capture.captureId, at: capture.at, lastSeenAt }, reading) }
}

/** The last content before a version. */
function contentBefore(
  spans: readonly VersionSpan[],
  index: number,
  reading: StoredReading,
): VersionContent | undefined {
  for (const span of spans.slice(0, index).reverse())
    if (span.beginning.kind === 'capture') return readContent(span.beginning, span, reading)
  return undefined
}

function version(
  { beginning: { kind, at }, lastSeenAt, supersededAt }: VersionSpan,
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
  if (textDiffers(before, after, sameTitle, reading)) changed.push('text')
  for (const part of metadata) if (!isDeepStrictEqual(before.page[part], after.page[part])) changed.push(part)
  return changed
}

/** A fingerprint is of title and text together: only where both changed or one of them, the texts must be read. */
function textDiffers(
  before: VersionContent,
  after: VersionContent,
  sameTitle: boolean,
  { store }: StoredReading,
): boolean {
  if (before.capture.fingerprint === after.capture.fingerprint) return false
  if (sameTitle) return true
  const [old, now] = [before, after].map(({ capture }) => spaced([...readText(store, capture.captureId)].join('')))
  return old !== now
}

/** White space does not count, as it does not for a fingerprint. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
