import { describe, expect, it } from 'vitest'
import { KnownCounts } from '../../../cluster/search/known-counts.ts'

describe('what is known of counts', () => {
  it('is the count as of an instant, and before it that there is none, until history is rewritten', () => {
    const counts = new KnownCounts()
    counts.learn('term river', 3, { rewrites: 1, instant: 100, captures: 10 })
    expect(counts.count('term river', { rewrites: 1, instant: 100 })).toBe(3)
    expect(counts.count('term river', { rewrites: 1, instant: 101 })).toBeUndefined()
    expect(counts.isPresent('term river', { rewrites: 1, instant: 101 })).toBe(true)
    expect(counts.isPresent('term river', { rewrites: 1, instant: 99 })).toBeUndefined()
    counts.learn('term river', 0, { rewrites: 1, instant: 50, captures: 5 })
    expect(counts.count('term river', { rewrites: 1, instant: 40 })).toBe(0)
    expect(counts.isPresent('term river', { rewrites: 1, instant: 50 })).toBe(false)
    expect(counts.count('term river', { rewrites: 2, instant: 100 })).toBeUndefined()
    counts.learn('term stone', 1, { rewrites: 2, instant: 100, captures: 10 })
    // A search that began before has learned it of an earlier state.
    counts.learn('term river', 3, { rewrites: 1, instant: 100, captures: 10 })
    expect(counts.count('term river', { rewrites: 2, instant: 100 })).toBeUndefined()
    expect(counts.isPresent('term river', { rewrites: 2, instant: 100 })).toBeUndefined()
  })

  it('is an estimate by the share of another instant, of at least one capture', () => {
    const counts = new KnownCounts()
    expect(counts.estimate('term river', 1000)).toBe(0)
    counts.learn('term river', 5, { rewrites: 1, instant: 100, captures: 100 })
    expect(counts.estimate('term river', 1000)).toBe(50)
    expect(counts.estimate('term river', 2)).toBe(1)
  })
})
