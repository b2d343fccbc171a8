import type { TextKind } from '@asof/core'

/** Number of dimensions of each model of the pair. */
export const PART_WIDTH = 384
/** Number of dimensions of the vectors of both models, one after the other. */
export const JOINED_WIDTH = 2 * PART_WIDTH
/** Number of dimensions of the vectors of the pair. */
export const PAIR_DIMENSIONS = 384
/** The constants are integers of 16 bits: numbers from -1 to 1, times this. A power of two, so that dividing by it is exact. */
export const UNIT = 2 ** 15

/** The means of the vectors of both models, by the kind of the text. */
export type Means = Readonly<Record<TextKind, Float64Array>>

/**
 * Centers the vectors of both models, gives each the length 1, and joins them.
 *
 * All sums have one order, and every operation is one of IEEE 754 in double precision, which rounds alike on every machine.
 */
export function centeredAndJoined(
  mean: Float64Array,
  parts: readonly [ArrayLike<number>, ArrayLike<number>],
): Float64Array {
  const joined = new Float64Array(JOINED_WIDTH)
  for (const [p, part] of parts.entries()) {
    if (part.length !== PART_WIDTH) throw new TypeError(`a model of a pair has ${part.length} dimensions`)
    const half = joined.subarray(p * PART_WIDTH, (p + 1) * PART_WIDTH)
    const center = mean.subarray(p * PART_WIDTH, (p + 1) * PART_WIDTH)
    for (let j = 0; j < PART_WIDTH; j++) half[j] = (part[j] ?? 0) - (center[j] ?? 0)
    makeUnit(half)
  }
  return joined
}

/** Gives a vector the length 1, unless it is zero. */
function makeUnit(vector: Float64Array): void {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  if (length > 0) for (let j = 0; j < vector.length; j++) vector[j] = (vector[j] ?? 0) / length
}

/** The constants by which the vectors of two models become one. They were computed once, by bench/quality/generate-pair.ts. */
export class PairAxes {
  readonly #means: Means
  /** The principal axes of joined vectors, the longest first, one after the other. */
  readonly #axes: Int16Array

  private constructor(means: Means, axes: Int16Array) {
    this.#means = means
    this.#axes = axes
  }

  /** Loads the constants: 0.8 MB, which nothing else loads. */
  static async load(): Promise<PairAxes> {
    const { base64 } = await import('./pair-constants.generated.ts')
    const bytes = Buffer.from(base64, 'base64')
    const numbers = Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i))
    const mean = (at: number): Float64Array =>
      Float64Array.from(numbers.subarray(at, at + JOINED_WIDTH), value => value / UNIT)
    return new PairAxes({ passage: mean(0), query: mean(JOINED_WIDTH) }, numbers.subarray(2 * JOINED_WIDTH))
  }

  /** Returns the vector of a text, of length 1, from those of both models. */
  joined(kind: TextKind, first: Float32Array, second: Float32Array): Float32Array {
    const joined = centeredAndJoined(this.#means[kind], [first, second])
    const rotated = new Float64Array(PAIR_DIMENSIONS)
    for (let i = 0, at = 0; i < PAIR_DIMENSIONS; i++) {
      let sum = 0
      for (const value of joined) sum += (this.#axes[at++] ?? 0) * value
      rotated[i] = sum
    }
    makeUnit(rotated)
    return Float32Array.from(rotated)
  }
}
