import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inverseLength, product, quantize } from '../../../core/vectors/quantized.ts'

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) => Array.from(x).reduce((sum, v, i) => sum + v * y[i]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
const vector = (length: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length })

describe('a quantized vector', () => {
  it('has nearly the same direction as the original, whatever its length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 67 }).chain(n => fc.tuple(vector(n), vector(n))),
        ([a, b]) => {
          fc.pre(Math.hypot(...a) > 0.5 && Math.hypot(...b) > 0.5)
          const [p, q] = [quantize(Float32Array.from(a, v => v * 1000)), quantize(b)]
          const found = product(p, q, 0) * inverseLength(p) * inverseLength(q)
          expect(Math.abs(found - cosine(a, b))).toBeLessThan(0.03)
        },
      ),
    )
  })

  it('has an exact inner product with a row at any offset', () => {
    fc.assert(
      fc.property(fc.int8Array({ minLength: 1, maxLength: 40 }), fc.nat(9), (row, from) => {
        const rows = new Int8Array(from + row.length + 3).fill(99)
        rows.set(row, from)
        expect(product(row, rows, from)).toBe(row.reduce((sum, value) => sum + value * value, 0))
      }),
    )
  })

  it.each([
    ['is zero', [0, 0]],
    ['is zero', []],
    ['not a finite number', [1, Number.NaN]],
    ['not a finite number', [Number.POSITIVE_INFINITY, 1]],
    ['over 8192 dimensions', new Array(8193).fill(1)],
  ])('rejects a vector whose error says: %s', (message, numbers) => {
    expect(() => quantize(numbers as number[])).toThrow(message as string)
  })
})
