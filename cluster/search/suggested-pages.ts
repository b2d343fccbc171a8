import type { SuggestionSource } from '@asof/core/internal'
import type { ClusterDatabase } from '../stored/database.ts'
import type { Moments } from '../stored/moments.ts'

/** Returns the pages of a cluster as a source of suggestions. */
export function clusterPages(database: ClusterDatabase, moments: Moments): SuggestionSource {
  return {
    sealedAt: moments.sealedAt,
    begin: async instantOf => {
      const request = await moments.request()
      const asOf = instantOf(request.requestedAt)
      const at = asOf ?? moments.sealedAt
      const state = at === Number.POSITIVE_INFINITY ? undefined : at
      return { asOf, state, generation: (await moments.moment(asOf, request)).state.changes }
    },
    collect: async (asOf, most) => {
      const { instant, state } = await moments.moment(asOf, await moments.request())
      const captures = await database.read(
        sql => sql<{ captureId: number; url: string; at: number }[]>`
        select id as "captureId", url, acquired_at as at from capture
        where acquired_at <= ${instant} and superseded_at > ${instant}
        order by acquired_at desc, url collate "C" limit ${most}`,
      )
      const index = await database.index(database.sql, state)
      return { generation: state.changes, titles: await index.titles(captures) }
    },
    currentOf: async (urls, asOf) => {
      const { instant } = await moments.moment(asOf, await moments.request())
      return database.reading(async tx => (await database.index(tx)).capturesAt(urls, instant))
    },
  }
}
