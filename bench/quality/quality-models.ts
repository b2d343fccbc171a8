import { setTimeout as pause } from 'node:timers/promises'
import type { Embedder, Engine, Reranker, SearchOptions } from '@asof/core'
import { EmbeddingsEndpoint, RerankEndpoint } from '../../transports/service/index.ts'

/** A model behind an endpoint, as it is named on the command line. */
export interface ModelAddress {
  baseUrl: string
  model: string
}

/** Models that `pro` is measured with besides. */
export interface QualityModels {
  /** What `pro` with them is called in the report. */
  system: string
  embed?: Embedder
  rerank?: Reranker
}

/** What a model that failed is waited for before it is asked again, ms; after the last the run ends. */
const PAUSES = [1_100, 2_100, 4_100, 8_100]

/** `undefined` without any. Keys are read from ASOF_EMBED_API_KEY and ASOF_RERANK_API_KEY, as everywhere. */
export function qualityModels(
  { embed, rerank }: { embed?: ModelAddress; rerank?: ModelAddress },
  env: NodeJS.ProcessEnv = process.env,
): QualityModels | undefined {
  if (!embed && !rerank) return undefined
  const keyed = (address: ModelAddress, apiKey: string | undefined) => ({ ...address, ...(apiKey && { apiKey }) })
  return {
    system: `pro with ${[...(embed ? ['vectors'] : []), ...(rerank ? ['reranking'] : [])].join(' and ')}`,
    ...(embed && { embed: new EmbeddingsEndpoint(keyed(embed, env.ASOF_EMBED_API_KEY)) }),
    ...(rerank && { rerank: new RerankEndpoint(keyed(rerank, env.ASOF_RERANK_API_KEY)) }),
  }
}

/**
 * The URLs of `pro` with the models that an engine was opened with: all of them, or the run ends, since an answer without one
 * would be counted as one with it.
 *
 * @param pauses - ms to wait before each further try.
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
