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
import type { Operation, ReadableStore } from '../store/store.ts'
import { StoredModels } from './stored-models.ts'
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
  readonly #store: ReadableStore
  readonly #model: string | undefined
  /** The vectors in memory. Undefined if no model is in use. */
  readonly table: VectorTable | undefined
  #models: StoredModels

  /** @param model - the identity of the current model; undefined if none is in use. */
  constructor(store: ReadableStore, model?: string, table?: VectorTable) {
    this.#store = store
    this.#model = model
    this.#models = new StoredModels([], model)
    this.table = table
  }

  /** Loads the stored vectors, or reloads them. */
  async load(): Promise<void> {
    const stored = this.#store.get(modelsKey)
    this.#enter(stored ? decodeModels(stored) : [])
    const { table, models } = this
    const { own } = models
    table?.clear()
    if (!table || !own || own.vectors === 0) return
    for await (const [key, value] of this.#store.iterate(allVectors)) {
      if (secondNumberOfKey(key) === own.id) table.set(firstNumberOfKey(key), decodeVector(value))
      if (table.isFull(own.dimensions)) return
    }
  }

  /** The models that computed the vectors. */
  get models(): StoredModels {
    return this.#models
  }

  #enter(models: readonly StoredModel[]): void {
    this.#models = new StoredModels(models, this.#model)
  }

  /** Returns the vector of the current model for a capture, from the store. */
  of(captureId: number): Int8Array | undefined {
    const { own } = this.#models
    const bytes = own && this.#store.get(vectorKey(captureId, own.id))
    return bytes && decodeVector(bytes)
  }

  /** Returns the given captures that have no vector of the current model. */
  async lacking(captureIds: readonly number[]): Promise<number[]> {
    const { modelId: id } = this.#models
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
    before: readonly StoredModel[] = this.#models.all,
  ): VectorChange {
    const [first] = given
    if (!first || this.#model === undefined) return nothing
    const own = before.find(({ model }) => model === this.#model) ?? {
      id: this.#models.modelId,
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
        this.#enter(models)
        for (const [captureId, vector] of vectors) this.table?.set(captureId, vector)
      },
    }
  }

  /** Prepares to delete all vectors of captures. No read may be running when `done` is called. */
  async deleting(
    captureIds: readonly number[],
  ): Promise<VectorChange & { waste: KeyRange[]; models: readonly StoredModel[] }> {
    const { all } = this.#models
    if (all.length === 0) return { ...nothing, waste: [], models: all }
    const operations: Operation[] = []
    const gone = new Map<number, number>()
    for (const captureId of captureIds)
      for await (const [key] of this.#store.iterate(vectorRange(captureId))) {
        const model = secondNumberOfKey(key)
        gone.set(model, (gone.get(model) ?? 0) + 1)
        operations.push({ type: 'del', key })
      }
    if (operations.length === 0) return { ...nothing, waste: [], models: all }
    const models = all.map(model => ({ ...model, vectors: model.vectors - (gone.get(model.id) ?? 0) }))
    operations.push({ type: 'put', key: modelsKey, value: encodeModels(models) })
    return {
      operations,
      waste: captureIds.map(vectorRange),
      models,
      done: () => {
        this.#enter(models)
        for (const captureId of captureIds) this.table?.delete(captureId)
      },
    }
  }
}
