import { allUrls, documentKey, type KeyRange, urlOfKey } from '../store/keys.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { loadPages, type PageStore } from './load-pages.ts'
import type { PartialIndex } from './partial-index.ts'

/** Number of captures whose content is read at a time. */
const CAPTURES_AHEAD = 32

/** Brings pages into a part in the order of their URLs: histories as they are iterated, contents when they are needed. */
export class PagesInOrder {
  readonly #part: PartialIndex
  readonly #store: PageStore
  /** The captures of the histories that were iterated so far, beginning with the one that was brought last. */
  #ahead: { captureId: number; url: string }[] = []

  constructor(part: PartialIndex, store: PageStore) {
    this.#part = part
    this.#store = store
  }

  async *iterate(range: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for await (const rows of this.#store.pagesOf(range)) {
      this.#part.store.apply(rows.map(([key, value]) => ({ type: 'put', key, value })))
      if (rows[0]?.[0][0] === allUrls.gte[0])
        for (const [key, record] of rows)
          for (const seen of decodeUrlRecord(record))
            if (seen.kind === 'capture') this.#ahead.push({ captureId: seen.captureId, url: urlOfKey(key) })
      yield* rows
    }
  }

  /** Makes the content of a capture readable. Also reads the contents of the next captures, because they will be needed next. */
  async bring(captureId: number): Promise<void> {
    if (this.#part.store.get(documentKey(captureId))) return
    this.#ahead = this.#ahead.slice(this.#ahead.findIndex(one => one.captureId === captureId))
    const next = this.#ahead.slice(0, CAPTURES_AHEAD)
    const captureIds = new Set(next.map(one => one.captureId))
    await loadPages(this.#part, new Set(next.map(({ url }) => url)), this.#store, { captureIds, followsAliases: false })
  }
}
