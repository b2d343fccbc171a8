import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Comparison } from '../../../core/vectors/comparison.ts'
import { inverseLength, MAX_DIMENSIONS, product } from '../../../core/vectors/quantized.ts'
import { levelOf, SampleLevels } from '../../../core/vectors/sample.ts'
import { Similarities, scoreOf } from '../../../core/vectors/similarities.ts'
import { type TableMemory, tableMemory, VectorTable } from '../../../core/vectors/vector-table.ts'

const memory = tableMemory(1 << 20)

/** Vectors of one number of dimensions, none of which is zero. */
interface Vectors {
  query: Int8Array
  rows: Int8Array[]
}

/** Random vectors, equal ones, those of the largest and smallest components, and those with one component. */
const vectors: fc.Arbitrary<Vectors> = fc
  .tuple(fc.constantFrom(1, 3, 7, 8, 9, 96, 384, 385, 768), fc.integer(), fc.integer({ min: 1, max: 5000 }))
  .map(([dimensions, seed, count]) => {
    let state = seed >>> 0
    const next = (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 16
    }
    const one = (): Int8Array => {
      const kind = next() % 8
      const constant = kind === 0 ? 127 : -127
      const vector = Int8Array.from({ length: dimensions }, () =>
        kind < 2 ? constant : kind === 2 ? 0 : (next() % 255) - 127,
      )
      if (vector.every(value => value === 0)) vector[next() % dimensions] = next() % 2 === 0 ? 1 : -127
      return vector
    }
    const rows: Int8Array[] = []
    const most = Math.min(count, Math.floor((1 << 20) / dimensions))
    while (rows.length < most) rows.push(next() % 4 === 0 && rows.length > 0 ? rows[next() % rows.length]! : one())
    return { query: one(), rows }
  })

/** A memory whose rows no kernel reads. */
function withoutKernel(given: TableMemory): TableMemory {
  return { ...given, kernelMemory: undefined }
}

function directionOf(vector: Int8Array): { vector: Int8Array; inverse: number } {
  return { vector, inverse: inverseLength(vector) }
}

/** What the sums of similarities determine. */
function sumsOf(all: Similarities): number[] {
  return [all.count, all.least(0), all.least(1)]
}

/** Compares in turns of different lengths, and returns the result. */
function run(comparison: Comparison): { scores: Int32Array; all: Similarities } {
  for (let most = 1; !comparison.compare(most); most = 3 * most + 1);
  return { scores: comparison.scores, all: comparison.all }
}

/** Compares the rows for which `isIn` is true. The place of a row is its number plus 1. */
function compare(table: VectorTable, { query, rows }: Vectors, isIn: (row: number) => boolean) {
  const direction = directionOf(query)
  const comparison = new Comparison(rows.length, id => table.compared(direction, id), { table, direction })
  for (const row of rows.keys()) if (isIn(row)) comparison.add(row + 1, row + 1)
  return run(comparison)
}

function fill(table: VectorTable, rows: readonly Int8Array[]): void {
  table.clear()
  for (const [i, row] of rows.entries()) table.set(i + 1, row)
}

