import { AsofError } from '@asof/extract/errors'
import { type ForwardKernel, instantiateForwardKernel, type SharedMemory } from '../kernel/forward-kernel.ts'
import { denseModes } from '../kernel/kernel-numbers.ts'
import type { TokenIds } from '../tokenizer/token-ids.ts'
import type { Pooling } from './encoder-shape.ts'
import type { Dense, Layer, Norm, PlacedModel } from './place-model.ts'

/** A window that reaches every token. */
const EVERYWHERE = 0x3fff_ffff
const LARGEST_I16 = 32_767
/** The largest sum of a product. */
const LARGEST_SUM = 2 ** 31 - 1
/** The largest size of a weight. */
const LARGEST_WEIGHT = 127

/**
 * Runs a model over texts, one after the other. The weights are in a memory that threads share; each thread has a pass of its own with
 * scratch space of its own. The result depends on the text and the model alone: not on the machine, the thread or texts before.
 */
export class ForwardPass {
  readonly #model: PlacedModel
  readonly #memory: SharedMemory
  readonly #kernel: ForwardKernel
  readonly #base: number

  /** @param thread - the number of the scratch space. */
  constructor(model: PlacedModel, memory: SharedMemory, thread: number) {
    this.#model = model
    this.#memory = memory
    this.#kernel = instantiateForwardKernel(memory)
    this.#base = model.scratchAt + thread * model.scratch.bytes
  }

  /**
   * Returns the vector of a text, of length 1.
   *
   * @throws ASOF_MODEL_FAILED - it is not finite, because of the weights.
   */
  embed(tokens: TokenIds, pooling: Pooling): Float32Array {
    const pooled = this.#pooled(this.#run(tokens), tokens.ids.length, pooling)
    let square = 0
    for (const value of pooled) square += value * value
    const length = Math.sqrt(square)
    if (!(length > 0 && length < Number.MAX_VALUE)) throw unusable()
    return Float32Array.from(pooled, value => value / length)
  }

  /**
   * Returns the scores of a text or a pair, as the model's logits.
   *
   * @throws ASOF_MODEL_FAILED - they are not finite, or the model has no classifier.
   */
  scores(tokens: TokenIds): Float32Array {
    const { classifier, shape, scratch } = this.#model
    if (!classifier)
      throw new AsofError('ASOF_MODEL_FAILED', 'the model embeds texts, and does not score them', { retryable: false })
    const { width, labels, classifierPooling, epsilon } = shape
    const kernel = this.#kernel
    const pooled = this.#pooled(this.#run(tokens), tokens.ids.length, classifierPooling)
    const x = this.#base + scratch.x
    const hidden = this.#base + scratch.attended
    this.#floats(x, width).set(pooled)
    this.#dense(x, 1, classifier.dense, hidden)
    if (classifier.norm) {
      kernel.geluAll(hidden, width)
      kernel.layerNorm(hidden, 1, width, classifier.norm.gain, classifier.norm.bias, epsilon, hidden)
    } else kernel.tanhAll(hidden, width)
    this.#dense(hidden, 1, classifier.scores, x)
    const scores = this.#floats(x, labels).slice()
    if (!scores.every(Number.isFinite)) throw unusable()
    return scores
  }

  /** Computes the vectors of all tokens, and returns their address. */
  #run({ ids, types }: TokenIds): number {
    const { shape, scratch, words, positions, firstNorm, layers, lastNorm, maxTokens } = this.#model
    const { width, vocabulary, epsilon } = shape
    const count = ids.length
    if (count < 1 || count > maxTokens || types.length !== count) throw new TypeError(`${count} tokens`)
    const base = this.#base
    const idWords = new Uint32Array(this.#memory.buffer, base + scratch.ids, count)
    const typeWords = new Uint32Array(this.#memory.buffer, base + scratch.types, count)
    for (let t = 0; t < count; t++) {
      // The kernel does not check addresses that it computes from these.
      if (!(ids[t]! >= 0 && ids[t]! < vocabulary) || (types[t] !== 0 && types[t] !== 1))
        throw new TypeError(`token ${ids[t]}`)
      idWords[t] = ids[t]!
      typeWords[t] = types[t]!
    }
    const x = base + scratch.x
    this.#kernel.embed(
      base + scratch.ids,
      base + scratch.types,
      count,
      width,
      words.bytes,
      words.scales,
      words.zero,
      positions,
      this.#model.types,
      x,
    )
    this.#norm(x, count, firstNorm, x)
    for (const layer of layers) {
      if (shape.architecture === 'bert') this.#bertLayer(layer, x, count)
      else this.#modernBertLayer(layer, x, count)
    }
    if (lastNorm) this.#kernel.layerNorm(x, count, width, lastNorm.gain, lastNorm.bias, epsilon, x)
    return x
  }

