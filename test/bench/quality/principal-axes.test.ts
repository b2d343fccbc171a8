import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../bench/apparatus/random.ts'
import { principalAxes } from '../../../bench/quality/principal-axes.ts'

/** Returns the inner product of two vectors. */
const product = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, j) => sum + value * b[j]!, 0)

describe('principalAxes', () => {
  it('finds the axes of an ellipse, the longest first', () => {
    const long = Float64Array.of(0.6, 0.8)
    const short = Float64Array.of(0.8, -0.6)
    const rows = [long.map(value => 3 * value), short, short.map(value => -value), long.map(value => -3 * value)]
    const axes = principalAxes(rows, 2)
    for (const [i, axis] of [long, short].entries())
      for (const [j, value] of axis.entries()) expect(axes[i]![j]).toBeCloseTo(value, 12)
  })

  it('returns orthogonal axes of length 1, on which no two coordinates of the rows are correlated', () => {
    const random = seededRandom(7)
    const rows = Array.from({ length: 60 }, () =>
      Float64Array.from({ length: 12 }, (_, j) => (random.next() - 0.4) * (j + 1)),
    )
    const axes = principalAxes(rows, 12)
    const onAxes = rows.map(row => axes.map(axis => product(axis, row)))
    const lengths = axes.map((_, i) => onAxes.reduce((sum, row) => sum + row[i]! * row[i]!, 0))
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a))
    for (const [i, first] of axes.entries())
      for (const [j, second] of axes.entries()) {
        expect(product(first, second)).toBeCloseTo(i === j ? 1 : 0, 10)
        const correlation = onAxes.reduce((sum, row) => sum + row[i]! * row[j]!, 0)
        if (i !== j) expect(correlation / lengths[0]!).toBeCloseTo(0, 10)
      }
  })

  it('returns as many as asked, and each with its largest component positive', () => {
    const axes = principalAxes([Float64Array.of(-5, 1, 0), Float64Array.of(0, 0, -2)], 2)
    expect(axes).toHaveLength(2)
    for (const axis of axes) expect(Math.max(...axis)).toBe(Math.max(...axis.map(Math.abs)))
  })
})
