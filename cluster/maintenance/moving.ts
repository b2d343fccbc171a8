import { AsofError } from '@asof/core'
import { IndexSource, NewIndex, urlKey } from '@asof/core/internal'
import type { ClusterOptions } from '../cluster-options.ts'
import type { Queries } from '../queries.ts'
import { serverFailure } from '../server-failures.ts'
import { countCaptures } from '../stored/captures-by-time.ts'
import { ClusterDatabase, lockedState, stateIn } from '../stored/database.ts'
import { Vocabulary } from '../terms/vocabulary.ts'
import { ClusterWriter } from '../writing/cluster-writer.ts'
import { expectCreated, withCluster } from './with-servers.ts'

/** The options of {@link ClusterTools.load}, `save` and `reindex`. */
export interface MoveOptions {
  /** Called with the number of captures moved so far, and the number of all captures. */
  onProgress?: (moved: number, captures: number) => void
  /** Stops the move. The same call then begins it again, or continues it. */
  signal?: AbortSignal
}

/** The result of {@link ClusterTools.load} and `save`. */
export interface MoveReport {
  /** Number of captures that were moved, also by interrupted calls before. */
  captures: number
  /** Number of URLs of these captures. */
  urls: number
  /** False if the signal stopped the move. */
  finished: boolean
}

/**
 * Moves the index of a data folder into an empty cluster: all histories with the numbers of their captures, the aliases and the relevance.
 * Skips what an interrupted call has moved.
 */
export async function moveIntoCluster(
  dir: string,
  options: ClusterOptions,
  { onProgress, signal }: MoveOptions = {},
): Promise<MoveReport> {
  const source = await IndexSource.open(dir)
  try {
    return await withCluster(options, async ({ database, indices }) => {
      await expectSource(database, source)
      const writer = new ClusterWriter(database, indices, new Vocabulary(database, indices), { now: Date.now })
      return await copyAll(source, database, writer, { onProgress, signal })
    })
  } finally {
    await source.close()
  }
}

async function copyAll(
  source: IndexSource,
  database: ClusterDatabase,
  writer: ClusterWriter,
  { onProgress, signal }: MoveOptions,
): Promise<MoveReport> {
  const { manifest, stats } = source
  const hasIn = async (urls: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = await database.pages(database.sql).getMany(urls.map(urlKey))
    return new Set(urls.filter((_, u) => found[u] !== undefined))
  }
  let moved = (await database.reading(tx => countCaptures(tx, Number.MAX_SAFE_INTEGER))).captures
  for await (const pages of source.pages(hasIn)) {
    if (signal?.aborted) return { captures: moved, urls: manifest.urls, finished: false }
    await writer.adopt(pages, manifest)
    moved += pages.captures.length
    onProgress?.(moved, stats.captures)
  }
  for await (const operations of source.aliasesAndVectors()) await writer.adopt({ operations }, manifest)
  await database.change(async tx => {
    await lockedState(tx)
    const rows = source.relevance.map(({ at, value }, v) => ({
      number: v + 1,
      at,
      relevance: Buffer.from(value).toString(),
    }))
    if (rows.length > 0) await tx`insert into relevance ${tx(rows)} on conflict do nothing`
    // Counters are moved together with pages, so they are set here for an index whose pages were all purged.
    await tx`
      update cluster_state set relevance_versions = ${rows.length}, last_stamp_at = ${manifest.lastStampAt},
        next_capture_id = ${manifest.nextCaptureId}, urls = ${manifest.urls}, purged = ${manifest.purged},
        dropped = ${manifest.dropped}, retained_since_at = ${manifest.retainedSinceAt},
        rewrites = rewrites + 1, models = ${source.models ? Buffer.from(source.models).toString() : null}`
    await tx`update movement set is_finished = true`
  })
  const { captures } = await database.reading(tx => countCaptures(tx, Number.MAX_SAFE_INTEGER))
  if (captures !== stats.captures)
    throw new AsofError(
      'ASOF_STORE_WRITE',
      `the cluster has ${captures} captures, and the folder ${stats.captures}: others wrote during the move; move into another cluster_name`,
    )
  return { captures, urls: manifest.urls, finished: true }
}

/** Checks that a cluster is empty, or contains pages of the same source only. */
async function expectSource(database: ClusterDatabase, { manifest }: IndexSource): Promise<void> {
  const { nextCaptureId, lastStampAt, urls, purged, dropped } = manifest
  const source = JSON.stringify({ nextCaptureId, lastStampAt, urls, purged, dropped })
  await database.change(async tx => {
    const state = await lockedState(tx)
    await tx`create table if not exists movement (source text primary key, is_finished boolean not null)`
    const [begun] = await tx<[{ source: string; is_finished: boolean }?]>`select source, is_finished from movement`
    if (begun?.source === source && !begun.is_finished) return
    if (begun || state.nextCaptureId > 1 || state.urls > 0)
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        begun && !begun.is_finished
          ? 'the folder has changed since its move into the cluster began: move it into another cluster_name'
          : 'the cluster has pages already: move into one with another cluster_name',
        { details: { field: 'name' } },
      )
    await tx`insert into movement ${tx([{ source, is_finished: false }])}`
  })
}

/** Moves the index of a cluster, as it is when the move begins, into a new data folder. */
export async function moveIntoFolder(
  dir: string,
  { database: url, name = 'asof', objects }: ClusterOptions,
  { onProgress, signal }: MoveOptions = {},
): Promise<MoveReport> {
  await expectCreated({ database: url, name })
  const database = await ClusterDatabase.open(url, name, objects)
  try {
    return await copyIntoFolder(dir, database, { onProgress, signal })
  } catch (error) {
    throw serverFailure(error)
  } finally {
    await database.close()
  }
}

/**
 * Moves an open database into a folder, as {@link moveIntoFolder} does.
 *
 * @param onBytes - called with the number of bytes copied so far.
 */
export function copyIntoFolder(
  dir: string,
  database: ClusterDatabase,
  { onProgress, signal, onBytes }: MoveOptions & { onBytes?: ((bytes: number) => void) | undefined },
): Promise<MoveReport> {
  return database.reading(async tx => {
    const { nextCaptureId, lastStampAt, urls, purged, dropped, retainedSinceAt } = await stateIn(tx)
    const counters = { nextCaptureId, lastStampAt, urls, purged, dropped, retainedSinceAt }
    const { captures } = await countCaptures(tx, Number.MAX_SAFE_INTEGER)
    const target = await NewIndex.begin(dir, counters, await relevanceIn(tx))
    let moved = 0
    let bytes = 0
    try {
      const index = await database.index(tx)
      for await (const pages of index.pages()) {
        if (signal?.aborted) {
          await target.close()
          return { captures: moved, urls, finished: false }
        }
        await target.write(pages)
        moved += pages.captures.length
        for (const operation of pages.operations) if (operation.type === 'put') bytes += operation.value.length
        onProgress?.(moved, captures)
        onBytes?.(bytes)
      }
      for await (const operations of index.aliasesAndVectors()) await target.writeValues(operations)
    } catch (error) {
      await target.close()
      throw error
    }
    await target.finish()
    return { captures: moved, urls, finished: true }
  })
}

async function relevanceIn(tx: Queries): Promise<{ at: number; value: Uint8Array }[]> {
  const rows = await tx<{ at: number; relevance: string }[]>`select at, relevance from relevance order by number`
  return rows.map(({ at, relevance }) => ({ at, value: Buffer.from(relevance) }))
}
