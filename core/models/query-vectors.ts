import { LRUCache } from 'lru-cache'
import { inverseLength } from '../vectors/quantized.ts'
import type { StoredModels } from '../vectors/stored-models.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import type { Embedder } from './embedder.ts'
import { ModelCalls } from './model-calls.ts'
import { knowsText, languageOfWords, languagesOf, modelIdentityOf } from './model-languages.ts'
import { textVectors } from './text-vectors.ts'

/** Maximum time that a search waits for the vector of its query from a model elsewhere, milliseconds. */
const TIMEOUT_MS = 1500
/** Number of queries whose vectors are cached. */
const MAX_QUERIES = 1000

/** Computes the vectors of queries with an embeddings model. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #languages: readonly string[] | undefined
  readonly #stored: { readonly models: StoredModels }
  readonly #calls: ModelCalls
  readonly #known = new LRUCache<string, Int8Array>({ max: MAX_QUERIES })

  /** @param stored - its `models` are read anew for each call, because the models of the index change. */
  constructor(embedder: Embedder, stored: { readonly models: StoredModels }, closing: AbortSignal) {
    this.#embedder = embedder
    this.#languages = languagesOf(embedder)
    this.#stored = stored
    const timeoutMs = embedder.isLocal ? undefined : TIMEOUT_MS
    this.#calls = new ModelCalls({ name: 'the embeddings model', timeoutMs, closing })
  }

  /**
   * False if the model does not know the language of a query. A language that the request does not name is guessed from
   * the query.
   *
   * @param named - the language in the request, ISO 639-1.
   */
  mayCompare(text: string, named: string | undefined): boolean {
    return knowsText(this.#languages, languageOfWords(text, named), text)
  }

  /**
   * Returns the vector of a query.
   *
   * @throws ASOF_MODEL_FAILED, ASOF_CLOSED
   */
  async of(text: string): Promise<Int8Array> {
    const known = this.#known.get(text)
    if (known) return known
    const parts = { embedder: this.#embedder, models: this.#stored.models, calls: this.#calls }
    const [vector] = await textVectors([text], 'query', parts)
    if (!vector) throw new TypeError('one text has one vector')
    this.#known.set(text, vector)
    return vector
  }

  /** Returns the vector together with the properties of the model that a search needs. */
  meaning(vector: Int8Array): QueryMeaning {
    const { modelId, late } = this.#stored.models
    const languages = this.#languages && { languages: this.#languages }
    return {
      model: modelIdentityOf(this.#embedder),
      ...languages,
      modelId,
      late,
      vector,
      inverse: inverseLength(vector),
    }
  }
}
