import type { Engine, EngineStats } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'
import { EngineReads } from './engine-reads.ts'
import { AsofError } from './errors.ts'
import { HistoryReader } from './history/history-reader.ts'
import type { TimeInput } from './page.ts'
import { statsOf, urlsUpTo } from './store/snapshots/index-stats.ts'
import { SealedReads } from './store/snapshots/sealed-reads.ts'

/**
 * An {@link Engine} that answers as one would that has no observation after an instant, and whose clock stands at that instant. It
 * only reads.
 */
export class SealedEngine extends EngineReads implements Engine {
  readonly #parts: EngineParts
  readonly #reads: SealedReads
  /** The number of URLs in the state of the index that has this generation. */
  #urls: { generation: number; count: Promise<number> } | undefined

  /** @param at - epoch ms, not after the current instant. */
  constructor(parts: EngineParts, at: number) {
    const { store, snapshots, suggester, modelSearch } = parts
    const reads = new SealedReads(snapshots, at)
    super({ reads, history: new HistoryReader(store, reads), suggester, modelSearch: modelSearch.reading(reads) })
    this.#parts = parts
    this.#reads = reads
  }

  sealed(at: TimeInput): Engine {
    return new SealedEngine(this.#parts, this.sealInstant(at))
  }

  async stats(): Promise<EngineStats> {
    const { embedding } = this.#parts
    const { catalog, sealedAt } = this.#reads
    const { captures, oldest, newest } = statsOf(catalog, sealedAt)
    // The folder on disk grows with what comes later, so a sealed engine says nothing about it.
    return {
      ...{ captures, urls: await this.#countUrls(), oldest, newest },
      ...{ segments: 0, terms: 0, bytes: 0, merges: 0, cacheHits: 0, cacheMisses: 0 },
      ...(embedding && { vectors: 0 }),
    }
  }

  async add(): Promise<never> {
    throw this.#refusal('add')
  }

  async setRelevance(): Promise<never> {
    throw this.#refusal('setRelevance')
  }

  async markSeen(): Promise<never> {
    throw this.#refusal('markSeen')
  }

  async remove(): Promise<never> {
    throw this.#refusal('remove')
  }

  async purge(): Promise<never> {
    throw this.#refusal('purge')
  }

  async removeAll(): Promise<never> {
    throw this.#refusal('removeAll')
  }

  async purgeAll(): Promise<never> {
    throw this.#refusal('purgeAll')
  }

  async embed(): Promise<never> {
    throw this.#refusal('embed')
  }

  async backup(): Promise<never> {
    throw this.#refusal('backup')
  }

  /** Does nothing: the folder is open until the engine that was sealed is closed. */
  async close(): Promise<void> {}

  #countUrls(): Promise<number> {
    this.#reads.expectOpen()
    const { catalog, sealedAt } = this.#reads
    const { generation } = catalog.manifest
    if (this.#urls?.generation !== generation)
      this.#urls = { generation, count: urlsUpTo(this.#parts.store, catalog, sealedAt) }
    return this.#urls.count
  }

  #refusal(method: string): AsofError {
    const at = new Date(this.#reads.sealedAt).toISOString()
    return new AsofError(
      'ASOF_SEALED',
      `${method}: this engine is sealed at ${at} and only reads; call the engine that was sealed`,
    )
  }
}
