import type { ModelCall, Reranker } from '@asof/core'
import type { CrossEncoder } from '@asof/encoder'
import { AsofError, optionsReader } from '@asof/extract/errors'
import { LoadedOnce } from './loaded-once.ts'
import { folderOf, modelsFolder, type RerankerRecord, readRerankerRecord } from './model-record.ts'
import { expectThreads } from './thread-count.ts'

/** Options of {@link localReranker}. */
export interface LocalRerankerOptions {
  /** The folder that has the models. Default: that of the variable ASOF_MODELS, else `.asof/models` in the home folder. */
  folder?: string
  /** Number of threads, 1 to 64. They share the weights, and the texts of a search. Default 2. */
  threads?: number
}

/** The texts of one search are independent, so as many threads as a small machine has cores halve its time. */
export const DEFAULT_RERANK_THREADS = 2

const readOptions = optionsReader<LocalRerankerOptions>({ folder: 'string', threads: 'number' })

/**
 * Returns a reranking model that `asof model add` has added, for the option `rerank` of `open`. It runs in this process, on threads of its
 * own. Reads only its record: the encoder and the weights are loaded for the first search.
 *
 * @param name - the name that the model was added under.
 * @throws ASOF_MODEL_INVALID - no model of this name was added, it makes vectors and does not re-rank, or its record is damaged.
 * @throws ASOF_INVALID_OPTION - the name or an option is invalid.
 */
export function localReranker(name: string, options?: LocalRerankerOptions): LocalReranker {
  const { folder: given, threads = DEFAULT_RERANK_THREADS } = readOptions(options)
  expectThreads(threads)
  const folder = modelsFolder(given)
  return new LocalReranker(folderOf(name, folder), readRerankerRecord(name, folder), threads)
}

/** A reranking model in this process, see {@link localReranker}. */
export class LocalReranker implements Reranker {
  readonly model: string
  readonly #encoder: LoadedOnce<CrossEncoder>

  constructor(path: string, { model, identity }: RerankerRecord, threads: number) {
    this.model = `${model}@${identity}`
    this.#encoder = new LoadedOnce(async () => {
      const encoder = await openCrossEncoder(path, model, threads)
      if (encoder.identity === identity) return encoder
      await encoder.close()
      throw new AsofError(
        'ASOF_MODEL_INVALID',
        `the model in ${path} scores otherwise than when it was added: its files or asof have changed. Delete the folder, and add the model again`,
      )
    })
  }

  /**
   * Returns how well each text answers the query, in order: higher is better. Query and text are read together, 128 tokens in all.
   *
   * @throws ASOF_MODEL_INVALID - the files are not those that were added, or this release computes other scores from them.
   * @throws ASOF_MODEL_FAILED, ASOF_WORKER_FAILED, ASOF_CLOSED
   */
  async rerank(query: string, texts: readonly string[], call: ModelCall): Promise<number[]> {
    const encoder = await this.#encoder.get()
    return await encoder.rerank(query, texts, call)
  }

  /** Loads the encoder and the weights, which the first search does otherwise. Throws what {@link rerank} does. */
  async load(): Promise<void> {
    await this.#encoder.get()
  }

  /** Ends the threads and frees the memory. May be called again. An engine does not close a model that it was given. */
  close(): Promise<void> {
    return this.#encoder.close()
  }
}

/** Opens a model that re-ranks. @param name - its name in the receipts of answers. */
export async function openCrossEncoder(path: string, name: string, threads: number): Promise<CrossEncoder> {
  const { CrossEncoder } = await import('@asof/encoder')
  return await CrossEncoder.open({ path, threads, name })
}
