import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inverseLength } from '../../../core/vectors/quantized.ts'
import { tableMemory, VectorTable } from '../../../core/vectors/vector-table.ts'

const DIMENSIONS = 4
const direction = (...numbers: number[]) => {
  const vector = Int8Array.from(numbers)
  return { vector, inverse: inverseLength(vector) }
}
const QUERY = direction(1, 0, 0, 0)

/** So many numbers that captures collide in the places of the table. */
const captureIds = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
const steps = fc.array(
  fc.record({ captureId: captureIds, first: fc.integer({ min: 1, max: 127 }), isOut: fc.boolean() }),
  { maxLength: 200 },
)

describe('the vector table', () => {
  it('tells of every vector that was entered and not taken out, whatever order that was in', () => {
    const memory = tableMemory(1000 * DIMENSIONS)
    fc.assert(
      fc.property(steps, all => {
        const table = new VectorTable(memory)
        table.clear()
        const known = new Map<number, number>()
        for (const { captureId, first, isOut } of all) {
          if (isOut) {
            table.delete(captureId)
            known.delete(captureId)
          } else {
            table.set(captureId, Int8Array.of(first, 100, 0, 0))
            known.set(captureId, first)
          }
        }
        for (const { captureId } of all) {
          const first = known.get(captureId)
          const expected = first === undefined ? undefined : first / Math.hypot(first, 100)
          if (expected === undefined) expect(table.compared(QUERY, captureId)?.cosine).toBeUndefined()
          else expect(table.compared(QUERY, captureId)?.cosine).toBeCloseTo(expected, 12)
        }
        // A thread that shares the memory sees the same.
        for (const captureId of known.keys())
          expect(new VectorTable(memory).compared(QUERY, captureId)?.cosine).toBe(
            table.compared(QUERY, captureId)?.cosine,
          )
      }),
      { numRuns: 30 },
    )
  })

  it('leaves out what it has no room for, and takes it once there is', () => {
    const table = new VectorTable(tableMemory(2 * DIMENSIONS))
    for (const captureId of [1, 2, 3]) table.set(captureId, Int8Array.of(captureId, 1, 0, 0))
    expect(table.isFull(DIMENSIONS)).toBe(true)
    expect(table.compared(QUERY, 3)?.cosine).toBeUndefined()
    table.delete(1)
    table.set(3, Int8Array.of(3, 1, 0, 0))
    expect(table.compared(QUERY, 1)?.cosine).toBeUndefined()
    expect(table.compared(QUERY, 2)?.cosine).toBeCloseTo(2 / Math.hypot(2, 1), 12)
    expect(table.compared(QUERY, 3)?.cosine).toBeCloseTo(3 / Math.hypot(3, 1), 12)
  })

  it('compares nothing of other dimensions', () => {
    const table = new VectorTable(tableMemory(100))
    table.set(1, Int8Array.of(1, 0, 0, 0))
    expect(table.compared(direction(1, 0), 1)?.cosine).toBeUndefined()
  })
})
