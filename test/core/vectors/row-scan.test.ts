import { describe, expect, it } from 'vitest'
import { inverseLength } from '../../../core/vectors/quantized.ts'
import { RowLayout } from '../../../core/vectors/row-layout.ts'
import { RowScan, rowMemory } from '../../../core/vectors/row-scan.ts'
import { Similarities } from '../../../core/vectors/similarities.ts'

const DIMENSIONS = 4096

describe('the scan of rows', () => {
  it('reaches rows behind the first 2 GiB, and leaves out those without a place', () => {
    const bytes = 3 * 1024 ** 3
    const count = bytes / DIMENSIONS
    const memory = rowMemory(bytes, count)
    const layout = new RowLayout(DIMENSIONS, count)
    const vector = new Int8Array(DIMENSIONS).fill(127)
    const inverse = inverseLength(vector)
    // Only the pages of these rows take memory.
    const places = new Int32Array(count)
    for (const [place, row, value] of [
      [1, count - 1, 127],
      [2, count - 7, -127],
      [0, count - 2, 127],
    ] as const) {
      for (const [part, width] of layout.widths.entries()) {
        const from = layout.offsets[part]! + row * width
        memory.rows.fill(value, from, from + width)
      }
      memory.inverses[row] = inverse
      places[row] = place
    }
    const scores = new Int32Array(3)
    const all = new Similarities()
    const rows = { places, from: 0, to: count, level: 0 }
    expect(RowScan.open(memory)?.run({ vector, inverse }, layout, rows, scores, all)).toBe(true)
    expect([...scores.subarray(1)]).toEqual([65_536, -65_536])
    expect(all.count).toBe(2)
  })
})
