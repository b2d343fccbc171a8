import { AsofError } from '@asof/core'
import { indexStored } from '@asof/core/internal'
import { LATEST_AT } from '@asof/extract/timestamp'
import type { ClusterOptions } from '../cluster-options.ts'
import type { Queries } from '../queries.ts'
import { type ClusterDatabase, lockedState, stateIn } from '../stored/database.ts'
import { statisticsUpTo } from '../stored/statistics.ts'
import { applyOldest, lockApplying, type TermIndexState, termIndexIn } from '../terms/applying.ts'
import type { IndexLayout } from '../terms/index-layout.ts'
import { type TermChanges, termChanges, termHistory } from '../terms/term-changes.ts'
import type { TermIndex } from '../terms/term-index.ts'
import { indexName } from '../terms/term-indices.ts'
import { NEVER } from '../terms/term-queries.ts'
import type { MoveOptions } from './moving.ts'
import { expectCreated, type OpenedCluster, withCluster } from './with-servers.ts'

/** Number of captures that are copied in one transaction. */
const CAPTURES_AT_ONCE = 250

/** The result of {@link ClusterTools.reindex}. */
export interface ReindexReport {
  /** Number of captures in the new index. */
  captures: number
  /** The name of the new index in OpenSearch. */
  index: string
  /** False if the signal stopped the build. */
  finished: boolean
}

/** Documents of captures. Their histories are missing; they are read when the documents are copied. */
interface Copies {
  /** The number of the capture after which these captures begin, exclusive. */
  after: number
  /** The number of the last of these captures. */
  end: number
  added: TermChanges['added']
}

/** Builds the index of OpenSearch again from PostgreSQL. The new index replaces the old one, which is then deleted. */
export async function reindexCluster(
  options: ClusterOptions,
  { onProgress, signal }: MoveOptions = {},
): Promise<ReindexReport> {
  const { name = 'asof', shards = 1, replicas = 0 } = options
  await expectCreated(options)
  return withCluster(options, async cluster => {
    const { database } = cluster
    const before = await database.read(termIndexIn)
    await deleteUnused(cluster)
    const total = (await database.read(sql => statisticsUpTo(sql, LATEST_AT))).captures
    // An earlier command was killed after the replacement. The old index, which it had left, is now deleted.
    if (before.building === null && before.unused !== null && before.unused < before.number)
      return { captures: total, index: indexName(name, before.number), finished: true }
    const { building, copiedId, lastId } = await beginBuilding(cluster, { shards, replicas })
    const index = cluster.indices.at(building)
    let captures = await database.read(sql => countUpTo(sql, copiedId))
    let next = prepareCopies(database, copiedId, lastId)
    for (;;) {
      const copies = await next
      if (!copies) break
      if (signal?.aborted) return { captures, index: indexName(name, building), finished: false }
      // The next captures are read and analyzed while OpenSearch indexes these.
      next = prepareCopies(database, copies.end, lastId)
      next.catch(() => {})
      await copy(database, { index, building, copies })
      captures += copies.added.length
      onProgress?.(Math.min(captures, total), total)
    }
    // This refresh does most of the work of the one in `replaceIndex`, for which writers wait.
    await index.refresh()
    captures = await replaceIndex(database, index, building)
    await deleteUnused(cluster)
    return { captures, index: indexName(name, building), finished: true }
  })
}

/** Deletes the index of an unfinished build. Returns `abandoned: false` if no build is unfinished. */
export async function abandonReindex(options: ClusterOptions): Promise<{ abandoned: boolean }> {
  await expectCreated(options)
  return withCluster(options, async cluster => {
    await deleteUnused(cluster)
    const abandoned = await cluster.database.change(async tx => {
      await lockApplying(tx)
      const rows = await tx`
        update term_index set unused = building, building = null where building is not null returning number`
      return rows.length > 0
    })
    await deleteUnused(cluster)
    return { abandoned }
  })
}

/** Creates the new index, or finds the one whose build was interrupted. */
function beginBuilding(
  { database, indices }: OpenedCluster,
  layout: IndexLayout,
): Promise<TermIndexState & { building: number }> {
  return database.change(async tx => {
    await lockApplying(tx)
    const { building } = await termIndexIn(tx)
    if (building === null) {
      const [{ number }] = await tx<[{ number: number }]>`
        update term_index set last_number = last_number + 1, building = last_number + 1, copied_id = 0,
          last_id = (select next_capture_id - 1 from cluster_state)
        returning building as number`
      // An earlier command that was killed here may have left an index with this number, of which the database does not know. Once this
      // transaction commits, each change is applied to the new index.
      await indices.delete(number)
      await indices.at(number).createIfMissing(layout)
    }
    return (await termIndexIn(tx)) as TermIndexState & { building: number }
  })
}

