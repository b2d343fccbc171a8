import { describe, expect, it } from 'vitest'
import { MergePace, MergeSignals } from '../../../core/threads/work-pace.ts'

/** Works through a number of slices and returns the share of the time that was work. */
function shareOf(
  slices: number,
  { signals, searchEveryMs }: { signals: MergeSignals; searchEveryMs?: number },
): number {
  let now = 1e6
  let searchedAt = now
  const pass = (ms: number): void => {
    now += ms
    while (searchEveryMs !== undefined && searchedAt + searchEveryMs <= now) {
      searchedAt += searchEveryMs
      signals.searched()
    }
  }
  const pace = new MergePace(signals.buffer, () => now)
  const from = now
  let worked = 0
  for (let slice = 0; slice < slices; ) {
    pass(1)
    worked++
    const pauseMs = pace.pauseMs()
    if (pauseMs === undefined) continue
    pass(pauseMs)
    pace.resume()
    slice++
  }
  return worked / (now - from)
}

describe('the pace of a merge', () => {
  it('is a quarter of a core while searches are answered', () => {
    for (const searchEveryMs of [1, 50, 900])
      expect(shareOf(500, { signals: new MergeSignals(), searchEveryMs })).toBeCloseTo(0.25, 1)
  })

  it('is a whole core without searches, and between searches that are seconds apart', () => {
    expect(shareOf(500, { signals: new MergeSignals() })).toBe(1)
    expect(shareOf(2000, { signals: new MergeSignals(), searchEveryMs: 10_000 })).toBeGreaterThan(0.7)
  })

  it('is a whole core while a commit waits for it', () => {
    const signals = new MergeSignals()
    signals.hurry = true
    expect(shareOf(500, { signals, searchEveryMs: 1 })).toBe(1)
    signals.hurry = false
    expect(shareOf(500, { signals, searchEveryMs: 1 })).toBeCloseTo(0.25, 1)
  })

  it('does not pause within a slice of work', () => {
    let now = 0
    const pace = new MergePace(new MergeSignals().buffer, () => now)
    now = 9
    expect(pace.pauseMs()).toBeUndefined()
    now = 10
    expect(pace.pauseMs()).toBe(0)
    pace.resume()
    expect(pace.pauseMs()).toBeUndefined()
  })
})
