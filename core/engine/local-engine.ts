import { dirname, join, resolve } from 'node:path'
import { purgeAll, removeAll } from '../bulk/bulk-deletion.ts'
import type { BulkOptions, BulkReport } from '../bulk/bulk-report.ts'
import { localIndex } from '../bulk/local-index.ts'
import type { PageSelection } from '../bulk/page-selection.ts'
import { intoNewFolder } from '../folders/new-folder.ts'
import { pageUrl, purgedUrls } from '../history/change-targets.ts'
import { addCaptures } from '../ingest/add-captures.ts'
import type { AddReport } from '../ingest/add-report.ts'
import type { Entry, Outcome } from '../ingest/entry.ts'
import type { EmbedOptions, EmbedReport } from '../ingest/missing-vectors.ts'
import { addMissingVectors } from '../ingest/missing-vectors.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import { invalidOption } from '../options.ts'
import type { ObservationInput, TimeInput } from '../page.ts'
import { checkedRelevance, type Relevance } from '../relevance/relevance.ts'
import { expectPath } from '../repair/index-folder.ts'
import type { BackupOptions, BackupReport } from '../store/backup/backup.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import { statsOf } from '../store/snapshots/index-stats.ts'
import { normalizeUrl } from '../url.ts'
import type { Engine, RemoveOptions } from './engine.ts'
import { readBackupOptions, readBulkOptions, readEmbedOptions, readRemoveOptions } from './engine-options.ts'
import { type EngineParts, openParts } from './engine-parts.ts'
import { EngineReads } from './engine-reads.ts'
import { checkOpenOptions, type OpenOptions } from './open-options.ts'
import { sealedEngine } from './sealed-engine.ts'

/**
 * The {@link Engine} for an index in a LevelDB folder on this machine, or in the memory of this process. Each method
 * checks its options and then calls one of the parts.
 */
export class LocalEngine extends EngineReads implements Engine {
  readonly #parts: EngineParts
  /** The folder of the index, inside the data folder. Undefined for an index in memory. */
  readonly #location: string | undefined
  #closing: Promise<void> | undefined

  private constructor(parts: EngineParts, location: string | undefined) {
    super({ ...parts, reads: parts.snapshots })
    this.#parts = parts
    this.#location = location
  }

  /** @param location - the folder of the index. Undefined for a new index in memory. */
  static async open(location: string | undefined, options: OpenOptions = {}): Promise<LocalEngine> {
    checkOpenOptions(options)
    return new LocalEngine(await openParts(location, options), location && resolve(location))
  }

  sealed(at: TimeInput): Engine {
    return sealedEngine(this.#openParts(), this.sealInstant(at))
  }

  async add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport> {
    const { pool, commits, snapshots, embedding } = this.#openParts()
    return addCaptures(observations, {
      pool,
      commits,
      now: () => snapshots.currentInstant(),
      passages: embedding?.passages,
    })
  }

  async setRelevance(relevance: Relevance): Promise<number> {
    const { writer } = this.#openParts()
    return writer.setRelevance(checkedRelevance(relevance))
  }

  async markSeen(url: string): Promise<boolean> {
    const { snapshots } = this.#openParts()
    return (await this.#enter({ kind: 'sighting', url: pageUrl(url, await snapshots.latest()) })) === 'unchanged'
  }

  async remove(url: string, options?: RemoveOptions): Promise<boolean> {
    const { snapshots } = this.#openParts()
    const { at } = readRemoveOptions(options)
    const removal =
      at === undefined
        ? { url: pageUrl(url, await snapshots.latest()) }
        : { url: normalizeUrl(url), at: declaredInstant(at, 'at', snapshots.currentInstant()) }
    return (await this.#enter({ kind: 'removal', ...removal })) === 'removed'
  }

  async #enter(entry: Entry): Promise<Outcome | undefined> {
    const [outcome] = await this.#parts.commits.submit([entry], 0)
    return outcome
  }

  async purge(url: string): Promise<number> {
    const { snapshots, writer } = this.#openParts()
    let purged = 0
    for (const each of purgedUrls(url, await snapshots.latest())) purged += (await writer.purge([each])).captures
    return purged
  }

  async removeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    const parts = this.#openParts()
    return removeAll(localIndex(parts), selection, readBulkOptions(options))
  }

  async purgeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    const parts = this.#openParts()
    return purgeAll(localIndex(parts), selection, readBulkOptions(options))
  }

  async stats(): Promise<EngineStats> {
    const { store, snapshots, writer, embedding, cacheCounts } = this.#openParts()
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

  async embed(options?: EmbedOptions): Promise<EmbedReport> {
    const { store, snapshots, writer, embedding } = this.#openParts()
    const read = readEmbedOptions(options)
    if (!embedding) throw invalidOption('embed', 'needs an embeddings model: give `open` the option embed')
    return addMissingVectors({ store, snapshots, writer, ...embedding }, read)
  }

  async backup(dir: string, options?: BackupOptions): Promise<BackupReport> {
    const { snapshots, writer } = this.#openParts()
    expectPath(dir)
    const read = readBackupOptions(options)
    const sources = this.#location === undefined ? [] : [dirname(this.#location), this.#location]
    return intoNewFolder(dir, sources, async partial => {
      await read.beside?.(partial)
      snapshots.expectOpen()
      return writer.backup(join(partial, 'index'), read)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { snapshots, stopModels, searches, writer, pool, store } = this.#parts
    snapshots.close()
    stopModels.abort()
    try {
      await searches.close()
      await writer.close()
    } finally {
      await pool.close().finally(() => store.close())
    }
  }

  /**
   * Returns the parts of the open engine.
   *
   * @throws ASOF_CLOSED
   */
  #openParts(): EngineParts {
    this.#parts.snapshots.expectOpen()
    return this.#parts
  }
}
