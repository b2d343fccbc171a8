import type { Embedder } from '@asof/core'
import { EmbeddingModel, type QueryMeaning, StoredModels, tableMemory, VectorTable } from '@asof/core/internal'
import type { ClusterDatabase, ClusterState } from '../stored/database.ts'
import type { SearchedVectors } from './compared-vectors.ts'
import { ReadVectors } from './read-vectors.ts'
import { type ComparedMoment, VectorMemory } from './vector-memory.ts'

interface VectorOptions {
  database: ClusterDatabase
  /** Aborts when the cluster is closed, and then ends the calls of the model. */
  closing: AbortSignal
  /** See `ModelOptions.vectorBytes`. */
  vectorBytes?: number | undefined
  /** Called when the model begins to fail. */
  onWarning: (warning: Error) => void
}

/** The vectors of a cluster, for a server with an embeddings model. */
export class ClusterVectors {
  readonly model: EmbeddingModel
  readonly #database: ClusterDatabase
  readonly #memory: VectorMemory
  #models: StoredModels
  #seen: string | null = null

  constructor(embedder: Embedder, { database, closing, onWarning, vectorBytes }: VectorOptions) {
    const store = { getMany: (keys: Uint8Array[]) => database.pages(database.sql).getMany(keys) }
    this.model = new EmbeddingModel(embedder, { stored: this, store, closing, onWarning })
    this.#models = StoredModels.decoded(null, this.model.identity)
    this.#database = database
    this.#memory = new VectorMemory(database, this.model.identity, new VectorTable(tableMemory(vectorBytes)))
  }

  /** The models that computed vectors, as of the state of the cluster that was read last. */
  get models(): StoredModels {
    return this.#models
  }

  see({ models }: Pick<ClusterState, 'models'>): void {
    if (models === this.#seen) return
    this.#models = StoredModels.decoded(models, this.model.identity)
    this.#seen = models
  }

  /**
   * Returns the vectors for a search.
   *
   * @param acquired - number of captures acquired up to the instant, superseded ones included, because their vectors are compared too.
   */
  async search(meaning: QueryMeaning, moment: ComparedMoment, acquired: number): Promise<SearchedVectors> {
    const { own } = this.#models
    const capacity = this.#memory.capacity(meaning.vector.length)
    if (own && acquired <= capacity) return this.#memory.compare(meaning, moment)
    return new ReadVectors(meaning, { capacity, own, pages: this.#database.pages(this.#database.sql) })
  }
}
