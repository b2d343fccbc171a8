import type { Embedder } from '@asof/core'
import { PairAxes } from './pair-axes.ts'
import { expectPartsOfPair, pairModel } from './pair-identity.ts'

/** Makes vectors of texts: an encoder, or the two of a pair. */
export interface VectorSource extends Pick<Embedder, 'model' | 'embed'> {
  close(): Promise<void>
}

/** Two models whose vectors of a text are joined to one. They find more than one of them does, because their errors differ. */
export class ModelPair implements VectorSource {
  readonly model = pairModel()
  readonly #parts: readonly [VectorSource, VectorSource]
  readonly #axes: PairAxes

  private constructor(parts: readonly [VectorSource, VectorSource], axes: PairAxes) {
    this.#parts = parts
    this.#axes = axes
  }

  /**
   * Loads the constants of the pair.
   *
   * @param parts - the models in the order of `partsOfPair`.
   * @throws ASOF_MODEL_INVALID - they are others.
   */
  static async open(parts: readonly [VectorSource, VectorSource]): Promise<ModelPair> {
    expectPartsOfPair([parts[0].model, parts[1].model])
    return new ModelPair(parts, await PairAxes.load())
  }

  /** Returns one vector of length 1 for each text, in order. Both models run at the same time. Throws what they do. */
  embed: Embedder['embed'] = async (texts, call) => {
    const [first, second] = this.#parts
    const [left, right] = await Promise.all([first.embed(texts, call), second.embed(texts, call)])
    const empty = new Float32Array()
    return texts.map((_, i) => this.#axes.joined(call.kind, left[i] ?? empty, right[i] ?? empty))
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(part => part.close()))
  }
}
