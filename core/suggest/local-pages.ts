import { setImmediate } from 'node:timers/promises'
import { resolveTimes } from '../dates/resolve-times.ts'
import { ownCapture } from '../history/current-capture.ts'
import type { Segment } from '../segment/segment.ts'
import { documentKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import type { Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { type CurrentPage, MAX_PAGES, type SuggestionSource } from './suggester.ts'

/** Number of records read before yielding to the event loop. Reading them takes one or two milliseconds. */
const READS_PER_TURN = 25
/** The pages of a folder, for suggestions. */
export function localPages(reads: SnapshotReads): SuggestionSource {
  const readAsOf = <T>(instant: number | undefined, work: (snapshot: Snapshot) => T): Promise<T> =>
    reads.read(
      () => ({ instant }),
      (_, snapshot) => work(snapshot),
    )
  return {
    sealedAt: reads.sealedAt,
    begin: queryTime =>
      reads.read(
        requestAt => resolveTimes({ queryTime }, requestAt),
        ({ instant }, { catalog }) => ({ asked: instant, generation: catalog.manifest.generation }),
      ),
    newestPages: async (asked, give) => {
      const { generation, pages } = await readAsOf(asked, ({ catalog, instant, store }) => ({
        generation: catalog.manifest.generation,
        pages: newestPages(catalog.segments, instant, store),
      }))
      for (let isOver = false; !isOver; ) {
        isOver = await readAsOf(asked, () => {
          for (let read = 0; read < READS_PER_TURN; read++) {
            const { value: page } = pages.next()
            if (!page) return true
            give(page)
          }
          return false
        })
        // `read` may resolve at once, so this is needed to let other work run.
        await setImmediate()
      }
      return generation
    },
    currentOf: (urls, instant) =>
      readAsOf(instant, snapshot => {
        const captures = urls.map(url => [url, ownCapture(url, snapshot)?.captureId] as const)
        return new Map(captures.flatMap(([url, captureId]) => (captureId === undefined ? [] : [[url, captureId]])))
      }),
  }
}

/**
 * Yields the pages that are current at the instant, newest first. Pages of one instant are sorted by URL, so that the
 * order does not depend on segments or on the order of arrival. Reads each page when it is needed.
 */
function* newestPages(
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

/** Yields the current pages of one segment, newest first. Pages of one instant are in order of URL. */
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
