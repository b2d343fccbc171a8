import { vectorKey } from '../store/keys.ts'
import { decodeVector } from '../store/records/vector-records.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { inverseLength, product } from './quantized.ts'
import type { Direction, VectorTable } from './vector-table.ts'

/** The vector of a query, with its model. Plain data, because it is sent to the thread that answers. */
export interface QueryMeaning extends Direction {
  /** The identity of the model: its name, and its languages if it does not know all. */
  model: string
  /**
   * The languages of the model, ISO 639-1. If the index shows that the query is in another one, the vector does not take part.
   * Undefined: all languages.
   */
  languages?: readonly string[]
  /** The number of the model in the keys of its vectors. */
  modelId: number
  /** Number of its vectors that were written after their capture, when the search began. */
  late: number
}

/** Compares the vectors of captures with the vector of a query. */
export class VectorReader {
  readonly #meaning: QueryMeaning
  readonly #table: VectorTable
  readonly #store: StoredValues
  /** Maximum size of an index, in captures, in which every capture is compared with the query. */
  readonly capacity: number

  constructor(meaning: QueryMeaning, table: VectorTable, store: StoredValues) {
    this.#meaning = meaning
    this.#table = table
    this.#store = store
    this.capacity = table.capacity(meaning.vector.length)
  }

  /** Returns the cosine of the query and a capture; undefined if the capture has no vector of the model. */
  cosine(captureId: number): number | undefined {
    return this.#table.cosine(this.#meaning, captureId) ?? this.#stored(captureId)
  }

  /** Reads vectors for which the table has no room from the store. */
  #stored(captureId: number): number | undefined {
    const { vector, inverse, modelId } = this.#meaning
    const bytes = this.#table.isFull(vector.length) ? this.#store.get(vectorKey(captureId, modelId)) : undefined
    if (!bytes) return undefined
    const stored = decodeVector(bytes)
    return stored.length === vector.length ? product(vector, stored, 0) * inverse * inverseLength(stored) : undefined
  }
}
