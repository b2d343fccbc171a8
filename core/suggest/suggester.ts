import { AsofError } from '@asof/extract/errors'
import { LRUCache } from 'lru-cache'

import { MAX_PAGES } from './newest-pages.ts'
import type { Suggestion } from './suggestion.ts'
import type { TitleColumns } from './title-columns.ts'
import { type Suggested, TitleIndex } from './title-index.ts'

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
/**
 * Number of suggestions that are looked up, more than are returned, because some of their pages may be gone. It does
 * not depend on the requested number, so a shorter list is always the beginning of a longer one.
 */
const LOOKED_UP = 3 * MAX_SUGGESTIONS

/** Number of states of the index whose titles are kept. The titles of one take a few megabytes. */
const MAX_STATES = 4
/** In place of an instant: the titles as of now. */
const NOW = Number.POSITIVE_INFINITY

/** The titles of the newest pages that are current at an instant. */
export interface CollectedTitles {
  /** The number of changes that the index had when they were collected. */
  generation: number
  titles: TitleColumns
}

/** The index that suggestions come from. Instants are epoch ms; undefined means now. */
export interface SuggestionSource {
  /** The last instant that reads can see, epoch ms; `Infinity` if they are not sealed. */
  readonly sealedAt: number
  /**
   * Begins a request. Returns the instant as of which it is answered (`asOf`), and the number of changes of the index so far
   * (`generation`). `state` is a number that is equal for all instants as of which the index has the same pages; undefined for now.
   *
   * @throws ASOF_INVALID_TIME
   */
  begin(
    instantOf: (requestedAt: number) => number | undefined,
  ): Promise<{ asOf: number | undefined; state: number | undefined; generation: number }>
  /**
   * Collects the titles of the newest pages that are current at an instant, newest first, at most `most` of them. Pages that were acquired
   * at the same instant are sorted by URL, so that the order does not depend on the order of arrival.
   */
  collect(instant: number | undefined, most: number): Promise<CollectedTitles>
  /** Returns the number of the current capture of each URL at an instant, by URL. URLs without a page are left out. */
  currentOf(urls: readonly string[], instant: number | undefined): Promise<ReadonlyMap<string, number>>
}

/** The titles as of one state of the index, or as of now. */
interface Collection {
  titles?: TitleIndex
  /** The number of changes that the index had when the titles were collected. */
  generation: number
  collectedMs: number
  collecting?: Promise<void>
}

/**
 * Suggests titles and sites by prefixes of their words. The first request for a state of the index collects the titles. After the index
 * has changed, a later request starts a new collection in the background. Suggestions whose page is gone are left out.
 */
export class Suggester {
  readonly #collections = new LRUCache<number, Collection>({ max: MAX_STATES })
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
    { maxResults, instantOf }: { maxResults: number; instantOf: (requestedAt: number) => number | undefined },
    source: SuggestionSource,
  ): Promise<Suggestion[]> {
    checkText(text)
    if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_SUGGESTIONS)
      throw new AsofError('ASOF_INVALID_OPTION', `maxResults must be a whole number from 1 to ${MAX_SUGGESTIONS}`, {
        details: { field: 'maxResults' },
      })
    const { asOf, state, generation } = await source.begin(instantOf)
    if (text.trim() === '') return []
    const key = state ?? NOW
    const at = asOf ?? source.sealedAt
    const instant = at === NOW ? undefined : at
    const collection: Collection = this.#collections.get(key) ?? { generation: -1, collectedMs: 0 }
    this.#collections.set(key, collection)
    const ageMs = collection.titles ? performance.now() - collection.collectedMs : Number.POSITIVE_INFINITY
    if (generation !== collection.generation && ageMs >= MIN_AGE_MS) {
      const collecting = this.#collectOnce(collection, instant, source)
      if (ageMs >= MAX_AGE_MS) await collecting
    }
    const found = collection.titles?.find(text, LOOKED_UP) ?? []
    const current = await source.currentOf([...new Set(found.map(({ pageUrl }) => pageUrl))], instant)
    const isLeft = ({ kind, pageUrl, captureId }: Suggested): boolean =>
      current.has(pageUrl) && (kind === 'site' || current.get(pageUrl) === captureId)
    // A suggestion is left if its page still exists and, for a title, still has it.
    const left = found.filter(isLeft).slice(0, maxResults)
    return left.map(({ pageUrl: _, captureId: __, ...suggestion }) => suggestion)
  }

  #collectOnce(collection: Collection, instant: number | undefined, source: SuggestionSource): Promise<void> {
    if (collection.collecting) return collection.collecting
    const collecting = this.#last
      .then(() => collect(collection, instant, source))
      .finally(() => {
        collection.collecting = undefined
      })
    // An error matters only to requests that wait for the collection. The next request tries again.
    this.#last = collecting.catch(() => undefined)
    collection.collecting = collecting
    return collecting
  }
}

async function collect(collection: Collection, instant: number | undefined, source: SuggestionSource): Promise<void> {
  const { generation, titles } = await source.collect(instant, MAX_PAGES)
  collection.titles = new TitleIndex(titles)
  collection.generation = generation
  collection.collectedMs = performance.now()
}

function checkText(text: string): void {
  if (typeof text !== 'string') throw new AsofError('ASOF_INVALID_QUERY', 'the query must be a string')
  if (text.length > 2 * MAX_SUGGEST_CHARS || [...text].length > MAX_SUGGEST_CHARS)
    throw new AsofError('ASOF_INVALID_QUERY', `the query has over ${MAX_SUGGEST_CHARS} characters`)
}
