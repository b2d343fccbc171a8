import { setImmediate } from 'node:timers/promises'
import type { Suggestion } from '../engine.ts'
import { AsofError } from '../errors.ts'
import type { Segment } from '../segment/segment.ts'
import { currentUnder, type StoredReading } from '../serve/current-capture.ts'
import { decodeDocument } from '../store/documents.ts'
import { documentKey } from '../store/keys.ts'
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

export interface SuggesterHost {
  /** Runs work on the index as it is now. */
  read<T>(work: (reading: StoredReading) => T): Promise<T>
  /** Monotonic, ms. */
  elapsedMs(): number
}

/**
 * Suggests titles and sites of pages by the beginnings of their words. What it suggests from is gathered with the first
 * question and, while others are answered, anew when the index has changed; a page that is gone meanwhile is never
 * suggested.
 */
export class Suggester {
  readonly #host: SuggesterHost
  #titles: TitleIndex | undefined
  #generation = -1
  #gatheredMs = 0
  #gathering: Promise<void> | undefined

  constructor(host: SuggesterHost) {
    this.#host = host
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
    const generation = await this.#host.read(({ catalog }) => catalog.manifest.generation)
    const ageMs = this.#titles ? this.#host.elapsedMs() - this.#gatheredMs : Number.POSITIVE_INFINITY
    if (generation !== this.#generation && ageMs >= LEAST_AGE_MS) {
      const gathering = this.#gatherOnce()
      if (ageMs >= MOST_AGE_MS) await gathering
    }
    const found = this.#titles?.find(text, limit * SPARE) ?? []
    return this.#host.read(reading =>
      found
        .filter(suggestion => isBorneOut(suggestion, reading))
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
    const { generation, pages } = await this.#host.read(({ catalog, instant }) => ({
      generation: catalog.manifest.generation,
      pages: newestPages(catalog.segments, instant),
    }))
    for (let from = 0; from < pages.length; from += AT_ONCE) {
      await this.#host.read(({ store }) => {
        for (const captureId of pages.slice(from, from + AT_ONCE)) {
          const bytes = store.get(documentKey(captureId))
          // Purged since it was listed.
          if (!bytes) continue
          const { url, title } = decodeDocument(bytes)
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
    this.#gatheredMs = this.#host.elapsedMs()
  }
}

/** Whether the page is still there, and still called so. */
function isBorneOut({ kind, pageUrl, captureId }: Suggested, reading: StoredReading): boolean {
  const current = currentUnder(pageUrl, reading)
  return current !== undefined && (kind === 'site' || current.captureId === captureId)
}

function checkText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.trim() === '') throw new AsofError('ASOF_INVALID_QUERY', 'the query is empty')
  if (text.length > 2 * MAX_SUGGEST_CHARS || [...text].length > MAX_SUGGEST_CHARS)
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_SUGGEST_CHARS} characters`)
}

/** The captures that are current at the instant, newest first: those of all segments are merged, a few milliseconds of work. */
function newestPages(segments: readonly Segment[], instant: number): number[] {
  const heads = segments.map(segment => headOf(segment, segment.cutAt(instant), instant)).filter(isFound)
  const newest: number[] = []
  while (newest.length < MOST_PAGES && heads.length > 0) {
    let first = 0
    for (let h = 1; h < heads.length; h++) if (isNewer(heads[h], heads[first])) first = h
    const { captureId, segment, ordinal } = heads[first]
    newest.push(captureId)
    const next = headOf(segment, ordinal, instant)
    if (next) heads[first] = next
    else heads.splice(first, 1)
  }
  return newest
}

interface Head {
  segment: Segment
  ordinal: number
  captureId: number
  at: number
}

/** The last capture below an ordinal that is current at the instant. */
function headOf(segment: Segment, below: number, instant: number): Head | undefined {
  const { supersededAt, captureIds, acquiredAt } = segment.columns
  for (let ordinal = below - 1; ordinal >= 0; ordinal--)
    if (supersededAt[ordinal] > instant)
      return { segment, ordinal, captureId: captureIds[ordinal], at: acquiredAt[ordinal] }
  return undefined
}

function isFound(head: Head | undefined): head is Head {
  return head !== undefined
}

function isNewer(a: Head, b: Head): boolean {
  return a.at > b.at || (a.at === b.at && a.captureId > b.captureId)
}