  #bertLayer({ qkv, attentionOut, attentionNorm, wide, narrow, innerNorm }: Layer, x: number, count: number): void {
    const { scratch } = this.#model
    const [base, inner] = [this.#base, this.#base + scratch.wide]
    this.#dense(x, count, qkv, base + scratch.qkv)
    this.#attend(count, EVERYWHERE)
    this.#dense(base + scratch.attended, count, attentionOut, x, 'ADD')
    if (attentionNorm) this.#norm(x, count, attentionNorm, x)
    this.#dense(x, count, wide, inner, 'GELU')
    this.#dense(inner, count, narrow, x, 'ADD')
    this.#norm(x, count, innerNorm, x)
  }

  #modernBertLayer(layer: Layer, x: number, count: number): void {
    const { scratch, shape, rotations } = this.#model
    const { width, heads, innerWidth, window } = shape
    const kernel = this.#kernel
    const [base, normed] = [this.#base, this.#base + scratch.normed]
    const { attentionNorm, isGlobal } = layer
    if (attentionNorm) this.#norm(x, count, attentionNorm, normed)
    this.#dense(attentionNorm ? normed : x, count, layer.qkv, base + scratch.qkv)
    const rotation = rotations.find(each => each.isGlobal === isGlobal)
    // Queries and keys are beside each other, so they are rotated as one row of heads.
    if (rotation)
      kernel.rotate(base + scratch.qkv, count, 3 * width, 2 * heads, width / heads, rotation.cosines, rotation.sines)
    this.#attend(count, isGlobal ? EVERYWHERE : window)
    this.#dense(base + scratch.attended, count, layer.attentionOut, x, 'ADD')
    this.#norm(x, count, layer.innerNorm, normed)
    this.#dense(normed, count, layer.wide, base + scratch.wide)
    kernel.gatedGelu(base + scratch.wide, count, innerWidth, base + scratch.gated)
    this.#dense(base + scratch.gated, count, layer.narrow, x, 'ADD')
  }

  #norm(x: number, count: number, { gain, bias }: Norm, out: number): void {
    const { width, epsilon } = this.#model.shape
    this.#kernel.layerNorm(x, count, width, gain, bias, epsilon, out)
  }

  #dense(x: number, count: number, layer: Dense, out: number, mode: keyof typeof denseModes = 'STORE'): void {
    const { scratch } = this.#model
    const { inputs, outputs, weights, scales, bias } = layer
    const base = this.#base
    const [quantized, rowScales] = [base + scratch.quantized, base + scratch.rowScales]
    // The largest integers whose products with weights cannot overflow a sum of 32 bits.
    const limit = Math.min(LARGEST_I16, Math.floor(LARGEST_SUM / (inputs * LARGEST_WEIGHT)))
    this.#kernel.quantize(x, count, inputs, limit, quantized, rowScales)
    this.#kernel.dense(
      quantized,
      rowScales,
      count,
      inputs,
      weights,
      scales,
      bias,
      outputs,
      base + scratch.panel,
      out,
      denseModes[mode],
    )
  }

  #attend(count: number, window: number): void {
    const { scratch, shape } = this.#model
    const { width, heads } = shape
    const headWidth = width / heads
    const base = this.#base
    const limit = Math.min(LARGEST_I16, Math.floor(Math.sqrt(LARGEST_SUM / headWidth)))
    this.#kernel.attend(
      base + scratch.qkv,
      count,
      heads,
      headWidth,
      window,
      limit,
      1 / Math.sqrt(headWidth),
      base + scratch.attention,
      base + scratch.attended,
    )
  }

  /** The mean of the vectors of the tokens, or the first of them, in doubles. */
  #pooled(at: number, count: number, pooling: Pooling): Float64Array {
    const { width } = this.#model.shape
    const used = pooling === 'cls' ? 1 : count
    const vectors = this.#floats(at, used * width)
    const pooled = new Float64Array(width)
    for (let t = 0; t < used; t++) for (let j = 0; j < width; j++) pooled[j] = pooled[j]! + vectors[t * width + j]!
    return pooled.map(value => value / used)
  }

  #floats(at: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, at, count)
  }
}

function unusable(): AsofError {
  return new AsofError('ASOF_MODEL_FAILED', 'the model returned a vector that is zero or not finite', {
    retryable: false,
  })
}
