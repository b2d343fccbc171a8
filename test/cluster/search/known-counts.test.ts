import { describe, expect, it } from 'vitest'
import { KnownCounts } from '../../../cluster/search/known-counts.ts'

describe('what is known of counts', () => {
  it('is the count as of each instant that was counted, until history is rewritten', () => {
    const counts = new KnownCounts()
    counts.learn('term river', 3, { rewrites: 1, instant: 100, captures: 10 })
    expect(counts.count('term river', { rewrites: 1, instant: 100 })).toBe(3)
    counts.learn('term river', 0, { rewrites: 1, instant: 200, captures: 10 })
    // Its captures were superseded, so the count says nothing about earlier and later instants.
    expect(counts.count('term river', { rewrites: 1, instant: 200 })).toBe(0)
    for (const instant of [99, 101, 199, 201])
      expect(counts.count('term river', { rewrites: 1, instant })).toBeUndefined()
    expect(counts.count('term river', { rewrites: 2, instant: 100 })).toBeUndefined()
    counts.learn('term stone', 1, { rewrites: 2, instant: 100, captures: 10 })
    // A search that began before has learned it of an earlier state.
    counts.learn('term river', 3, { rewrites: 1, instant: 100, captures: 10 })
    expect(counts.count('term river', { rewrites: 2, instant: 100 })).toBeUndefined()
  })

  it('is from when on a capture with a term was acquired, and until when none was, until history is rewritten', () => {
    const counts = new KnownCounts()
    const isAcquired = (instant: number, rewrites = 1) => counts.isAcquired('term river', { rewrites, instant })
    expect(isAcquired(100)).toBeUndefined()
    counts.learnAcquired('term river', true, { rewrites: 1, instant: 100 })
    counts.learnAcquired('term river', false, { rewrites: 1, instant: 50 })
    expect([40, 50, 51, 99, 100, 900].map(at => isAcquired(at))).toEqual([
      false,
      false,
      undefined,
      undefined,
      true,
      true,
    ])
    counts.learnAcquired('term river', true, { rewrites: 1, instant: 60 })
    counts.learnAcquired('term river', false, { rewrites: 1, instant: 10 })
    expect([50, 59, 60].map(at => isAcquired(at))).toEqual([false, undefined, true])
    // A count of the current captures changes nothing.
    counts.learn('term river', 0, { rewrites: 1, instant: 900, captures: 10 })
    expect(isAcquired(900)).toBe(true)
    expect(isAcquired(100, 2)).toBeUndefined()
    counts.learnAcquired('term stone', true, { rewrites: 2, instant: 100 })
    counts.learnAcquired('term river', true, { rewrites: 1, instant: 100 })
    expect(isAcquired(100, 2)).toBeUndefined()
  })

  it('is an estimate by the share of another instant, of at least one capture', () => {
    const counts = new KnownCounts()
    expect(counts.estimate('term river', 1000)).toBe(0)
    counts.learn('term river', 5, { rewrites: 1, instant: 100, captures: 100 })
    expect(counts.estimate('term river', 1000)).toBe(50)
    expect(counts.estimate('term river', 2)).toBe(1)
  })
})
