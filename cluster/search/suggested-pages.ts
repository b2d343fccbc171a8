import {
  addPage,
  decodeHead,
  documentKey,
  MAX_PAGES,
  resolveTimes,
  type SuggestionSource,
  TitleColumnsBuilder,
} from '@asof/core/internal'
import type { Database } from '../stored/database.ts'
import type { Moments } from '../stored/moments.ts'

/** Number of titles that are read at a time. */
const TITLES_AT_ONCE = 500

/** The pages of a cluster, for suggestions. */
export function clusterPages(database: Database, moments: Moments): SuggestionSource {
  return {
    sealedAt: moments.sealedAt,
    begin: async queryTime => {
      const request = await moments.request()
      const { instant } = resolveTimes({ queryTime }, request.requestAt)
      const at = instant ?? moments.sealedAt
      const state = at === Number.POSITIVE_INFINITY ? undefined : at
      return { asked: instant, state, generation: (await moments.moment(instant, request)).clock.batches }
    },
    collect: async asked => {
      const titles = new TitleColumnsBuilder()
      const { instant, clock } = await moments.moment(asked, await moments.request())
      const rows = await database.read(
        sql => sql<{ id: number; url: string; at: number }[]>`
        select id, url, acquired_at as at from capture where acquired_at <= ${instant} and superseded_at > ${instant}
        order by acquired_at desc, url collate "C" limit ${MAX_PAGES}`,
      )
      const pages = database.pages(database.sql)
      for (let from = 0; from < rows.length; from += TITLES_AT_ONCE) {
        const some = rows.slice(from, from + TITLES_AT_ONCE)
        const documents = await pages.getMany(some.map(({ id }) => documentKey(id)))
        for (const [i, { id: captureId, url, at }] of some.entries()) {
          const document = documents[i]
          // Pages may be purged meanwhile.
          if (document) addPage(titles, { captureId, url, at, title: decodeHead(document).texts.title })
        }
      }
      return { generation: clock.batches, titles: titles.build() }
    },
    currentOf: async (urls, asked) => {
      const { instant } = await moments.moment(asked, await moments.request())
      return database.reading(async tx => (await database.index(tx)).capturesAt(urls, instant))
    },
  }
}
