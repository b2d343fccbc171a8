import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { resolveTimes } from '../dates/resolve-times.ts'
import type { Suggestion } from '../engine.ts'
import { AsofError } from '../errors.ts'
import { ownCapture } from '../history/current-capture.ts'
import type { TimeInput } from '../page.ts'
import type { Segment } from '../segment/segment.ts'
import { documentKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import type { Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { hostOf } from '../url.ts'
import { type Suggested, TitleIndex } from './title-index.ts'

/** Number of newest pages from which suggestions come. It bounds the memory. */
export const MAX_PAGES = 20_000
/** Maximum length, in code points, of a text for which suggestions are requested. */
export const MAX_SUGGEST_CHARS = 200
/** Maximum number of suggestions per request. */
export const MAX_SUGGESTIONS = 50
/** Shortest time between two collections of titles. */
const MIN_AGE_MS = 10_000
/**
 * Age of the collected titles up to which requests use them while a new collection runs. If they are older, requests
 * wait for it.
 */
const MAX_AGE_MS = 60_000
/** Number of records read before yielding to the event loop. Reading them takes one or two milliseconds. */
const READS_PER_TURN = 25
/**
 * Number of suggestions that are looked up, more than are returned, because some of their pages may be gone. It does
 * not depend on the requested number, so a shorter list is always the beginning of a longer one.
 */
const LOOKED_UP = 3 * MAX_SUGGESTIONS

/** Number of instants whose titles are kept. The titles of one take a few megabytes. */
const MAX_INSTANTS = 4
/** In place of an instant: the titles as of now. */
const NOW = Number.POSITIVE_INFINITY

/** The titles as of one instant, or as of now. */
interface Collection {
  titles?: TitleIndex
  /** The state of the index that the titles were collected from. */
  generation: number
  collectedMs: number
  collecting?: Promise<void>
}

/**
 * Suggests titles and sites by prefixes of their words. The first request for an instant collects the titles. After the index
 * has changed, a later request starts a new collection in the background. Suggestions whose page is gone are left out.
 */
export class Suggester {
  readonly #collections = new LRUCache<number, Collection>({ max: MAX_INSTANTS })
  /** Collections run one after another, so that requests for many instants leave time for others. */
  #last: Promise<void> = Promise.resolve()

  /**
   * Returns an empty list for a text without words.
   *
   * @throws ASOF_INVALID_QUERY - the text is longer than {@link MAX_SUGGEST_CHARS} code points.
   * @throws ASOF_INVALID_OPTION - `maxResults` is not a whole number from 1 to {@link MAX_SUGGESTIONS}.
   * @throws ASOF_INVALID_TIME
   */
  async suggest(
    text: string,
    { maxResults, queryTime }: { maxResults: number; queryTime?: TimeInput | undefined },
    reads: SnapshotReads,
  ): Promise<Suggestion[]> {
    checkText(text)
    if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_SUGGESTIONS)
      throw new AsofError('ASOF_INVALID_OPTION', `maxResults must be a whole number from 1 to ${MAX_SUGGESTIONS}`, {
        details: { field: 'maxResults' },
      })
    const { asked, generation } = await reads.read(
      requestAt => resolveTimes({ queryTime }, requestAt),
      ({ instant }, { catalog }) => ({ asked: instant, generation: catalog.manifest.generation }),
    )
    if (text.trim() === '') return []
    const key = asked ?? reads.sealedAt
    const instant = key === NOW ? undefined : key
    const collection: Collection = this.#collections.get(key) ?? { generation: -1, collectedMs: 0 }
    this.#collections.set(key, collection)
    const ageMs = collection.titles ? performance.now() - collection.collectedMs : Number.POSITIVE_INFINITY
    if (generation !== collection.generation && ageMs >= MIN_AGE_MS) {
      const collecting = this.#collectOnce(collection, instant, reads)
      if (ageMs >= MAX_AGE_MS) await collecting
    }
    const found = collection.titles?.find(text, LOOKED_UP) ?? []
    return readAsOf(instant, reads, snapshot => {
      const suggestions: Suggestion[] = []
      for (const suggested of found) {
        if (suggestions.length === maxResults) break
        const { pageUrl: _, captureId: __, ...suggestion } = suggested
        if (isCurrent(suggested, snapshot)) suggestions.push(suggestion)
      }
      return suggestions
    })
  }

  #collectOnce(collection: Collection, instant: number | undefined, reads: SnapshotReads): Promise<void> {
    if (collection.collecting) return collection.collecting
    const collecting = this.#last
      .then(() => collect(collection, instant, reads))
      .finally(() => {
        collection.collecting = undefined
      })
    // An error matters only to requests that wait for the collection. The next request tries again.
    this.#last = collecting.catch(() => undefined)
    collection.collecting = collecting
    return collecting
  }
}

/** Reads as of an instant; undefined means now. */
function readAsOf<T>(instant: number | undefined, reads: SnapshotReads, work: (snapshot: Snapshot) => T): Promise<T> {
  return reads.read(
    () => ({ instant }),
    (_, snapshot) => work(snapshot),
  )
}

async function collect(collection: Collection, asked: number | undefined, reads: SnapshotReads): Promise<void> {
  const titles = new TitleIndex()
  const { generation, pages } = await readAsOf(asked, reads, ({ catalog, instant, store }) => ({
    generation: catalog.manifest.generation,
    pages: newestPages(catalog.segments, instant, store),
  }))
  for (let isOver = false; !isOver; ) {
    await readAsOf(asked, reads, () => {
      for (let read = 0; read < READS_PER_TURN; read++) {
        const { value: page } = pages.next()
        if (!page) {
          isOver = true
          return
        }
        const { captureId, url, title } = page
        titles.add({ kind: 'title', text: title, url, pageUrl: url, captureId })
        const site = hostOf(url)
        if (site !== '') titles.add({ kind: 'site', text: site, pageUrl: url, captureId })
      }
    })
    // `read` may resolve at once, so this is needed to let other work run.
    await setImmediate()
  }
  collection.titles = titles
  collection.generation = generation
  collection.collectedMs = performance.now()
}

/** True if the page still exists and, for a title, still has it. */
function isCurrent({ kind, pageUrl, captureId }: Suggested, snapshot: Snapshot): boolean {
  const current = ownCapture(pageUrl, snapshot)
  return current !== undefined && (kind === 'site' || current.captureId === captureId)
}

function checkText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.length > 2 * MAX_SUGGEST_CHARS || [...text].length > MAX_SUGGEST_CHARS)
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_SUGGEST_CHARS} characters`)
}

interface CurrentPage {
  captureId: number
  /** Epoch ms. */
  at: number
  url: string
  title: string
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
