import { describe, expect, it } from 'vitest'
import { randomBits } from '../../../service/evaluate/random-bits.ts'
import { randomizationTest } from '../../../service/evaluate/randomization-test.ts'

/** The share of all choices of signs whose sum is at least as far from 0. */
function exactP(differences: readonly number[]): number {
  const sums = differences.reduce((all, d) => all.flatMap(sum => [sum + d, sum - d]), [0])
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0)) - 1e-9
  return sums.filter(sum => Math.abs(sum) >= observed).length / sums.length
}

/** Random differences, some of which are 0 or equal. */
function drawn(count: number, seed: number): number[] {
  const random = randomBits(seed)
  return Array.from({ length: count }, () => (random() % 21) / 20 - 0.4)
}

describe('randomizationTest', () => {
  it('returns 1 for identical systems', () => {
    expect(randomizationTest([0, 0, 0])).toBe(1)
  })

  it.each([
    [[1]],
    [[0.1, 0.2]],
    [[0.1, 0.1, 0.1, 0.1]],
    [[0.1, 0.2, -0.3]],
    [[0.3, -0.1, 0.2, 0, 0, 0.05]],
    [drawn(8, 1)],
    [drawn(9, 2)],
    [drawn(12, 3)],
    [drawn(16, 4)],
  ])('returns the share of all exchanges that differ as much: %j', differences => {
    // Five standard deviations of a share of 100,000.
    expect(Math.abs(randomizationTest(differences) - exactP(differences))).toBeLessThan(0.008)
  })

  it('reports the smallest p if no exchange differs as much', () => {
    expect(randomizationTest(Array.from({ length: 40 }, () => 0.1))).toBe(1 / 100_001)
  })

  it('draws every sign independently, however many there are', () => {
    // The first and the 33rd difference outweigh the others, and agree in half of all exchanges.
    const differences = Array.from({ length: 64 }, (_, i) => (i % 32 === 0 ? 1 : -1e-6))
    expect(Math.abs(randomizationTest(differences) - 0.5)).toBeLessThan(0.008)
  })

  it('is two-sided', () => {
    const [up, down] = [drawn(30, 5), drawn(30, 5).map(difference => -difference)]
    expect(randomizationTest(up)).toBe(randomizationTest(down))
  })

  it('depends on its seed, and only on that', () => {
    const differences = drawn(30, 6)
    expect(randomizationTest(differences, { seed: 2 })).toBe(randomizationTest(differences, { seed: 2 }))
    expect(randomizationTest(differences, { seed: 2 })).not.toBe(randomizationTest(differences, { seed: 3 }))
  })
})
