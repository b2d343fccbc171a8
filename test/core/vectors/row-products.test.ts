import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DIMENSIONS, product } from '../../../core/vectors/quantized.ts'
import { RowProducts, rowMemory } from '../../../core/vectors/row-products.ts'

const NUMBERS = 1 << 20
const memory = rowMemory(NUMBERS)
const kernel = RowProducts.open(memory)!

/** Fills the rows and a vector with bytes, or with the largest. */
function filled(dimensions: number, seed: number): Int8Array {
  let state = seed >>> 0
  const byte = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return seed === 0 ? -127 : ((state >>> 24) % 255) - 127
  }
  for (let i = 0; i < NUMBERS; i++) memory.rows[i] = byte()
  return Int8Array.from({ length: dimensions }, byte)
}

describe('the products of a vector and all rows', () => {
  it.each([1, 3, 7, 8, 9, 96, 384, 385, 768, MAX_DIMENSIONS])(
    'are those of JavaScript, with %d dimensions',
    dimensions => {
      fc.assert(
        fc.property(fc.nat({ max: Math.floor(NUMBERS / dimensions) }), fc.nat(), (count, seed) => {
          const vector = filled(dimensions, seed)
          const products = kernel.of(vector, count)!
          const expected = Int32Array.from({ length: count }, (_, i) => product(vector, memory.rows, i * dimensions))
          expect(Buffer.from(products.buffer).equals(Buffer.from(expected.buffer))).toBe(true)
        }),
        { numRuns: 6, examples: [[Math.floor(NUMBERS / dimensions), 0]] },
      )
    },
  )

  it('are undefined while each scratch space has a thread, and never leave one taken', () => {
    const vector = filled(8, 1)
    memory.scratches.fill(1)
    expect(kernel.of(vector, 10)).toBeUndefined()
    memory.scratches.fill(0)
    expect(kernel.of(vector, 10)).toHaveLength(10)
    expect(memory.scratches.every(taken => taken === 0)).toBe(true)
  })

  it('are not changed by those of another thread at the same time', () => {
    const vector = filled(8, 2)
    const alone = kernel.of(vector, 100)
    memory.scratches[0] = 1
    expect(RowProducts.open(memory)!.of(vector, 100)).toEqual(alone)
    memory.scratches[0] = 0
  })
})
