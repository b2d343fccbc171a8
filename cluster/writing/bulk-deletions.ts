import type { BulkIndex, Intake } from '@asof/core/internal'
import { unsupported } from '../not-answered.ts'
import { withNamedFailures } from '../server-failures.ts'
import type { ClusterDatabase } from '../stored/database.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'
import type { Moments } from '../stored/moments.ts'
import type { ClusterWriter } from './cluster-writer.ts'

/** Returns the index of a cluster in the form that bulk deletions use. */
export function bulkIndexOf(
  { database, writer }: { database: ClusterDatabase; writer: ClusterWriter },
  moments: Moments,
  intake: Intake,
): BulkIndex {
  const momentAt = async (at: number | undefined): Promise<number> =>
    (await moments.moment(at, await moments.request())).instant
  return withNamedFailures<BulkIndex>({
    currentInstant: async () => (await moments.request()).requestedAt,
    fieldNames: async at => {
      const instant = await momentAt(at)
      return [...(await database.read(sql => fieldsUpTo(sql, instant))).keys()].sort()
    },
    select: async (conditions, range, at) => {
      const instant = await momentAt(at)
      return database.reading(async tx =>
        (await database.index(tx)).select(conditions, range, instant, async () => {
          const types = await fieldsUpTo(tx, instant)
          return {
            fieldType: name => types.get(name),
            fieldNames: () => [...types.keys()].sort(),
            valuesOf: () => {
              const message = 'a cluster does not support many ranges and prefixes in one filter'
              throw unsupported('many ranges and prefixes', message)
            },
          }
        }),
      )
    },
    read: async (urls, at, work) => {
      const instant = await momentAt(at)
      return database.reading(async tx => work(await (await database.index(tx)).histories(urls, instant)))
    },
    latest: (urls, work) =>
      database.reading(async tx => work(await (await database.index(tx)).histories(urls, Number.POSITIVE_INFINITY))),
    enter: entries => intake.enter(entries),
    purge: urls => writer.purgeUrls(urls),
  })
}
