import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedder, type Engine, open, type Reranker } from '@asof/core'
import type { ClusterEngine } from '../../cluster/index.ts'
import { EmbeddingsEndpoint, RerankEndpoint } from '../index.ts'
import { LocalModel, LocalReranker, localModel, localReranker, OnnxModel, onnxModel } from '../local-models/index.ts'
import { openRecordDatabase } from '../records/database.ts'
import type { ClusterSetup, ResolvedOptions } from './options.ts'

/** Pause between two attempts to reach a cluster, ms. */
const RETRY_MS = 1_000

/** The open index of a data folder, in the folder or in a cluster. */
export interface IndexPlace {
  engine: Engine
  /** The same engine, if the index is in a cluster. */
  cluster?: ClusterEngine
  close(): Promise<void>
}

/** Opens the index of a data folder, and locks the folder. Throws what `openDataFolder` does. */
export async function openIndex(dir: string, options: ResolvedOptions): Promise<IndexPlace> {
  const embed = embedderOf(options)
  const rerank = rerankerOf(options)
  const place = options.cluster
    ? await openInCluster(dir, options.cluster, { ...options, embed, rerank })
    : await openHere(dir, { ...options, embed, rerank })
  // An engine does not close the models that it was given.
  const local = [embed, rerank].filter(isInProcess)
  const close = async () => {
    await place.close()
    for (const model of local) await model.close()
  }
  try {
    // Whoever shares the folder runs long: a model that cannot be loaded is an error at the start, not of the first search.
    if (options.share) for (const model of local) await model.load()
  } catch (error) {
    await close()
    throw error
  }
  return { ...place, close }
}

/** True for a model that runs in this process. */
function isInProcess(model: Embedder | Reranker | undefined): model is LocalModel | OnnxModel | LocalReranker {
  return model instanceof LocalModel || model instanceof OnnxModel || model instanceof LocalReranker
}

function embedderOf({ embeddings }: ResolvedOptions): Embedder | undefined {
  if (!embeddings) return undefined
  if ('baseUrl' in embeddings) return new EmbeddingsEndpoint(embeddings)
  if ('onnx' in embeddings) {
    const { onnx, ...options } = embeddings
    return onnxModel(onnx, options)
  }
  const { local, ...options } = embeddings
  return localModel(local, options)
}

function rerankerOf({ reranking }: ResolvedOptions): Reranker | undefined {
  if (!reranking) return undefined
  if ('baseUrl' in reranking) return new RerankEndpoint(reranking)
  const { local, ...options } = reranking
  return localReranker(local, options)
}

/** Options with the models that they name. */
interface OptionsWithModels extends ResolvedOptions {
  embed: Embedder | undefined
  rerank: Reranker | undefined
}

async function openHere(dir: string, options: OptionsWithModels): Promise<IndexPlace> {
  const { create, now, retain, cacheBytes, vectorBytes, searchTimeoutMs, embed, rerank, onNotice } = options
  const engine = await open(dir, {
    create,
    now,
    onWarning: warning => onNotice(warning.message),
    retain,
    cacheBytes,
    vectorBytes,
    searchTimeoutMs,
    embed,
    rerank,
  })
  return { engine, close: () => engine.close() }
}

async function openInCluster(dir: string, setup: ClusterSetup, options: OptionsWithModels): Promise<IndexPlace> {
  // No index is here that could be locked, but accounts and payments are.
  const lock = path.join(dir, 'cluster')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const held = await openRecordDatabase(lock, 'the lock of the folder')
  try {
    const cluster = await reachCluster(setup, options)
    return {
      engine: cluster,
      cluster,
      close: async () => {
        await cluster.close()
        await held.close()
      },
    }
  } catch (error) {
    await held.close()
    throw error
  }
}

/** Opens a cluster. Whoever shares the folder runs long, and waits until OpenSearch and PostgreSQL can be reached. */
async function reachCluster(
  setup: ClusterSetup,
  { now, retain, cacheBytes, vectorBytes, searchTimeoutMs, embed, rerank, share, signal, onNotice }: OptionsWithModels,
): Promise<ClusterEngine> {
  const { isUnreachable, openCluster } = await import('../../cluster/index.ts')
  for (let noticed = ''; ; ) {
    try {
      const onWarning = ({ message }: Error): void => onNotice(message)
      const cluster = await openCluster({
        ...setup,
        now,
        retain,
        cacheBytes,
        vectorBytes,
        searchTimeoutMs,
        embed,
        rerank,
        onWarning,
      })
      if (noticed !== '') onNotice('the cluster can be reached')
      return cluster
    } catch (error) {
      if (!share || signal?.aborted || !isUnreachable(error)) throw error
      const reason = String(error.details?.reason)
      if (reason !== noticed) onNotice(`waiting for the cluster: ${reason}`)
      noticed = reason
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
