import { describe, expect, it } from 'vitest'
import { estimateCalls } from '../../../store/advisor/call-estimate.ts'

const estimates: readonly [goal: string, calls: bigint | undefined][] = [
  ['500 searches a day for 2 weeks', 7_000n],
  ['Every day, search 500 topics for two weeks', 7_000n],
  ['500/day for 2 weeks', 7_000n],
  ['search for AI news every hour for a week', 168n],
  ['search every 5 minutes for 2 days', 576n],
  ['search news twice a day', 60n],
  ['track 20 companies 3 times a day for 10 days', 600n],
  ['track 20 companies daily for a month', 600n],
  ['read 50 news articles every hour for 3 days', 3_600n],
  ['500 web searches a day and 200 page fetches per day for 2 weeks', 9_800n],
  ['2.5k queries over the next 2 weeks', 2_500n],
  ['1,500 searches', 1_500n],
  ['a thousand searches', 1_000n],
  ['two hundred pages', 200n],
  ['100 searches on the last 2 weeks', 100n],
  ['100 searches from the last 2 weeks every day for 3 days', 300n],
  ['fetch https://a.example/9/pages and https://b.example/', 2n],
  ['10 results per page', undefined],
  ['search flats for $500 per month', undefined],
  ['0 searches', undefined],
  ['search for news of 2026', undefined],
  ['search', undefined],
]

describe('the estimate of calls', () => {
  for (const [goal, calls] of estimates) {
    it(`is ${calls ?? 'not possible'} for: ${goal}`, () => expect(estimateCalls({ goal })?.calls).toBe(calls))
  }

  it('is the quantity if there is one', () => {
    expect(estimateCalls({ goal: '500 searches a day for 2 weeks', quantity: 3 })).toMatchObject({
      calls: 3n,
      seconds: 1_209_600n,
    })
  })

  it.each([
    ['20 searches a second for a minute', 20],
    ['20 searches a second for a minute and 30 fetches a second', 50],
    ['600 searches a minute', 10],
    ['search 3 times a second', 3],
    ['5,000 searches in 100 seconds', 50],
    ['500 searches a day', 500 / 86_400],
    ['500 searches', undefined],
  ])('has the pace of: %s', (goal, perSecond) => {
    expect(estimateCalls({ goal })?.perSecond).toBe(perSecond)
    if (perSecond === 10) expect(estimateCalls({ goal, quantity: 5 })?.perSecond).toBe(10)
  })

  it('says that it assumes 30 days if the goal states no end', () => {
    expect(estimateCalls({ goal: '500 searches a day' })).toMatchObject({
      calls: 15_000n,
      basis: expect.stringContaining('30 days are assumed'),
    })
  })

  it('is exact for huge numbers', () => {
    expect(estimateCalls({ goal: `${'9'.repeat(400)} searches every second for 1000000 years` })?.calls).toBe(
      1_000_000_000n * 31_536_000n * 1_000_000n,
    )
  })
})
