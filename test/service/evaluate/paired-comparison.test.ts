import { expect, it } from 'vitest'
import { comparePaired } from '../../../service/evaluate/paired-comparison.ts'
import { randomBits } from '../../../service/evaluate/random-bits.ts'
import { randomizationTest } from '../../../service/evaluate/randomization-test.ts'

it('a comparison has both means, their difference, its p-value and the numbers of queries that changed', () => {
  const [first, second] = [
    [0.5, 0.5, 0.5, 0.5],
    [0.75, 1, 0.25, 0.5],
  ]
  expect(comparePaired(first, second)).toMatchObject({
    baseline: 0.5,
    mean: 0.625,
    difference: 0.125,
    p: randomizationTest([0.25, 0.5, -0.25, 0]),
    better: 2,
    worse: 1,
  })
})

it('equal rankings have an interval without width', () => {
  expect(comparePaired([0.1, 0.9], [0.1, 0.9])).toMatchObject({ difference: 0, low: 0, high: 0, p: 1 })
})

it('the interval holds the true difference in about 95 of 100 samples', () => {
  const random = randomBits(1)
  // Uniform in ±0.5 around 0.05.
  const value = () => random() / 2 ** 32 - 0.45
  let held = 0
  for (let sample = 0; sample < 100; sample++) {
    const differences = Array.from({ length: 50 }, value)
    const { low, high, difference } = comparePaired(
      Array.from({ length: 50 }, () => 0),
      differences,
    )
    expect(low).toBeLessThan(difference)
    expect(high).toBeGreaterThan(difference)
    if (low <= 0.05 && 0.05 <= high) held++
  }
  expect(held).toBeGreaterThanOrEqual(88)
  expect(held).toBeLessThan(100)
})