/** Makes the documents of the next captures. Returns undefined after the last capture. */
async function prepareCopies(database: ClusterDatabase, after: number, lastId: number): Promise<Copies | undefined> {
  const rows = await database.read(
    sql => sql<{ id: number }[]>`
      select id from capture where id > ${after} and id <= ${lastId} order by id limit ${CAPTURES_AT_ONCE}`,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return undefined
  const stored = await database.pages(database.sql).captures(ids, new Set(ids))
  const { added } = termChanges(await indexStored(stored), [])
  return { after, end: ids.at(-1)!, added }
}

/**
 * Copies captures into the new index, with their current histories. The documents get the number of the last change that was decided, under
 * the lock of the journal. So a change that the documents include does nothing when it is applied, and later changes overtake them.
 */
async function copy(
  database: ClusterDatabase,
  { index, building, copies }: { index: TermIndex; building: number; copies: Copies },
): Promise<void> {
  await database.change(async tx => {
    await lockApplying(tx)
    const state = await termIndexIn(tx)
    expectBuilding(state, building)
    // Another command has copied these captures meanwhile.
    if (state.copiedId !== copies.after) return
    const rows = await tx<{ id: number; supersededAt: number; changes: number }[]>`
      select id, superseded_at as "supersededAt", (select changes from cluster_state) as changes
      from capture where id = any(${copies.added.map(({ id }) => id)}::bigint[])`
    const revised = await (await database.index(tx)).revisedStates(rows.map(({ id }) => id))
    const now = new Map(
      rows.map(({ id: captureId, supersededAt }, i) => {
        const history = termHistory({ captureId, supersededAt, revised: revised[i]! })
        return [captureId, history]
      }),
    )
    const added = copies.added.flatMap(({ revisedAt: _, revisedValues: __, revisedOften: ___, ...capture }) => {
      const history = now.get(capture.id)
      return history ? [{ ...capture, ...history }] : []
    })
    if (added.length > 0) await index.copy(added, rows[0]!.changes)
    await tx`update term_index set copied_id = ${copies.end}`
  })
}

/**
 * Replaces the old index by the new one, if the new one is complete. It holds the locks of the state row and of the journal, so that nothing
 * is written meanwhile. Returns the number of captures.
 */
function replaceIndex(database: ClusterDatabase, index: TermIndex, building: number): Promise<number> {
  return database.change(async tx => {
    await lockApplying(tx)
    await lockedState(tx)
    expectBuilding(await termIndexIn(tx), building)
    while (await applyOldest(tx, [index]));
    const { applied } = await stateIn(tx)
    await index.show(applied)
    const { captures } = await statisticsUpTo(tx, LATEST_AT)
    const answers = await index.ask(NEVER, { applied, counted: [] })
    if (answers?.captures !== captures)
      throw new AsofError(
        'ASOF_STORE_WRITE',
        answers
          ? `the new index has ${answers.captures} of ${captures} captures, and does not replace the old one: run asof cluster reindex --abandon, and begin again`
          : 'a shard of the new index did not answer: run the command again',
      )
    await tx`update term_index set unused = number, number = building, building = null`
    return captures
  })
}

function expectBuilding({ building }: TermIndexState, expected: number): void {
  if (building !== expected)
    throw new AsofError('ASOF_STORE_WRITE', 'another command finished or abandoned this build of the index')
}

/** Points the alias to the index that is searched, and deletes the index that is no longer used. */
async function deleteUnused({ database, indices }: OpenedCluster): Promise<void> {
  const { number, unused } = await database.read(termIndexIn)
  if (unused === null) return
  await indices.nameCurrent(number)
  await indices.delete(unused)
  await database.change(tx => tx`update term_index set unused = null where unused = ${unused}`)
}

async function countUpTo(sql: Queries, id: number): Promise<number> {
  const [{ captures }] = await sql<[{ captures: number }]>`select count(*) as captures from capture where id <= ${id}`
  return captures
}
