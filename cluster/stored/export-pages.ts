import type { ExportPart } from '@asof/core'
import {
  allUrls,
  decodeUrlRecord,
  documentKey,
  type ExportRange,
  exportPart,
  type KeyRange,
  loadPages,
  PartialIndex,
  urlOfKey,
} from '@asof/core/internal'
import { clockIn, type Database } from './database.ts'
import type { StoredPages } from './stored-pages.ts'

/** Number of captures whose content is read at a time. */
const CAPTURES_AHEAD = 32

/** One part of the export of a cluster, as of an instant, from one state of the database.*/
export function exportOf(database: Database, range: ExportRange, instant: number): Promise<ExportPart> {
  return database.reading(async tx => {
    const part = new PartialIndex(await clockIn(tx))
    const pages = new PagesInOrder(part, database.pages(tx))
    const snapshot = {
      store: part.store,
      instant,
      // The captures that were brought meanwhile are in it.
      get catalog() {
        return part.catalog
      },
    }
    return exportPart(pages, range, snapshot, captureId => pages.bring(captureId))
  })
}

/** Brings pages into a part in the order of their URLs: histories as they are iterated, contents when they are needed. */
class PagesInOrder {
  readonly #part: PartialIndex
  readonly #pages: StoredPages
  /** The captures of the histories that were iterated, from the last one that was needed on. */
  #ahead: { captureId: number; url: string }[] = []

  constructor(part: PartialIndex, pages: StoredPages) {
    this.#part = part
    this.#pages = pages
  }

  async *iterate(range: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for await (const rows of this.#pages.pagesOf(range)) {
      this.#part.store.apply(rows.map(([key, value]) => ({ type: 'put', key, value })))
      if (rows[0]?.[0][0] === allUrls.gte[0])
        for (const [key, record] of rows)
          for (const seen of decodeUrlRecord(record))
            if (seen.kind === 'capture') this.#ahead.push({ captureId: seen.captureId, url: urlOfKey(key) })
      yield* rows
    }
  }

  /** Makes the content of a capture readable, and reads those of the next captures too. */
  async bring(captureId: number): Promise<void> {
    if (this.#part.store.get(documentKey(captureId))) return
    this.#ahead = this.#ahead.slice(this.#ahead.findIndex(one => one.captureId === captureId))
    const next = this.#ahead.slice(0, CAPTURES_AHEAD)
    const captureIds = new Set(next.map(one => one.captureId))
    await loadPages(this.#part, new Set(next.map(({ url }) => url)), this.#pages, { captureIds, followsAliases: false })
  }
}
