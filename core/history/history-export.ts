import { invalidOption } from '@asof/extract/errors'
import type { CaptureInput, Observation } from '../page.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { type CurrentCapture, visibleRecord } from './current-capture.ts'
import { type ExportCursor, KnownUrls, type RangeStore, rangesAfter, type UrlClaims } from './known-urls.ts'
import { versionPage } from './version-page.ts'

/** Options of {@link Engine.export}. */
export interface ExportOptions {
  /** The `next` of the previous slice. Default: the first slice. */
  cursor?: string
  /** Maximum number of observations in a slice, 1 to 1,000. A slice with large pages has fewer. Default 100. */
  maxResults?: number
}

/** One slice of the observations of all pages, see {@link Engine.export}. */
export interface ExportSlice {
  /** The observations, each with its instant, in the form that {@link Engine.add} accepts. */
  observations: Observation[]
  /** The cursor for the next slice. Undefined after the last one. */
  next?: string
}

/** Maximum number of versions, or of exported observations, in one slice. */
const MAX_RESULTS = 1000
const DEFAULT_RESULTS = 100

/** @throws ASOF_INVALID_OPTION */
export function readMaxResults(maxResults = DEFAULT_RESULTS): number {
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS)
    throw invalidOption('maxResults', 'must be a whole number from 1 to 1,000')
  return maxResults
}

/** @throws ASOF_INVALID_OPTION */
export function readExportRange({ cursor, maxResults }: ExportOptions): ExportRange {
  return { maxResults: readMaxResults(maxResults), after: cursor === undefined ? undefined : readExportCursor(cursor) }
}

function readExportCursor(text: string): ExportCursor {
  const [, at, url, alias] = /^(-?\d{1,16}) (\S+) (\S*)$/.exec(text) ?? []
  if (url === undefined || alias === undefined)
    throw invalidOption('cursor', 'is not a cursor; pass `next` of the previous slice')
  return { url, at: Number(at), alias }
}

/** The range of observations that one slice of the export contains. */
export interface ExportRange {
  after: ExportCursor | undefined
  maxResults: number
}

/** Number of UTF-16 units of Markdown after which a slice ends. */
const SLICE_CHARS = 4 * 1024 * 1024

/**
 * Returns one slice of the export, URL by URL: the observations of each page, and the aliases of URLs without a page.
 *
 * @param bring - makes the content of a capture and of its revisions readable in the snapshot. Default: all content is readable already.
 */
export async function exportSlice(
  store: RangeStore,
  { after, maxResults }: ExportRange,
  snapshot: Snapshot,
  bring?: (captureId: number) => Promise<void>,
): Promise<ExportSlice> {
  const observations: Observation[] = []
  let chars = 0
  let exported = after
  const slice = (): ExportSlice =>
    exported ? { observations, next: `${exported.at} ${exported.url} ${exported.alias}` } : { observations }
  const urls = new KnownUrls(store, rangesAfter(after))
  try {
    for (let url = await urls.next(); url !== undefined; url = await urls.next()) {
      const from = url === after?.url ? after : { url, at: Number.NEGATIVE_INFINITY, alias: '' }
      for await (const { at, alias, captureId, read } of linesOf(from, urls, snapshot)) {
        if (observations.length === maxResults) return slice()
        if (bring && captureId !== undefined) await bring(captureId)
        const observation = read()
        const size = 'markdown' in observation ? (observation.markdown?.length ?? 0) : 0
        if (chars > 0 && chars + size > SLICE_CHARS) return slice()
        observations.push(observation)
        chars += size
        exported = { url, at, alias }
      }
    }
    return { observations }
  } finally {
    await urls.close()
  }
}

/** Maximum number of aliases in one exported observation, because `Engine.add` accepts no more. */
const ALIASES_AT_ONCE = 100

/** One exported observation, with the position after it. `read` loads the content. */
interface Line {
  at: number
  /** The last alias of the observation; '' if it has none. */
  alias: string
  /** The capture whose content `read` loads. */
  captureId?: number
  read: () => Observation
}

/** Yields the observations of one URL after a position and up to the snapshot's instant, oldest first. */
async function* linesOf(after: ExportCursor, urls: UrlClaims, snapshot: Snapshot): AsyncGenerator<Line> {
  const { url } = after
  const { instant } = snapshot
  let version: CurrentCapture | undefined
  for (const { at, ...observation } of visibleRecord(url, snapshot)) {
    if (at > instant) break
    const { kind } = observation
    if (kind === 'removal') version = undefined
    else if (kind === 'capture') version = { captureId: observation.captureId, at, lastSeenAt: at }
    else if (kind === 'revision' && version) version = { ...version, revision: { id: observation.revisionId, at } }
    if (at <= after.at) continue
    yield* claimLines(url, urls, at - 1)
    const content = version
    if (kind === 'removal') yield { at, alias: '', read: () => ({ observed: kind, url, removedAt: at }) }
    // `content` is undefined while the commit that has it is not visible to readers.
    else if (kind === 'seen' || content) {
      const aliases = await urls.takeAliases(at, ALIASES_AT_ONCE)
      const names = aliases.length > 0 ? { aliases } : {}
      const read = (): Observation => {
        if (kind === 'seen' || !content) return { observed: 'sighting', url, seenAt: at, ...names }
        const unchangedSince = content.revision?.at ?? content.at
        if (kind === 'sighting') return { observed: kind, url, seenAt: at, unchangedSince, ...names }
        return { observed: kind, ...contentInput(content, snapshot), acquiredAt: at, ...names }
      }
      const loads = kind === 'capture' || kind === 'revision' ? { captureId: content?.captureId } : {}
      yield { at, alias: aliases.at(-1) ?? '', ...loads, read }
    }
  }
  yield* claimLines(url, urls, instant)
}

/** Yields the aliases claimed up to the instant `through` as lines of their own. */
async function* claimLines(url: string, urls: UrlClaims, through: number): AsyncGenerator<Line> {
  for (let at = urls.claimedAt; at !== undefined && at <= through; at = urls.claimedAt) {
    const aliasedAt = at
    const aliases = await urls.takeAliases(at, ALIASES_AT_ONCE)
    yield { at, alias: aliases.at(-1) ?? '', read: () => ({ observed: 'alias', url, aliasedAt, aliases }) }
  }
}

/** Returns the content of a version in the form that `Engine.add` accepts. */
function contentInput(version: CurrentCapture, snapshot: Snapshot): CaptureInput {
  const { acquiredAt: _, revisedAt: __, lastSeenAt: ___, ...content } = versionPage(version, snapshot)
  return content
}
