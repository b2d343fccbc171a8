import { HistoryReader } from '../history/history-reader.ts'
import type { TimeInput } from '../page.ts'
import { localSearches } from '../scheduling/local-searches.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import { statsOf, urlsUpTo } from '../store/snapshots/index-stats.ts'
import { SealedReads } from '../store/snapshots/sealed-reads.ts'
import type { Engine } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'
import { EngineReads } from './engine-reads.ts'
import { refuseWrites } from './refused-writes.ts'

/**
 * Returns an {@link Engine} that answers as one would that has no observation after an instant, and whose clock stands at that instant.
 * It only reads; the folder is open until the engine that was sealed is closed.
 *
 * @param at - epoch ms, not after the current instant.
 */
export function sealedEngine(parts: EngineParts, at: number): Engine {
  return refuseWrites(new SealedEngine(parts, at), at)
}

class SealedEngine extends EngineReads {
  readonly #parts: EngineParts
  readonly #reads: SealedReads
  /** The number of URLs in the state of the index that has this generation. */
  #urls: { generation: number; count: Promise<number> } | undefined

  constructor(parts: EngineParts, at: number) {
    const { store, snapshots, suggester, fieldLists, searches, modelSearch } = parts
    const reads = new SealedReads(snapshots, at)
    const history = new HistoryReader(store, reads)
    super({
      reads,
      history,
      suggester,
      fieldLists,
      searches,
      modelSearch: modelSearch.over(localSearches(searches, reads)),
    })
    this.#parts = parts
    this.#reads = reads
  }

  sealed(at: TimeInput): Engine {
    return sealedEngine(this.#parts, this.sealInstant(at))
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

  #countUrls(): Promise<number> {
    this.#reads.expectOpen()
    const { catalog, sealedAt } = this.#reads
    const { generation } = catalog.manifest
    if (this.#urls?.generation !== generation)
      this.#urls = { generation, count: urlsUpTo(this.#parts.store, catalog, sealedAt) }
    return this.#urls.count
  }
}
