import { describe, expect, it } from 'vitest'
import { timeEvidence } from '../../../../core/search/rerank/time-evidence.ts'

const day = (number: number): number => Date.UTC(2024, 0, number)

describe('the time signal', () => {
  it('raises pages that were published close to the requested day, before or after it', () => {
    const [same, before, after, far, unknown] = timeEvidence(
      [day(40), day(10), day(70), day(1000), Number.NaN],
      day(40),
      30,
    )
    expect(same).toBe(1)
    expect(before).toBeCloseTo(Math.exp(-1), 12)
    expect(after).toBe(before)
    expect(far).toBeLessThan(1e-9)
    expect(unknown).toBe(0)
  })

  it('is relative to the newest page if the query asks for recent pages', () => {
    const [newest, older] = timeEvidence([day(31), day(1), Number.NaN], 'newest', 30)
    expect(newest).toBe(1)
    expect(older).toBeCloseTo(Math.exp(-1), 12)
    expect([...timeEvidence([Number.NaN], 'newest', 30)]).toEqual([0])
  })
})
