import { dirname, join, resolve } from 'node:path'
import type { BulkIndex } from '../bulk/bulk-index.ts'
import { localIndex } from '../bulk/local-index.ts'
import { intoNewFolder } from '../folders/new-folder.ts'
import { purgedUrls } from '../history/change-targets.ts'
import type { AddOptions } from '../ingest/add-captures.ts'
import type { AddReport } from '../ingest/add-report.ts'
import type { Entry, Outcome } from '../ingest/entry.ts'
import { addMissingVectors, type EmbedOptions, type EmbedReport } from '../ingest/missing-vectors.ts'
import type { ObservationInput } from '../page.ts'
import type { Relevance } from '../relevance/relevance.ts'
import type { BackupOptions, BackupReport } from '../store/backup/backup.ts'
import { type EngineStats, statsOf } from '../store/snapshots/index-stats.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { Engine } from './engine.ts'
import type { WritableIndex } from './engine-index.ts'
import { type EngineParts, openParts } from './engine-parts.ts'
import { IndexEngine } from './index-engine.ts'
import { LocalReads } from './local-reads.ts'
import { checkOpenOptions, type OpenOptions } from './open-options.ts'

/**
 * Opens the engine over an index in a LevelDB folder on this machine, or over a new one in the memory of this process.
 *
 * @param location - the folder of the index, inside the data folder. Undefined for an index in memory.
 */
export async function openLocal(location: string | undefined, options: OpenOptions = {}): Promise<Engine> {
  checkOpenOptions(options)
  const parts = await openParts(location, options)
  return new IndexEngine(new LocalIndex(parts, location && resolve(location)), parts.models)
}

class LocalIndex extends LocalReads implements WritableIndex {
  readonly bulk: BulkIndex
  readonly #parts: EngineParts
  readonly #location: string | undefined

  constructor(parts: EngineParts, location: string | undefined) {
    super(parts, parts.snapshots)
    this.bulk = localIndex(parts)
    this.#parts = parts
    this.#location = location
  }

  add(
    observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
    { vectors }: AddOptions,
  ): Promise<AddReport> {
    const { intake, snapshots, embedding } = this.#parts
    const passages = vectors === 'later' ? undefined : embedding?.passages
    return intake.add(observations, { now: () => snapshots.currentInstant(), passages })
  }

  setRelevance(relevance: Relevance): Promise<number> {
    return this.#parts.writer.setRelevance(relevance)
  }

  async change(_: string, entryOf: (latest: Snapshot) => Entry): Promise<Outcome | undefined> {
    const { intake, snapshots } = this.#parts
    const [outcome] = await intake.enter([entryOf(await snapshots.latest())])
    return outcome
  }

  async purge(url: string): Promise<number> {
    const { snapshots, writer } = this.#parts
    let purged = 0
    for (const each of purgedUrls(url, await snapshots.latest())) purged += (await writer.purge([each])).captures
    return purged
  }

  async stats(): Promise<EngineStats> {
    const { store, snapshots, writer, embedding, cacheCounts } = this.#parts
    const bytes = await store.bytes()
    return {
      ...statsOf(snapshots.catalog),
      bytes,
      merges: writer.mergesUnderWay,
      cacheHits: cacheCounts.reduce((sum, { hits }) => sum + hits, 0),
      cacheMisses: cacheCounts.reduce((sum, { misses }) => sum + misses, 0),
      vectors: embedding?.stored.models.count,
    }
  }

  embed(options: EmbedOptions): Promise<EmbedReport> {
    const { store, snapshots, writer, embedding } = this.#parts
    return addMissingVectors({ store, snapshots, writer, ...embedding! }, options)
  }

  backup(dir: string, options: BackupOptions): Promise<BackupReport> {
    const sources = this.#location === undefined ? [] : [dirname(this.#location), this.#location]
    return intoNewFolder(dir, sources, async partial => {
      await options.beside?.(partial)
      this.expectOpen()
      return this.#parts.writer.backup(join(partial, 'index'), options)
    })
  }

  async close(): Promise<void> {
    const { snapshots, stopModels, searches, writer, intake, store } = this.#parts
    snapshots.close()
    stopModels.abort()
    try {
      await searches.close()
      await writer.close()
    } finally {
      await intake.close().finally(() => store.close())
    }
  }
}
