import type { EmbedOptions, EmbedReport } from '@asof/core'
import { bodyKey, documentKey, MemoryStore, vectorKey } from '@asof/core/internal'
import type { Database } from '../stored/database.ts'
import type { ClusterVectors } from '../vectors/cluster-vectors.ts'
import type { ClusterWriter } from './cluster-writer.ts'

/** Number of captures that are looked at a time. */
const CAPTURES_AT_ONCE = 256

interface VectorParts {
  database: Database
  writer: ClusterWriter
  vectors: ClusterVectors
  /** @throws ASOF_CLOSED */
  expectOpen: () => void
}

/** Computes vectors for the captures of a cluster that have none, see `Engine.embed`. */
export async function addMissingVectors(
  { database, writer, vectors, expectOpen }: VectorParts,
  { onProgress, signal }: EmbedOptions,
): Promise<EmbedReport> {
  const report: EmbedReport = { captures: 0, embedded: 0 }
  for (let after = 0; !signal?.aborted; ) {
    expectOpen()
    vectors.see(await database.clock())
    const rows = await database.read(
      sql => sql<{ id: number }[]>`
        select id from capture where id > ${after} order by id limit ${CAPTURES_AT_ONCE}`,
    )
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    const pages = database.pages(database.sql)
    const known = await pages.getMany(ids.map(id => vectorKey(id, vectors.models.modelId)))
    const lacking = ids.filter((_, i) => known[i] === undefined)
    const keys = lacking.flatMap(id => [documentKey(id), bodyKey(id)])
    const values = await pages.getMany(keys)
    const store = new MemoryStore()
    store.apply(values.flatMap((value, k) => (value ? [{ type: 'put' as const, key: keys[k]!, value }] : [])))
    const made = await vectors.passages.ofStored(lacking, store)
    if (made.length > 0) report.embedded += await writer.addVectors(made)
    report.captures += ids.length
    onProgress?.({ ...report })
    after = ids.at(-1)!
  }
  return report
}
