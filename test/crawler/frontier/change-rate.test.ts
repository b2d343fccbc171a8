import { describe, expect, it } from 'vitest'
import { addVisit, type ChangeCounts, changeProbability, changeRate } from '../../../crawler/frontier/change-rate.ts'

const dayMs = 86_400_000
const rateAfter = (answers: boolean[], apartMs = dayMs) =>
  changeRate(answers.reduce<ChangeCounts>((counts, changed) => addVisit(counts, changed, apartMs), {})) * dayMs

describe('changeRate', () => {
  it('is the estimator of Cho and Garcia-Molina', () => {
    // n = 10 visits a day apart, x = 4 changes: −ln(6.5 / 10.5)
    expect(rateAfter([...'1101000100'].map(answer => answer === '1'))).toBeCloseTo(-Math.log(6.5 / 10.5), 10)
  })
  it('is finite for a page that had changed at every visit, and higher with more visits', () => {
    const [twice, often] = [rateAfter([true, true]), rateAfter(Array.from({ length: 20 }, () => true))]
    expect(Number.isFinite(often)).toBe(true)
    expect(often).toBeGreaterThan(twice!)
  })
  it('falls with each visit that finds no change, but never to 0', () => {
    const rates = [10, 100, 1000].map(length => rateAfter(Array.from({ length }, () => false)))
    expect(rates[0]).toBeGreaterThan(rates[1]!)
    expect(rates[1]).toBeGreaterThan(rates[2]!)
    expect(rates[2]).toBeGreaterThan(0)
  })
  it('estimates the rate of a simulated page within a tenth, although several changes fall between two visits', () => {
    // A fixed pseudorandom sequence. A Poisson process of 0.7 a day changes between daily visits if −ln(u) < 0.7.
    let state = 42
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return (state + 0.5) / 2_147_483_648
    }
    const answers = Array.from({ length: 4000 }, () => -Math.log(random()) < 0.7)
    const rate = rateAfter(answers)
    expect(Math.abs(rate - 0.7)).toBeLessThan(0.07)
    // Changes divided by visits would underestimate the rate.
    expect(answers.filter(Boolean).length / 4000).toBeLessThan(0.55)
  })
  it('determines the probability that a page has changed by now', () => {
    const page = { state: 'done', depth: 1, priority: 5, run: 1, attempts: 0 } as const
    expect(changeProbability(page, 5)).toBe(1)
    const visited = { ...page, lastFetchedAt: 0 }
    expect(changeProbability(visited, 0)).toBe(0)
    expect(changeProbability(visited, 30 * dayMs)).toBeCloseTo(1 - Math.exp(-1))
  })
})
