import { invalidOption } from '@asof/extract/errors'
import { purgeAll, removeAll } from '../bulk/bulk-deletion.ts'
import type { BulkOptions, BulkReport } from '../bulk/bulk-report.ts'
import type { PageSelection } from '../bulk/page-selection.ts'
import { recordedUrl } from '../history/change-targets.ts'
import type { AddOptions } from '../ingest/add-captures.ts'
import type { AddReport } from '../ingest/add-report.ts'
import type { EmbedOptions, EmbedReport } from '../ingest/missing-vectors.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import type { SearchModels } from '../models/model-search.ts'
import type { ObservationInput } from '../page.ts'
import { checkedRelevance, type Relevance } from '../relevance/relevance.ts'
import { expectPath } from '../repair/index-folder.ts'
import type { BackupOptions, BackupReport } from '../store/backup/backup.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import { normalizeUrl } from '../url.ts'
import type { Engine, RemoveOptions } from './engine.ts'
import type { WritableIndex } from './engine-index.ts'
import {
  checkedAddOptions,
  readBackupOptions,
  readBulkOptions,
  readEmbedOptions,
  readRemoveOptions,
} from './engine-options.ts'
import { EngineReads } from './engine-reads.ts'

/** An {@link Engine} over any index: its reads, and its writes. Each method checks its options and then changes the index. */
export class IndexEngine extends EngineReads implements Engine {
  readonly #index: WritableIndex
  readonly #models: SearchModels
  #closing: Promise<void> | undefined

  constructor(index: WritableIndex, models: SearchModels) {
    super(index, models)
    this.#index = index
    this.#models = models
  }

  async add(
    observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
    options?: AddOptions,
  ): Promise<AddReport> {
    return this.#openIndex().add(observations, checkedAddOptions(options))
  }

  async setRelevance(relevance: Relevance): Promise<number> {
    return this.#openIndex().setRelevance(checkedRelevance(relevance))
  }

  async markSeen(url: string): Promise<boolean> {
    const outcome = await this.#openIndex().change(normalizeUrl(url), latest => ({
      kind: 'sighting',
      url: recordedUrl(url, latest),
    }))
    return outcome === 'unchanged'
  }

  async remove(url: string, options?: RemoveOptions): Promise<boolean> {
    const index = this.#openIndex()
    const { at } = readRemoveOptions(options)
    const normal = normalizeUrl(url)
    const instant = at === undefined ? undefined : declaredInstant(at, 'at', await index.bulk.currentInstant())
    const outcome = await index.change(normal, latest => ({
      kind: 'removal',
      url: instant === undefined ? recordedUrl(url, latest) : normal,
      at: instant,
    }))
    return outcome === 'removed'
  }

  async purge(url: string): Promise<number> {
    return this.#openIndex().purge(normalizeUrl(url))
  }

  async removeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    return removeAll(this.#openIndex().bulk, selection, readBulkOptions(options))
  }

  async purgeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    return purgeAll(this.#openIndex().bulk, selection, readBulkOptions(options))
  }

  override async stats(): Promise<EngineStats> {
    return this.#openIndex().stats()
  }

  async embed(options?: EmbedOptions): Promise<EmbedReport> {
    const index = this.#openIndex()
    const read = readEmbedOptions(options)
    if (!this.#models.queries)
      throw invalidOption('embed', 'needs an embeddings model: open the engine with the option embed')
    return index.embed(read)
  }

  async backup(dir: string, options?: BackupOptions): Promise<BackupReport> {
    const index = this.#openIndex()
    expectPath(dir)
    return index.backup(dir, readBackupOptions(options))
  }

  close(): Promise<void> {
    this.#closing ??= this.#index.close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @throws ASOF_CLOSED */
  #openIndex(): WritableIndex {
    this.#index.expectOpen()
    return this.#index
  }
}
