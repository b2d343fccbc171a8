import { LRUCache } from 'lru-cache'
import { inverseLength } from '../vectors/quantized.ts'
import type { StoredVectors } from '../vectors/stored-vectors.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import type { Embedder } from './embedder.ts'
import { ModelCalls } from './model-calls.ts'
import { textVectors } from './text-vectors.ts'

/** A search waits no longer for its vector; milliseconds. */
const TIMEOUT_MS = 1500
/** Queries whose vectors are remembered. */
const MOST_QUERIES = 1000

/** Asks a model what queries mean. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #stored: StoredVectors
  readonly #calls: ModelCalls
  readonly #known = new LRUCache<string, Int8Array>({ max: MOST_QUERIES })

  constructor(embedder: Embedder, stored: StoredVectors, closing: AbortSignal) {
    this.#embedder = embedder
    this.#stored = stored
    this.#calls = new ModelCalls({ name: 'the embeddings model', timeoutMs: TIMEOUT_MS, closing })
  }

  /**
   * The vector of a query.
   *
   * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
   */
  async of(text: string): Promise<Int8Array> {
    const known = this.#known.get(text)
    if (known) return known
    const parts = { embedder: this.#embedder, stored: this.#stored, calls: this.#calls }
    const [vector] = await textVectors([text], 'query', parts)
    this.#known.set(text, vector)
    return vector
  }

  /** What a search takes along of it, as the index stands now. */
  meaning(vector: Int8Array): QueryMeaning {
    const { modelId, late } = this.#stored
    return { model: this.#embedder.model, modelId, late, vector, inverse: inverseLength(vector) }
  }
}
