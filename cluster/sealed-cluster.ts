import type { Engine, EngineStats, TimeInput } from '@asof/core'
import { refuseWrites } from '@asof/core/internal'
import type { ClusterParts } from './cluster-parts.ts'
import { ClusterReads } from './cluster-reads.ts'
import type { Moments } from './moments.ts'
import { nameServerFailures } from './server-failures.ts'

/**
 * Returns an engine over a cluster that answers as one would that has no observation after an instant, and whose clock stands at that
 * instant. It only reads; the cluster is open until the engine that was sealed is closed.
 */
export function sealedCluster(parts: ClusterParts, moments: Moments): Engine {
  return refuseWrites(new SealedCluster(parts, moments), moments.sealedAt)
}

class SealedCluster extends ClusterReads {
  constructor(parts: ClusterParts, moments: Moments) {
    super(parts, moments)
  }

  sealed(at: TimeInput): Engine {
    this.parts.expectOpen()
    return sealedCluster(this.parts, this.moments.sealed(at))
  }

  async stats(): Promise<EngineStats> {
    const figures = await this.captureStats()
    // The index grows with what comes later, so a sealed engine says nothing about it.
    return {
      ...figures,
      ...{ segments: 0, terms: 0, bytes: 0, merges: 0, cacheHits: 0, cacheMisses: 0 },
      ...(this.parts.vectors && { vectors: 0 }),
    }
  }
}

nameServerFailures(SealedCluster)
