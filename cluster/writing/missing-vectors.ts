import type { EmbedOptions, EmbedReport } from '@asof/core'
import type { ClusterDatabase } from '../stored/database.ts'
import type { ClusterVectors } from '../vectors/cluster-vectors.ts'
import type { ClusterWriter } from './cluster-writer.ts'

/** Number of captures whose vectors are computed and written together. */
const CAPTURES_AT_ONCE = 256

interface VectorParts {
  database: ClusterDatabase
  writer: ClusterWriter
  vectors: ClusterVectors
  /** @throws ASOF_CLOSED */
  expectOpen: () => void
}

/** Computes vectors for the captures of a cluster that have none, see `Engine.embed`. */
export async function addClusterVectors(
  { database, writer, vectors, expectOpen }: VectorParts,
  { onProgress, signal }: EmbedOptions,
): Promise<EmbedReport> {
  const report: EmbedReport = { captures: 0, embedded: 0 }
  for (let after = 0; !signal?.aborted; ) {
    expectOpen()
    const state = await database.state()
    vectors.see(state)
    const rows = await database.read(
      sql => sql<{ id: number }[]>`
        select id from capture where id > ${after} order by id limit ${CAPTURES_AT_ONCE}`,
    )
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    const index = await database.index(database.sql, state)
    const lacking = await (await index.vectors(ids, vectors.model.identity)).lacking(ids)
    const made = await vectors.model.passages.ofStored(lacking, await index.contents(lacking))
    if (made.length > 0) report.embedded += await writer.addVectors(made)
    report.captures += ids.length
    onProgress?.({ ...report })
    after = ids.at(-1)!
  }
  return report
}
