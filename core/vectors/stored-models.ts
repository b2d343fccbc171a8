import { AsofError } from '@asof/extract/errors'
import { decodeModels, type StoredModel } from '../store/records/vector-records.ts'

/** The models that computed the vectors of an index, and which of them is in use. */
export class StoredModels {
  readonly all: readonly StoredModel[]
  readonly #model: string | undefined

  /** @param model - the identity of the model in use; undefined if none is. */
  constructor(all: readonly StoredModel[], model: string | undefined) {
    this.all = all
    this.#model = model
  }

  /** @param list - as it is stored, as text; null if no model computed vectors. */
  static decoded(list: string | null, model?: string): StoredModels {
    return new StoredModels(list === null ? [] : decodeModels(Buffer.from(list)), model)
  }

  /** The model in use; undefined if none is, or it has no vector yet. */
  get own(): StoredModel | undefined {
    return this.all.find(({ model }) => model === this.#model)
  }

  /** The number of the model in use in keys. Before its first vector, the number that it will get. */
  get modelId(): number {
    return this.own?.id ?? 1 + this.all.reduce((most, { id }) => Math.max(most, id), 0)
  }

  /** Number of captures with a vector of the model in use. */
  get count(): number {
    return this.own?.vectors ?? 0
  }

  /** Number of vectors of the model in use that were written later than their capture. */
  get late(): number {
    return this.own?.late ?? 0
  }

  /**
   * @throws ASOF_MODEL_FAILED - the stored vectors of the model in use have another number of dimensions.
   */
  expectDimensions(vector: Int8Array): void {
    const known = this.own?.dimensions ?? vector.length
    if (vector.length !== known)
      throw new AsofError(
        'ASOF_MODEL_FAILED',
        `the embeddings model returns ${vector.length} dimensions, but its stored vectors have ${known}: give the model another identity`,
      )
  }
}
