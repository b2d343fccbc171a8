import { vectorKey } from '../store/keys.ts'
import { decodeVector } from '../store/records/vector-records.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { inverseLength, product } from './quantized.ts'
import type { Direction, VectorTable } from './vector-table.ts'

/** A query as a model sees it. Plain data: it goes to the thread that answers. */
export interface QueryMeaning extends Direction {
  /** See `Embedder.model`. */
  model: string
  /** The number of the model in the keys of its vectors. */
  modelId: number
  /** Vectors of it written after their capture, when the search began. */
  late: number
}

/** Tells how near captures are to a query in meaning, by the vectors that one model made. */
export class VectorReader {
  readonly #meaning: QueryMeaning
  readonly #table: VectorTable
  readonly #store: StoredValues
  /** Captures up to which an index is looked through for what means the same. */
  readonly capacity: number

  constructor(meaning: QueryMeaning, table: VectorTable, store: StoredValues) {
    this.#meaning = meaning
    this.#table = table
    this.#store = store
    this.capacity = table.capacity(meaning.vector.length)
  }

  /** The cosine of the query and a capture; `undefined` when the capture has no vector of the model. */
  cosine(captureId: number): number | undefined {
    return this.#table.cosine(this.#meaning, captureId) ?? this.#stored(captureId)
  }

  /** For what the table has no room for. */
  #stored(captureId: number): number | undefined {
    const { vector, inverse, modelId } = this.#meaning
    const bytes = this.#table.isFull(vector.length) ? this.#store.get(vectorKey(captureId, modelId)) : undefined
    if (!bytes) return undefined
    const stored = decodeVector(bytes)
    return stored.length === vector.length ? product(vector, stored, 0) * inverse * inverseLength(stored) : undefined
  }
}
