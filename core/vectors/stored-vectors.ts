import { AsofError } from '../errors.ts'
import {
  allVectors,
  firstNumberOfKey,
  type KeyRange,
  modelsKey,
  secondNumberOfKey,
  vectorKey,
  vectorRange,
} from '../store/keys.ts'
import {
  decodeModels,
  decodeVector,
  encodeModels,
  encodeVector,
  type StoredModel,
} from '../store/records/vector-records.ts'
import type { Operation, Store } from '../store/store.ts'
import type { VectorTable } from './vector-table.ts'

/** A capture and its vector. */
export type CaptureVector = readonly [captureId: number, vector: Int8Array]

/** A change of the stored vectors. `done` must be called when the operations are on disk. */
export interface VectorChange {
  operations: Operation[]
  done: () => void
}

const nothing: VectorChange = { operations: [], done: () => {} }

/**
 * The stored vectors of an index. Vectors of the current model are also kept in memory. Vectors of other models are not
 * used, and are deleted together with their captures.
 */
export class StoredVectors {
  readonly #store: Store
  readonly #model: string | undefined
  /** The vectors in memory. Undefined if no model is in use. */
  readonly table: VectorTable | undefined
  #models: readonly StoredModel[] = []

  /** @param model - the identity of the current model; undefined if none is in use. */
  constructor(store: Store, model?: string, table?: VectorTable) {
    this.#store = store
    this.#model = model
    this.table = table
  }

  /** Loads the stored vectors, or reloads them. */
  async load(): Promise<void> {
    const stored = this.#store.get(modelsKey)
    this.#models = stored ? decodeModels(stored) : []
    const { table } = this
    table?.clear()
    const own = this.#own
    if (!table || !own || own.vectors === 0) return
    for await (const [key, value] of this.#store.iterate(allVectors)) {
      if (secondNumberOfKey(key) === own.id) table.set(firstNumberOfKey(key), decodeVector(value))
      if (table.isFull(own.dimensions)) return
    }
  }

  get #own(): StoredModel | undefined {
    return this.#models.find(({ model }) => model === this.#model)
  }

  /** The number of the current model in keys. Before its first vector, the number that the model will get. */
  get modelId(): number {
    return this.#own?.id ?? 1 + this.#models.reduce((most, { id }) => Math.max(most, id), 0)
  }

  /** Number of captures with a vector of the current model. */
  get count(): number {
    return this.#own?.vectors ?? 0
  }

  /** Number of vectors of the current model that were written later than their capture. */
  get late(): number {
    return this.#own?.late ?? 0
  }

  /**
   * @throws ASOF_MODEL_FAILED - the stored vectors of the current model have another number of dimensions.
   */
  expectDimensions(vector: Int8Array): void {
    const known = this.#own?.dimensions ?? vector.length
    if (vector.length !== known)
      throw new AsofError(
        'ASOF_MODEL_FAILED',
        `the embeddings model returns ${vector.length} dimensions, but its stored vectors have ${known}: give the model another identity`,
      )
  }

  /** Returns the vector of the current model for a capture, from the store. */
  of(captureId: number): Int8Array | undefined {
    const own = this.#own
    const bytes = own && this.#store.get(vectorKey(captureId, own.id))
    return bytes && decodeVector(bytes)
  }

  /** Returns the given captures that have no vector of the current model. */
  async lacking(captureIds: readonly number[]): Promise<number[]> {
    const id = this.modelId
    const stored = await this.#store.getMany(captureIds.map(captureId => vectorKey(captureId, id)))
    return captureIds.filter((_, i) => stored[i] === undefined)
  }

  /**
   * Prepares to add vectors of the current model. Leaves out vectors with another number of dimensions.
   *
   * @param options.late - true if the captures are already in the index.
   * @param before - the list of models after an earlier change of the same commit. Default: the current list.
   */
  adding(
    given: readonly CaptureVector[],
    { late }: { late: boolean },
    before: readonly StoredModel[] = this.#models,
  ): VectorChange {
    const [first] = given
    if (!first || this.#model === undefined) return nothing
    const own = before.find(({ model }) => model === this.#model) ?? {
      id: this.modelId,
      model: this.#model,
      dimensions: first[1].length,
      vectors: 0,
      late: 0,
    }
    const vectors = given.filter(([, vector]) => vector.length === own.dimensions)
    const grown = { ...own, vectors: own.vectors + vectors.length, late: own.late + (late ? vectors.length : 0) }
    const models = [...before.filter(({ id }) => id !== own.id), grown]
    return {
      operations: [
        ...vectors.map(([captureId, vector]): Operation => {
          return { type: 'put', key: vectorKey(captureId, own.id), value: encodeVector(vector) }
        }),
        { type: 'put', key: modelsKey, value: encodeModels(models) },
      ],
      done: () => {
        this.#models = models
        for (const [captureId, vector] of vectors) this.table?.set(captureId, vector)
      },
    }
  }

  /** Prepares to delete all vectors of captures. No read may be running when `done` is called. */
  async deleting(
    captureIds: readonly number[],
  ): Promise<VectorChange & { waste: KeyRange[]; models: readonly StoredModel[] }> {
    if (this.#models.length === 0) return { ...nothing, waste: [], models: this.#models }
    const operations: Operation[] = []
    const gone = new Map<number, number>()
    for (const captureId of captureIds)
      for await (const [key] of this.#store.iterate(vectorRange(captureId))) {
        const model = secondNumberOfKey(key)
        gone.set(model, (gone.get(model) ?? 0) + 1)
        operations.push({ type: 'del', key })
      }
    if (operations.length === 0) return { ...nothing, waste: [], models: this.#models }
    const models = this.#models.map(model => ({ ...model, vectors: model.vectors - (gone.get(model.id) ?? 0) }))
    operations.push({ type: 'put', key: modelsKey, value: encodeModels(models) })
    return {
      operations,
      waste: captureIds.map(vectorRange),
      models,
      done: () => {
        this.#models = models
        for (const captureId of captureIds) this.table?.delete(captureId)
      },
    }
  }
}
