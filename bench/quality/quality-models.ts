import { setTimeout as pause } from 'node:timers/promises'
import type { Embedder, Engine, Reranker, SearchOptions } from '@asof/core'
import { EmbeddingsEndpoint, RerankEndpoint } from '../../service/index.ts'
import { localReranker } from '../../service/local-models/index.ts'
import { localEmbedder } from './local-embedder.ts'
import type { VectorCache } from './vector-cache.ts'

/** Endpoint and name of a model, from the command line. */
export interface ModelAddress {
  baseUrl: string
  model: string
}

/** The name of a model that `asof model add` has added, or of the pair. */
export interface LocalAddress {
  local: string
}

/** Models for an additional measurement of `pro`. */
export interface QualityModels {
  /** Name of `pro` with these models in the report. */
  system: string
  embed?: Embedder
  rerank?: Reranker
  /** Ends the models that run in this process. */
  close(): Promise<void>
}

/** Delays before each retry after a model failed, in ms; the run ends after the last. */
const PAUSES = [1_100, 2_100, 4_100, 8_100]

/**
 * Creates clients for the embedding and reranking endpoints at the given addresses, or opens models in this process. The API keys of
 * endpoints are read from the environment variables ASOF_EMBED_API_KEY and ASOF_RERANK_API_KEY.
 *
 * @param cache - keeps the vectors.
 * @returns undefined if no address is given.
 */
export function qualityModels(
  { embed, rerank }: { embed?: ModelAddress | LocalAddress; rerank?: ModelAddress | LocalAddress },
  cache: VectorCache,
  env: NodeJS.ProcessEnv = process.env,
): QualityModels | undefined {
  if (!embed && !rerank) return undefined
  const keyed = (address: ModelAddress, apiKey: string | undefined) => ({ ...address, apiKey })
  const parts = [embed && 'vectors', rerank && 'reranking'].filter(part => part !== undefined)
  const embedder =
    embed &&
    ('local' in embed
      ? localEmbedder(embed.local, cache)
      : cache.caching(new EmbeddingsEndpoint(keyed(embed, env.ASOF_EMBED_API_KEY))))
  const localRerank = rerank && 'local' in rerank ? localReranker(rerank.local) : undefined
  const endpoint =
    rerank && 'baseUrl' in rerank ? new RerankEndpoint(keyed(rerank, env.ASOF_RERANK_API_KEY)) : undefined
  return {
    system: `pro with ${parts.join(' and ')}`,
    embed: embedder,
    rerank: localRerank ?? endpoint,
    close: async () => {
      await embedder?.close()
      await localRerank?.close()
    },
  }
}

/**
 * Searches in mode `pro` with the models that the engine was opened with, and returns the URLs. Throws if a model keeps failing, since
 * the report would otherwise count an answer without the model as one with it.
 *
 * @param pauses - delays before each retry, in ms.
 */
export async function askWithModels(
  engine: Engine,
  query: string,
  options: SearchOptions,
  pauses: readonly number[] = PAUSES,
): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const { results, warning } = await engine.search(query, { ...options, mode: 'pro' })
    if (!warning?.startsWith('answered without ')) return results.map(({ url }) => url)
    if (tries === pauses.length) throw new Error(`a model failed at the query "${query}": ${warning}`)
    await pause(pauses[tries])
  }
}
