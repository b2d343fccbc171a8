import { AsofError, type Engine, type EngineStats, type TimeInput } from '@asof/core'
import { urlsUpTo } from './captures-by-time.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { ClusterReads } from './cluster-reads.ts'
import type { Moments } from './moments.ts'
import { nameServerFailures } from './server-failures.ts'

/**
 * An engine over a cluster that answers as one would that has no observation after an instant, and whose clock stands at that instant. It
 * only reads.
 */
export class SealedCluster extends ClusterReads implements Engine {
  /** The number of URLs at the seal, as counted after some number of batches. */
  #urls: { batches: number; count: number } | undefined

  constructor(parts: ClusterParts, moments: Moments) {
    super(parts, moments)
  }

  sealed(at: TimeInput): Engine {
    this.parts.expectOpen()
    return new SealedCluster(this.parts, this.moments.sealed(at))
  }

  async stats(): Promise<EngineStats> {
    const figures = await this.captureStats()
    // The index grows with what comes later, so a sealed engine says nothing about it.
    return {
      ...{ ...figures, urls: await this.#countUrls() },
      ...{ segments: 0, terms: 0, bytes: 0, merges: 0, cacheHits: 0, cacheMisses: 0 },
    }
  }

  async #countUrls(): Promise<number> {
    const { database } = this.parts
    const { batches } = await database.clock()
    if (this.#urls?.batches !== batches)
      this.#urls = { batches, count: await database.read(sql => urlsUpTo(sql, this.moments.sealedAt)) }
    return this.#urls.count
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

  /** Does nothing: the cluster is open until the engine that was sealed is closed. */
  async close(): Promise<void> {}

  #refusal(method: string): AsofError {
    const at = new Date(this.moments.sealedAt).toISOString()
    return new AsofError(
      'ASOF_SEALED',
      `${method}: this engine is sealed at ${at} and only reads; call the engine that was sealed`,
    )
  }
}

nameServerFailures(SealedCluster)
