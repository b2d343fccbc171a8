import { AsofError } from '../errors.ts'
import {
  allVectors,
  type KeyRange,
  modelsKey,
  ordinalOfKey,
  segmentOfKey,
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

/** The vector of a capture. */
export type CaptureVector = readonly [captureId: number, vector: Int8Array]

/** A change of the vectors: what goes to disk, and what is to be called once it is there. */
export interface VectorChange {
  operations: Operation[]
  done: () => void
}

const nothing: VectorChange = { operations: [], done: () => {} }

/**
 * The vectors of an index: those of the model in use, of which a table in memory tells, and those of others, of which
 * nothing more is wanted than that they go when their capture does.
 */
export class StoredVectors {
  readonly #store: Store
  readonly #model: string | undefined
  /** Present when a model is in use. */
  readonly table: VectorTable | undefined
  #models: readonly StoredModel[] = []

  /** @param model - the identity of the one in use; absent for none. */
  constructor(store: Store, model?: string, table?: VectorTable) {
    this.#store = store
    this.#model = model
    this.table = table
  }

  /** Reads what is stored, or reads it anew. */
  async load(): Promise<void> {
    const stored = this.#store.get(modelsKey)
    this.#models = stored ? decodeModels(stored) : []
    const { table } = this
    table?.clear()
    const own = this.#own
    if (!table || !own || own.vectors === 0) return
    for await (const [key, value] of this.#store.iterate(allVectors)) {
      if (ordinalOfKey(key) === own.id) table.set(segmentOfKey(key), decodeVector(value))
      if (table.isFull(own.dimensions)) return
    }
  }

  get #own(): StoredModel | undefined {
    return this.#models.find(({ model }) => model === this.#model)
  }

  /** The number of the model in use; the one it will have when it has no vector yet. */
  get modelId(): number {
    return this.#own?.id ?? 1 + this.#models.reduce((most, { id }) => Math.max(most, id), 0)
  }

  /** Captures that have a vector of the model in use. */
  get count(): number {
    return this.#own?.vectors ?? 0
  }

  /** Vectors of the model in use that were written after their capture. */
  get late(): number {
    return this.#own?.late ?? 0
  }

  /**
   * @throws ASOF_MODEL_FAILED - the vectors of this model that are stored have another number of dimensions.
   */
  expectDimensions(vector: Int8Array): void {
    const known = this.#own?.dimensions ?? vector.length
    if (vector.length !== known)
      throw new AsofError(
        'ASOF_MODEL_FAILED',
        `the embeddings model gives ${vector.length} dimensions where it gave ${known} before: give it another identity`,
      )
  }

  /** The vector that the model in use made of a capture. */
  of(captureId: number): Int8Array | undefined {
    const own = this.#own
    const bytes = own && this.#store.get(vectorKey(captureId, own.id))
    return bytes && decodeVector(bytes)
  }

  /** Which of some captures have no vector of the model in use. */
  async lacking(captureIds: readonly number[]): Promise<number[]> {
    const id = this.modelId
    const stored = await this.#store.getMany(captureIds.map(captureId => vectorKey(captureId, id)))
    return captureIds.filter((_, i) => stored[i] === undefined)
  }

  /**
   * Enters vectors of the model in use; one of other dimensions than the rest is left out, since nothing could be told by it.
   *
   * @param options.late - whether the captures are in the index already.
   * @param before - the models as a change before this one leaves them, in the same commit. Default: as they are.
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

  /** Takes out what any model made of some captures. Nobody may be reading when it is done. */
  async deleting(
    captureIds: readonly number[],
  ): Promise<VectorChange & { waste: KeyRange[]; models: readonly StoredModel[] }> {
    if (this.#models.length === 0) return { ...nothing, waste: [], models: this.#models }
    const operations: Operation[] = []
    const gone = new Map<number, number>()
    for (const captureId of captureIds)
      for await (const [key] of this.#store.iterate(vectorRange(captureId))) {
        const model = ordinalOfKey(key)
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
