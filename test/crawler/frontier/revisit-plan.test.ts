import { describe, expect, it } from 'vitest'
import type { FrontierRecord } from '../../../crawler/frontier/frontier-record.ts'
import { isFresh, nextVisitAt, revisitPriority } from '../../../crawler/frontier/revisit-plan.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const page = (fields: Partial<FrontierRecord>): FrontierRecord => ({
  state: 'done',
  depth: 1,
  priority: 5,
  run: 1,
  attempts: 0,
  lastFetchedAt: 0,
  storedAs: 'https://a.org/',
  ...fields,
})

describe('the next visit of a watched page', () => {
  it('is when its probability of having changed is one half', () => {
    // Two changes in four daily visits: −ln(2.5/4.5) a day.
    const seen = page({ visits: 4, changes: 2, watchedMs: 4 * dayMs })
    expect(nextVisitAt(seen, 0)).toBeCloseTo((Math.LN2 / -Math.log(2.5 / 4.5)) * dayMs, 0)
  })
  it('keeps within its bounds', () => {
    const busy = page({ visits: 100, changes: 100, watchedMs: 100 * 60_000 })
    const still = page({ visits: 100, changes: 0, watchedMs: 1000 * dayMs })
    expect(nextVisitAt(busy, 0)).toBe(hourMs)
    expect(nextVisitAt(still, 0)).toBe(30 * dayMs)
    expect(nextVisitAt(still, 0, { maxIntervalMs: dayMs })).toBe(dayMs)
  })
  it('follows the schedule for a seed, and the longest interval for a skipped page', () => {
    expect(nextVisitAt(page({ depth: 0 }), 0, { seedIntervalMs: 5 })).toBe(5)
    expect(nextVisitAt(page({ state: 'skipped' }), 0)).toBe(30 * dayMs)
  })
  it('is not while its site calls it fresh, for up to a day', () => {
    const busy = { visits: 100, changes: 100, watchedMs: 100 * 60_000 }
    expect(nextVisitAt(page({ ...busy, freshUntilAt: 5 * hourMs }), 0)).toBe(5 * hourMs)
    expect(nextVisitAt(page({ ...busy, freshUntilAt: 500 * dayMs }), 0)).toBe(dayMs)
  })
  it('comes after a day if the page was gone, and later each time', () => {
    const after = (missing: number) => nextVisitAt(page({ state: 'failed', missing }), 0)
    expect([after(0), after(1), after(2), after(9)]).toEqual([dayMs, 2 * dayMs, 4 * dayMs, 30 * dayMs])
  })
})

it('calls a page fresh while its site says so, for a day at most', () => {
  expect(isFresh(page({ freshUntilAt: 100 }), 99)).toBe(true)
  expect(isFresh(page({ freshUntilAt: 100 }), 100)).toBe(false)
  expect(isFresh(page({ freshUntilAt: 100, storedAs: undefined }), 99)).toBe(false)
  expect(isFresh(page({ freshUntilAt: 100 * dayMs }), 2 * dayMs)).toBe(false)
  expect(isFresh(page({}), 0)).toBe(false)
})

it('visits the seeds first, then the pages that most likely have changed', () => {
  const now = 10 * dayMs
  const busy = page({ visits: 20, changes: 20, watchedMs: 20 * dayMs })
  const still = page({ visits: 100, changes: 0, watchedMs: 2000 * dayMs })
  const [seed, first, last] = [page({ depth: 0 }), busy, still].map(each => revisitPriority(each, now))
  expect(seed).toBe(0)
  expect(first).toBeLessThan(last!)
  for (const priority of [first, last]) {
    expect(priority).toBeGreaterThanOrEqual(0)
    expect(priority).toBeLessThanOrEqual(9)
  }
})