describe('the comparison of a query and many captures', () => {
  it('scores each capture as JavaScript does one by one, and adds up those that take part', () => {
    const table = new VectorTable(memory)
    const plain = new VectorTable(withoutKernel(memory))
    expect(table.kernel).toBeDefined()
    fc.assert(
      fc.property(vectors, fc.integer({ min: 1, max: 7 }), (all, every) => {
        fill(table, all.rows)
        const isIn = (row: number): boolean => (row * 2654435761) % 7 < every
        const inverse = inverseLength(all.query)
        const expected = new Similarities()
        const scores = all.rows.map((row, i) =>
          isIn(i) ? scoreOf(product(all.query, row, 0) * inverse * inverseLength(row)) : 0,
        )
        const compared = all.rows.flatMap((row, i) => (isIn(i) ? [{ level: levelOf(row), score: scores[i]! }] : []))
        const counted = new SampleLevels()
        for (const { level } of compared) counted.add(level)
        expected.addCount(compared.length)
        for (const { level, score } of compared) if (level >= counted.least) expected.add(score)
        for (const found of [compare(table, all, isIn), compare(plain, all, isIn)]) {
          expect(Buffer.from(found.scores.buffer, 4).equals(Buffer.from(Int32Array.from(scores).buffer))).toBe(true)
          expect(sumsOf(found.all)).toEqual(sumsOf(expected))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is exact for the longest vectors of the largest components', () => {
    const table = new VectorTable(memory)
    const rows = [127, -127, 1].map(value => new Int8Array(MAX_DIMENSIONS).fill(value))
    fill(table, rows)
    const { scores } = compare(table, { query: rows[1]!, rows }, () => true)
    expect([...scores.subarray(1)]).toEqual([-65_536, 65_536, -65_536])
  })

  it('does not depend on the order of captures, nor on rows that were deleted, reused or written meanwhile', () => {
    fc.assert(
      fc.property(vectors, fc.nat(), fc.nat(), (all, deleted, first) => {
        const { query, rows } = all
        const table = new VectorTable(memory)
        fill(table, rows)
        const gone = (deleted % rows.length) + 1
        table.delete(gone)
        // Captures 1, 2 … have the rows of the vectors, and the next takes the row of the one that was deleted.
        const direction = directionOf(query)
        table.set(rows.length + 1, query)
        const comparison = new Comparison(rows.length + 2, id => table.compared(direction, id), { table, direction })
        table.set(rows.length + 2, query)
        for (let i = 0; i < rows.length + 2; i++) {
          const id = ((i + first) % (rows.length + 2)) + 1
          comparison.add(id, id)
        }
        const { scores, all: similarities } = run(comparison)
        const isRoom = rows.length < table.capacity(query.length)
        expect(similarities.count).toBe(rows.length + (isRoom ? 1 : 0))
        for (let id = 1; id <= rows.length + 2; id++) {
          const found = table.compared(direction, id)
          // A score of −0 is 0.
          expect(scores[id]).toBe(found ? scoreOf(found.cosine) + 0 : 0)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('leaves out captures without a vector, and compares those of other dimensions with none', () => {
    const table = new VectorTable(memory)
    fill(table, [Int8Array.of(1, 2), Int8Array.of(3, 4)])
    const direction = directionOf(Int8Array.of(1, 0))
    const some = new Comparison(3, id => table.compared(direction, id), { table, direction })
    for (const id of [1, 2, 3]) some.add(id, id)
    expect(run(some).all.count).toBe(2)
    const other = directionOf(Int8Array.of(1, 0, 0))
    const none = new Comparison(3, id => table.compared(other, id), { table, direction: other })
    for (const id of [1, 2, 3]) none.add(id, id)
    expect(run(none).all.count).toBe(0)
  })

  it('is the same while each scratch space has a thread, and leaves none taken', () => {
    const table = new VectorTable(memory)
    const rows = Array.from({ length: 100 }, (_, i) => Int8Array.of(i, 100, -i))
    fill(table, rows)
    const all = { query: Int8Array.of(5, 90, -127), rows }
    const alone = compare(table, all, () => true)
    memory.scratches.fill(1)
    const scores = alone.scores.slice(1)
    const found = compare(table, all, () => true)
    expect([found.scores.slice(1), sumsOf(found.all)]).toEqual([scores, sumsOf(alone.all)])
    memory.scratches.fill(0)
    memory.scratches[0] = 1
    expect(compare(new VectorTable(memory), all, () => true).scores.slice(1)).toEqual(scores)
    memory.scratches[0] = 0
    expect(compare(table, all, () => true).scores.slice(1)).toEqual(scores)
    expect(memory.scratches.every(taken => taken === 0)).toBe(true)
  })
})
