import { invalidModel } from '../files/invalid-model.ts'
import type { Tensors } from '../files/tensors.ts'
import { createSharedMemory, MAX_MEMORY_BYTES, type SharedMemory } from '../kernel/forward-kernel.ts'
import { TILE_ROWS } from '../kernel/kernel-numbers.ts'
import type { EncoderShape } from './encoder-shape.ts'
import { rotationTables } from './rotation-tables.ts'

/** A linear layer in memory. Addresses are in bytes; 0 is the address of what a layer has not. */
export interface Dense {
  weights: number
  scales: number
  bias: number
  inputs: number
  outputs: number
}

/** A layer normalization in memory. */
export interface Norm {
  gain: number
  bias: number
}

/** A layer: attention and feed-forward. In BERT the norms come after the two parts, in ModernBERT before. */
export interface Layer {
  /** Undefined in the first layer of ModernBERT. */
  attentionNorm: Norm | undefined
  qkv: Dense
  attentionOut: Dense
  innerNorm: Norm
  wide: Dense
  narrow: Dense
  isGlobal: boolean
}

/** What scores texts: a dense layer, in ModernBERT a norm, and the scores, whose number is padded to a multiple of 8. */
export interface Classifier {
  dense: Dense
  norm: Norm | undefined
  scores: Dense
}

/** The scratch space of a thread: the addresses are relative to its start. */
export interface Scratch {
  ids: number
  types: number
  x: number
  normed: number
  qkv: number
  attended: number
  wide: number
  gated: number
  quantized: number
  rowScales: number
  panel: number
  attention: number
  bytes: number
}

/** Where everything is in the memory that threads share. Plain data, which can be sent to them. */
export interface PlacedModel {
  shape: EncoderShape
  /** Number of tokens of the longest text that is read. */
  maxTokens: number
  words: { bytes: number; scales: number; zero: number }
  /** BERT: the vectors of positions and token types. */
  positions: number
  types: number
  firstNorm: Norm
  layers: Layer[]
  /** ModernBERT: the norm after the last layer. */
  lastNorm: Norm | undefined
  classifier: Classifier | undefined
  /** ModernBERT: cosines and sines of the angles of positions. */
  rotations: { isGlobal: boolean; cosines: number; sines: number }[]
  scratch: Scratch
  /** The address of the scratch space of the first thread. Those of the others follow. */
  scratchAt: number
}

/** Everything in memory begins at a multiple of this, bytes. */
const ALIGNMENT = 64
/** Nothing is placed before this address, so that 0 can mean "none". */
const FIRST_ADDRESS = 64
/** The columns of a panel of weights. */
const PANEL = 8

/** Hands out addresses, then writes to them. Runs twice over a model: without a memory to learn its size, then with one. */
class Placing {
  #at = FIRST_ADDRESS
  readonly #memory: SharedMemory | undefined

  constructor(memory?: SharedMemory) {
    this.#memory = memory
  }

  get end(): number {
    return this.#at
  }

  take(bytes: number): number {
    const at = this.#at
    this.#at = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT
    return at
  }

