import { vectorKey } from '../store/keys.ts'
import { decodeVector } from '../store/records/vector-records.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { Comparison } from './comparison.ts'
import { inverseLength, product } from './quantized.ts'
import type { Direction } from './row-scan.ts'
import type { VectorTable } from './vector-table.ts'

/** Compares captures with a query by the vectors of an embedding model. */
export interface SimilarityReader {
  /** Maximum number of captures in an index for which a search compares the query with all of them. */
  capacity: number
  /** The cosine similarity of a capture and the query; `undefined` if the capture has no vector. */
  cosine(captureId: number): number | undefined
  /** Begins a comparison of many captures. @param places - see `Comparison`. */
  comparison(places: number): Comparison
}

/** The vector of a query and its model. It is plain data, so that it can be sent to a search thread. */
export interface QueryMeaning extends Direction {
  /** The identity of the model: its name, and its languages if they are limited. */
  model: string
  /**
   * The languages of the model, ISO 639-1. Undefined: every language. If the search finds that the query is in another
   * language, it does not use the vector.
   */
  languages?: readonly string[]
  /** The number of the model in the keys of its vectors. */
  modelId: number
  /** Number of the model's vectors that were written later than their capture, when the search began. */
  late: number
}

/** Compares the vectors of captures with the vector of a query. */
export class VectorReader {
  readonly #meaning: QueryMeaning
  readonly #table: VectorTable
  readonly #store: StoredValues
  /** Maximum number of captures in an index for which a search compares the query with all of them. */
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

  comparison(places: number): Comparison {
    return new Comparison(places, captureId => this.cosine(captureId), { table: this.#table, direction: this.#meaning })
  }

  /** Compares the query with a capture's vector in the store. Skips the store while the table has every vector. */
  #stored(captureId: number): number | undefined {
    const { vector, modelId } = this.#meaning
    const bytes = this.#table.isFull(vector.length) ? this.#store.get(vectorKey(captureId, modelId)) : undefined
    return bytes && storedCosine(this.#meaning, bytes)
  }
}

/** Returns the cosine of a query and a stored vector; undefined if their numbers of dimensions differ. */
export function storedCosine({ vector, inverse }: QueryMeaning, bytes: Uint8Array): number | undefined {
  const stored = decodeVector(bytes)
  return stored.length === vector.length ? product(vector, stored, 0) * inverse * inverseLength(stored) : undefined
}
