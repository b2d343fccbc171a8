import { describe, expect, it } from 'vitest'
import { chooseMerge, type Mergeable, TIER_WIDTH } from '../../../core/merge/merge-policy.ts'

interface Run {
  /** The maximum number of segments at any time. */
  most: number
  /** Number of captures written by merges. */
  rewritten: number
  segments: Mergeable[]
}

/** Adds batches of the given sizes and merges by the policy. */
function simulate(sizes: Iterable<number>): Run {
  let segments: Mergeable[] = []
  let nextId = 1
  let most = 0
  let rewritten = 0
  for (const captures of sizes) {
    segments.push({ id: nextId++, captures, purged: 0, mustRewrite: false })
    for (let ids = chooseMerge(segments); ids.length > 0; ids = chooseMerge(segments)) {
      const chosen = segments.filter(({ id }) => ids.includes(id))
      const merged = chosen.reduce((total, segment) => total + segment.captures, 0)
      rewritten += merged
      segments = segments.filter(segment => !chosen.includes(segment))
      segments.push({ id: nextId++, captures: merged, purged: 0, mustRewrite: false })
    }
    most = Math.max(most, segments.length)
  }
  return { most, rewritten, segments }
}

/** The number of tiers that n captures can reach: the lowest one, and one per power of its width from 64 captures on. */
const tiersOf = (n: number) => 2 + Math.max(0, Math.ceil(Math.log(n / 64) / Math.log(TIER_WIDTH)))

describe('the merge policy', () => {
  const runs: [string, number[]][] = [
    ['one by one', Array.from({ length: 100_000 }, () => 1)],
    ['in batches of all sizes', Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 400) + 1)],
    ['in batches that grow smaller', Array.from({ length: 300 }, (_, i) => Math.max(1, 100_000 >> (i % 18)))],
  ]
  for (const [name, sizes] of runs) {
    it(`keeps the number of segments small and rewrites each capture a logarithmic number of times, with captures ${name}`, () => {
      const total = sizes.reduce((sum, size) => sum + size, 0)
      const { most, rewritten, segments } = simulate(sizes)
      expect(segments.reduce((sum, { captures }) => sum + captures, 0)).toBe(total)
      expect(most).toBeLessThanOrEqual((TIER_WIDTH - 1) * tiersOf(total))
      // The lowest tier takes several rounds of merging up to 64 captures; each tier above rewrites a capture once.
      expect(rewritten).toBeLessThanOrEqual(total * (tiersOf(total) + 10))
    })
  }

  it('merges nothing while no tier is full', () => {
    const seven = Array.from({ length: TIER_WIDTH - 1 }, (_, i) => ({
      id: i,
      captures: 10,
      purged: 0,
      mustRewrite: false,
    }))
    expect(chooseMerge(seven)).toEqual([])
    expect(chooseMerge([...seven, { id: 9, captures: 10_000, purged: 0, mustRewrite: false }])).toEqual([])
    expect(chooseMerge([])).toEqual([])
  })

  it('merges a complete tier as soon as it is full, the lowest one first', () => {
    const tier = (from: number, captures: number) =>
      Array.from({ length: TIER_WIDTH }, (_, i) => ({ id: from + i, captures, purged: 0, mustRewrite: false }))
    expect(chooseMerge([...tier(100, 5000), ...tier(0, 3)])).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  const segment = (id: number, captures: number) => ({ id, captures, purged: 0, mustRewrite: false })

  it('includes the higher tiers that the merged segment would fill', () => {
    const low = Array.from({ length: TIER_WIDTH }, (_, i) => segment(i, 63))
    const high = Array.from({ length: TIER_WIDTH - 1 }, (_, i) => segment(100 + i, 500))
    expect(chooseMerge([...low, ...high])).toHaveLength(2 * TIER_WIDTH - 1)
    expect(chooseMerge([...low, ...high.slice(1)])).toHaveLength(TIER_WIDTH)
  })

  it('leaves one segment per tier when the index is idle, and writes each of them once', () => {
    const segments = [
      segment(1, 5),
      segment(2, 5),
      segment(3, 100),
      segment(4, 5000),
      segment(5, 5100),
      segment(6, 90_000),
    ]
    expect(chooseMerge(segments)).toEqual([])
    expect(chooseMerge(segments, true)).toEqual([1, 2])
    expect(chooseMerge([segment(7, 10), ...segments.slice(2)], true)).toEqual([4, 5])
    expect(chooseMerge([segment(7, 10), segment(3, 100), segment(8, 10_100), segment(6, 90_000)], true)).toEqual([])
    expect(chooseMerge([segment(1, 40), segment(2, 40), segment(3, 100), segment(4, 450)], true)).toEqual([1, 2, 3, 4])
  })

  it('rewrites a single segment only on request, not for a few purged captures', () => {
    const segments = [
      { id: 1, captures: 10, purged: 3, mustRewrite: false },
      { id: 2, captures: 9999, purged: 1, mustRewrite: true },
    ]
    expect(chooseMerge(segments)).toEqual([2])
    expect(chooseMerge(segments.slice(0, 1))).toEqual([])
  })
})
