import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSharedMemory, instantiateForwardKernel } from '../../../encoder/kernel/forward-kernel.ts'
import { denseModes, TILE_ROWS } from '../../../encoder/kernel/kernel-numbers.ts'

const memory = createSharedMemory(16 << 20)
const kernel = instantiateForwardKernel(memory)
const MEBI = 1 << 20
const [A, SCALES, WEIGHTS, COLUMN_SCALES, BIAS, PANEL, OUT, X] = [1, 2, 3, 4, 5, 6, 7, 8].map(n => n * MEBI) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
const floats = (at: number, count: number) => new Float32Array(memory.buffer, at, count)

describe('a product of quantized rows', () => {
  it('is the exact sum of integers for any number of rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 * TILE_ROWS + 1 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer(),
        (count, eighths, panels, seed) => {
          const [inputs, outputs] = [8 * eighths, 8 * panels]
          const random = randomBytes(seed)
          const weights = Int8Array.from({ length: inputs * outputs }, () => (random() % 255) - 127)
          const rows = Float32Array.from({ length: count * inputs }, () => (random() % 255) - 127)
          // Each row has its largest size, 127, so that quantization leaves it as it is.
          for (let t = 0; t < count; t++) rows[t * inputs] = 127
          floats(X, rows.length).set(rows)
          floats(COLUMN_SCALES, outputs).fill(1)
          const packed = new Int8Array(memory.buffer, WEIGHTS, weights.length)
          for (let o = 0; o < outputs; o++)
            for (let i = 0; i < inputs; i++)
              packed[(o - (o % 8)) * inputs + (i >> 1) * 16 + 2 * (o % 8) + (i & 1)] = weights[o * inputs + i]!
          kernel.quantize(X, count, inputs, 127, A, SCALES)
          kernel.dense(A, SCALES, count, inputs, WEIGHTS, COLUMN_SCALES, 0, outputs, PANEL, OUT, denseModes.STORE)
          const expected = Array.from({ length: count * outputs }, (_, at) => {
            const [t, o] = [Math.floor(at / outputs), at % outputs]
            let sum = 0
            for (let i = 0; i < inputs; i++) sum += rows[t * inputs + i]! * weights[o * inputs + i]!
            return sum
          })
          expect(Array.from(floats(OUT, count * outputs))).toEqual(expected)
        },
      ),
    )
  })

  it.each([8, 384, 1536, 8192, 16_384])('does not overflow with %d inputs of the largest size', inputs => {
    const limit = Math.min(32_767, Math.floor((2 ** 31 - 1) / (inputs * 127)))
    floats(X, inputs).fill(3)
    new Int8Array(memory.buffer, WEIGHTS, 8 * inputs).fill(127)
    floats(COLUMN_SCALES, 8).fill(1)
    kernel.quantize(X, 1, inputs, limit, A, SCALES)
    kernel.dense(A, SCALES, 1, inputs, WEIGHTS, COLUMN_SCALES, 0, 8, PANEL, OUT, denseModes.STORE)
    for (const sum of floats(OUT, 8)) expect(sum / (3 * 127 * inputs)).toBeCloseTo(1, 6)
  })

  it('adds to what is there, or is followed by GELU', () => {
    floats(X, 8).fill(1)
    new Int8Array(memory.buffer, WEIGHTS, 64).fill(1)
    floats(COLUMN_SCALES, 8).fill(0.125)
    floats(BIAS, 8).fill(0.5)
    kernel.quantize(X, 1, 8, 127, A, SCALES)
    floats(OUT, 8).fill(10)
    kernel.dense(A, SCALES, 1, 8, WEIGHTS, COLUMN_SCALES, BIAS, 8, PANEL, OUT, denseModes.ADD)
    for (const value of floats(OUT, 8)) expect(value).toBeCloseTo(11.5, 5)
    kernel.dense(A, SCALES, 1, 8, WEIGHTS, COLUMN_SCALES, BIAS, 8, PANEL, OUT, denseModes.GELU)
    for (const value of floats(OUT, 8)) expect(value).toBeCloseTo(1.5 * 0.9331927987, 5)
  })
})

/** Φ(x) by the trapezoidal rule in doubles, which converges fast for it. */
function normalDistribution(x: number): number {
  const [steps, from] = [4000, -12]
  if (x <= from) return 0
  const width = (x - from) / steps
  let sum = 0
  for (let i = 0; i <= steps; i++) {
    const t = from + i * width
    sum += Math.exp((-t * t) / 2) * (i === 0 || i === steps ? 0.5 : 1)
  }
  return (sum * width) / Math.sqrt(2 * Math.PI)
}

const samples = Float32Array.from({ length: 400 }, (_, i) => (i - 200) / 16)

it('GELU is that of the error function, to 10⁻⁶', () => {
  floats(X, samples.length).set(samples)
  kernel.geluAll(X, samples.length)
  const found = floats(X, samples.length)
  for (const [i, x] of samples.entries()) expect(Math.abs(found[i]! - x * normalDistribution(x))).toBeLessThan(2e-6)
})

it('the hyperbolic tangent is that of Math, to 10⁻⁶, for any number', () => {
  const numbers = Float32Array.from([...samples, 1e30, -1e30, 100, -100, 0, 1e-20, -1e-20, 3])
  floats(X, numbers.length).set(numbers)
  kernel.tanhAll(X, numbers.length)
  const found = floats(X, numbers.length)
  for (const [i, x] of numbers.entries()) expect(Math.abs(found[i]! - Math.tanh(x))).toBeLessThan(1e-6)
})

it('attention is that of doubles, with any window and number of tokens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(1, 2),
      fc.constantFrom(8, 16),
      fc.constantFrom(1, 3, 8, 0x3fff_ffff),
      fc.integer(),
      (count, heads, headWidth, window, seed) => {
        const width = heads * headWidth
        const random = randomBytes(seed)
        const qkv = Float32Array.from({ length: count * 3 * width }, () => (random() - 128) / 64)
        // What an earlier text left behind it.
        floats(X, (count + 8) * 3 * width).fill(Number.NaN)
        floats(X, qkv.length).set(qkv)
        const limit = Math.floor(Math.sqrt((2 ** 31 - 1) / headWidth))
        kernel.attend(X, count, heads, headWidth, window, Math.min(32_767, limit), 1 / Math.sqrt(headWidth), A, OUT)
        const found = floats(OUT, count * width)
        const at = (t: number, part: number, j: number) => qkv[t * 3 * width + part * width + j]!
        for (let t = 0; t < count; t++)
          for (let h = 0; h < heads; h++) {
            const shares = Array.from({ length: count }, (_, s) => {
              let score = 0
              for (let j = h * headWidth; j < (h + 1) * headWidth; j++) score += at(t, 0, j) * at(s, 1, j)
              return Math.abs(t - s) > window ? 0 : Math.exp(score / Math.sqrt(headWidth))
            })
            const total = shares.reduce((sum, share) => sum + share, 0)
            for (let j = h * headWidth; j < (h + 1) * headWidth; j++) {
              const expected = shares.reduce((sum, share, s) => sum + (share / total) * at(s, 2, j), 0)
              expect(Math.abs(found[t * width + j]! - expected)).toBeLessThan(5e-4)
            }
          }
      },
    ),
  )
})

function randomBytes(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  }
}
