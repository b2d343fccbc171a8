import { setImmediate } from 'node:timers/promises'
import type { Suggestion } from '../engine.ts'
import { AsofError } from '../errors.ts'
import { ownCapture } from '../history/current-capture.ts'
import type { Segment } from '../segment/segment.ts'
import { documentKey } from '../store/keys.ts'
import { decodeDocument } from '../store/records/documents.ts'
import type { Snapshot, Snapshots } from '../store/snapshots/snapshots.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { hostOf } from '../url.ts'
import type { Suggested, TitleIndex } from './title-index.ts'

/** Titles and sites are those of the newest so many pages: memory is bounded, whatever the index holds. */
export const MOST_PAGES = 20_000
/** Code points of a text that is asked about: beyond them nobody is still typing a beginning. */
export const MAX_SUGGEST_CHARS = 200
/** Most suggestions that may be asked for. */
export const MAX_SUGGESTIONS = 50
/** An index that changed is gone through again no more often than this. */
const LEAST_AGE_MS = 10_000
/** Meanwhile questions are answered from what was gathered before, unless it is older than this: then they wait. */
const MOST_AGE_MS = 60_000
/** Records read before the event loop turns: a millisecond or two. */
const AT_ONCE = 25
/** A suggestion found may be of a page that is gone: so many times as many are looked up as are wanted. */
const SPARE = 3

/**
 * Suggests titles and sites of pages by the beginnings of their words. What it suggests from is gathered with the first
 * question and, while others are answered, anew when the index has changed; a page that is gone meanwhile is never
 * suggested.
 */
export class Suggester {
  readonly #snapshots: Snapshots
  #titles: TitleIndex | undefined
  #generation = -1
  #gatheredMs = 0
  #gathering: Promise<void> | undefined

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  /**
   * @throws ASOF_INVALID_QUERY - no text, or over {@link MAX_SUGGEST_CHARS} characters.
   * @throws ASOF_INVALID_OPTION - `limit` is not 1 to {@link MAX_SUGGESTIONS}.
   */
  async suggest(text: string, limit: number): Promise<Suggestion[]> {
    checkText(text)
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SUGGESTIONS)
      throw new AsofError('ASOF_INVALID_OPTION', `limit must be a whole number from 1 to ${MAX_SUGGESTIONS}`, {
        details: { field: 'limit' },
      })
    const generation = await this.#snapshots.readNow(({ catalog }) => catalog.manifest.generation)
    const ageMs = this.#titles ? performance.now() - this.#gatheredMs : Number.POSITIVE_INFINITY
    if (generation !== this.#generation && ageMs >= LEAST_AGE_MS) {
      const gathering = this.#gatherOnce()
      if (ageMs >= MOST_AGE_MS) await gathering
    }
    const found = this.#titles?.find(text, limit * SPARE) ?? []
    return this.#snapshots.readNow(snapshot =>
      found
        .filter(suggestion => isBorneOut(suggestion, snapshot))
        .slice(0, limit)
        .map(({ pageUrl: _, captureId: __, ...suggestion }) => suggestion),
    )
  }

  #gatherOnce(): Promise<void> {
    if (this.#gathering) return this.#gathering
    const gathering = this.#gather().finally(() => {
      this.#gathering = undefined
    })
    // Where nobody waits for it, the next question finds what is missing still missing, and tries again.
    gathering.catch(() => undefined)
    this.#gathering = gathering
    return gathering
  }

  async #gather(): Promise<void> {
    // Who never asks does not pay for the library.
    const { TitleIndex } = await import('./title-index.ts')
    const titles = new TitleIndex()
    const { generation, pages } = await this.#snapshots.readNow(({ catalog, instant, store }) => ({
      generation: catalog.manifest.generation,
      pages: newestPages(catalog.segments, instant, store),
    }))
    for (let isOver = false; !isOver; ) {
      await this.#snapshots.readNow(() => {
        for (let read = 0; read < AT_ONCE; read++) {
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
      // A read resolves without a turn of the event loop.
      await setImmediate()
    }
    this.#titles = titles
    this.#generation = generation
    this.#gatheredMs = performance.now()
  }
}

/** Whether the page is still there, and still called so. */
function isBorneOut({ kind, pageUrl, captureId }: Suggested, snapshot: Snapshot): boolean {
  const current = ownCapture(pageUrl, snapshot)
  return current !== undefined && (kind === 'site' || current.captureId === captureId)
}

function checkText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
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
 * The pages that are current at the instant, newest first, those of one instant by their URL: an order that depends
 * neither on the segments nor on the order in which captures arrived. Reads a page when it is asked for.
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
  for (let given = 0; given < MOST_PAGES && heads.length > 0; given++) {
    let first = 0
    for (let i = 1; i < heads.length; i++) if (goesBefore(heads[i]!.page, heads[first]!.page)) first = i
    const { page, next } = heads[first]!
    const following = next()
    if (following) heads[first] = { page: following, next }
    else heads.splice(first, 1)
    yield page
  }
}

/** The pages of one segment, whose ordinals have this very order. */
function* currentPages(segment: Segment, instant: number, store: StoredValues): Generator<CurrentPage, void> {
  const { acquiredAt, captureIds, supersededAt } = segment.columns
  for (let ordinal = segment.cutAt(instant) - 1; ordinal >= 0; ordinal--) {
    if (supersededAt[ordinal] <= instant) continue
    const captureId = captureIds[ordinal]
    const bytes = store.get(documentKey(captureId))
    // Purged since the index was looked at.
    if (!bytes) continue
    const { url, title } = decodeDocument(bytes)
    yield { captureId, at: acquiredAt[ordinal], url, title }
  }
}

function goesBefore(a: CurrentPage, b: CurrentPage): boolean {
  return a.at === b.at ? a.url < b.url : a.at > b.at
}