  floats(count: number, numbers: () => Float32Array): number {
    const at = this.take(4 * count)
    if (this.#memory) new Float32Array(this.#memory.buffer, at, count).set(numbers())
    return at
  }

  /** Places layers that have the same inputs side by side, as one. Pads their outputs to a multiple of 8 with zeros. */
  dense(tensors: Tensors, names: readonly string[], outputs: number, inputs: number, hasBias: boolean): Dense {
    const all = names.length * outputs
    const padded = Math.ceil(all / PANEL) * PANEL
    const weights = this.take(padded * inputs)
    const scales = this.take(4 * padded)
    const bias = hasBias ? this.take(4 * padded) : 0
    if (this.#memory) {
      const bytes = new Int8Array(this.#memory.buffer, weights, padded * inputs)
      const scaleOf = new Float32Array(this.#memory.buffer, scales, padded)
      const column = new Int8Array(inputs)
      for (const [n, name] of names.entries()) {
        const matrix = tensors.matrix(name, outputs, inputs)
        for (let o = 0; o < outputs; o++) {
          const output = n * outputs + o
          scaleOf[output] = matrix.read(o, column)
          // A panel has the pairs of adjacent inputs of its outputs side by side.
          const to = (output - (output % PANEL)) * inputs + 2 * (output % PANEL)
          for (let i = 0; i < inputs; i += 2) {
            bytes[to + i * PANEL] = column[i]!
            bytes[to + i * PANEL + 1] = column[i + 1]!
          }
        }
        if (hasBias)
          new Float32Array(this.#memory.buffer, bias, padded).set(
            tensors.floats(`${name}.bias`, [outputs]),
            n * outputs,
          )
      }
    }
    return { weights, scales, bias, inputs, outputs: padded }
  }

  norm(tensors: Tensors, name: string, width: number, hasBias: boolean): Norm {
    return {
      gain: this.floats(width, () => tensors.floats(`${name}.weight`, [width])),
      bias: hasBias ? this.floats(width, () => tensors.floats(`${name}.bias`, [width])) : 0,
    }
  }

  words(tensors: Tensors, name: string, rows: number, width: number): PlacedModel['words'] {
    const bytes = this.take(rows * width)
    const scales = this.take(4 * rows)
    if (!this.#memory) return { bytes, scales, zero: 0 }
    const table = tensors.table(name, rows, width)
    const scaleOf = new Float32Array(this.#memory.buffer, scales, rows)
    for (let row = 0; row < rows; row++)
      scaleOf[row] = table.read(row, new Uint8Array(this.#memory.buffer, bytes + row * width, width))
    return { bytes, scales, zero: table.zero }
  }

  /** Places the first rows of a table as floats. */
  rows(tensors: Tensors, name: string, rows: number, used: number, width: number): number {
    return this.floats(used * width, () => {
      const table = tensors.table(name, rows, width)
      const numbers = new Float32Array(used * width)
      const bytes = new Uint8Array(width)
      for (let row = 0; row < used; row++) {
        const scale = table.read(row, bytes)
        for (let j = 0; j < width; j++) numbers[row * width + j] = (bytes[j]! - table.zero) * scale
      }
      return numbers
    })
  }
}

/**
 * Writes a model into a memory that threads can share. Each thread gets scratch space in it.
 *
 * @param maxTokens - of the longest text; more tokens need more scratch space.
 * @throws ASOF_MODEL_INVALID - a tensor is missing or has another shape, or the model is too large.
 */
export function placeModel(
  tensors: Tensors,
  shape: EncoderShape,
  { maxTokens, threads }: { maxTokens: number; threads: number },
): { model: PlacedModel; memory: SharedMemory } {
  const size = new Placing()
  const { scratch, scratchAt } = place(size, tensors, shape, maxTokens)
  const bytes = scratchAt + threads * scratch.bytes
  if (bytes > MAX_MEMORY_BYTES)
    throw invalidModel(`the model needs ${bytes} bytes of memory, more than ${MAX_MEMORY_BYTES}`)
  const memory = createSharedMemory(bytes)
  return { model: place(new Placing(memory), tensors, shape, maxTokens), memory }
}

function place(placing: Placing, tensors: Tensors, shape: EncoderShape, maxTokens: number): PlacedModel {
  const placed =
    shape.architecture === 'bert'
      ? placeBert(placing, tensors, shape, maxTokens)
      : placeModernBert(placing, tensors, shape, maxTokens)
  return { shape, maxTokens, ...placed, scratch: scratchSpace(shape, maxTokens), scratchAt: placing.end }
}

type Placed = Omit<PlacedModel, 'shape' | 'maxTokens' | 'scratch' | 'scratchAt'>

function placeBert(placing: Placing, tensors: Tensors, shape: EncoderShape, maxTokens: number): Placed {
  const { width, innerWidth, vocabulary, positions, labels } = shape
  const embeddings = {
    words: placing.words(tensors, 'embeddings.word_embeddings', vocabulary, width),
    positions: placing.rows(
      tensors,
      'embeddings.position_embeddings',
      positions,
      Math.min(maxTokens, positions),
      width,
    ),
    types: placing.rows(tensors, 'embeddings.token_type_embeddings', 2, 2, width),
    firstNorm: placing.norm(tensors, 'embeddings.LayerNorm', width, true),
  }
  const layers = Array.from({ length: shape.layers }, (_, layer): Layer => {
    const name = `encoder.layer.${layer}`
    const attention = ['query', 'key', 'value'].map(part => `${name}.attention.self.${part}`)
    return {
      qkv: placing.dense(tensors, attention, width, width, true),
      attentionOut: placing.dense(tensors, [`${name}.attention.output.dense`], width, width, true),
      attentionNorm: placing.norm(tensors, `${name}.attention.output.LayerNorm`, width, true),
      wide: placing.dense(tensors, [`${name}.intermediate.dense`], innerWidth, width, true),
      narrow: placing.dense(tensors, [`${name}.output.dense`], width, innerWidth, true),
      innerNorm: placing.norm(tensors, `${name}.output.LayerNorm`, width, true),
      isGlobal: true,
    }
  })
  const classifier = labels > 0 && {
    dense: placing.dense(tensors, ['pooler.dense'], width, width, true),
    norm: undefined,
    scores: placing.dense(tensors, ['classifier'], labels, width, true),
  }
  return { ...embeddings, layers, lastNorm: undefined, classifier: classifier || undefined, rotations: [] }
}

function placeModernBert(placing: Placing, tensors: Tensors, shape: EncoderShape, maxTokens: number): Placed {
  const { width, heads, innerWidth, vocabulary, labels } = shape
  const words = placing.words(tensors, 'embeddings.tok_embeddings', vocabulary, width)
  const firstNorm = placing.norm(tensors, 'embeddings.norm', width, false)
  const layers = Array.from({ length: shape.layers }, (_, layer): Layer => {
    const name = `layers.${layer}`
    return {
      attentionNorm: layer === 0 ? undefined : placing.norm(tensors, `${name}.attn_norm`, width, false),
      qkv: placing.dense(tensors, [`${name}.attn.Wqkv`], 3 * width, width, false),
      attentionOut: placing.dense(tensors, [`${name}.attn.Wo`], width, width, false),
      innerNorm: placing.norm(tensors, `${name}.mlp_norm`, width, false),
      wide: placing.dense(tensors, [`${name}.mlp.Wi`], 2 * innerWidth, width, false),
      narrow: placing.dense(tensors, [`${name}.mlp.Wo`], width, innerWidth, false),
      isGlobal: shape.isGlobal[layer] ?? true,
    }
  })
  const lastNorm = placing.norm(tensors, 'final_norm', width, false)
  const classifier = labels > 0 && {
    dense: placing.dense(tensors, ['head.dense'], width, width, false),
    norm: placing.norm(tensors, 'head.norm', width, false),
    scores: placing.dense(tensors, ['classifier'], labels, width, true),
  }
  const half = width / heads / 2
  const rotations = [true, false].map(isGlobal => {
    const theta = isGlobal ? shape.globalTheta : shape.localTheta
    const count = maxTokens * half
    return {
      isGlobal,
      cosines: placing.floats(count, () => rotationTables(theta, half, maxTokens).cosines),
      sines: placing.floats(count, () => rotationTables(theta, half, maxTokens).sines),
    }
  })
  return { words, positions: 0, types: 0, firstNorm, layers, lastNorm, classifier: classifier || undefined, rotations }
}

function scratchSpace({ architecture, width, heads, innerWidth }: EncoderShape, maxTokens: number): Scratch {
  const placing = new Placing()
  const isModern = architecture === 'modernbert'
  const start = placing.end
  const take = (bytes: number): number => placing.take(bytes) - start
  const padded = Math.ceil(maxTokens / 8) * 8
  const widest = Math.max(width, innerWidth)
  const headWidth = width / heads
  const scratch = {
    ids: take(4 * maxTokens),
    types: take(4 * maxTokens),
    x: take(4 * maxTokens * width),
    normed: isModern ? take(4 * maxTokens * width) : 0,
    qkv: take(4 * padded * 3 * width),
    attended: take(4 * maxTokens * width),
    wide: take(4 * maxTokens * (isModern ? 2 : 1) * innerWidth),
    gated: isModern ? take(4 * maxTokens * innerWidth) : 0,
    quantized: take(2 * maxTokens * widest),
    rowScales: take(4 * maxTokens),
    panel: take(2 * PANEL * widest),
    // As forward.c says at `attend`.
    attention: take(4 * padded * (headWidth + 1) + TILE_ROWS * (6 * padded + 2 * headWidth + 8) + 4 * headWidth),
  }
  return { ...scratch, bytes: placing.end - start }
}
