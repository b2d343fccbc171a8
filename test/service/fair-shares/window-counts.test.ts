import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WindowCounts } from '../../../service/index.ts'

describe('counts in windows', () => {
  it('exceed the limit after its number of points, and start again when the window ends', () => {
    let time = 0
    const counts = new WindowCounts({ points: 2, durationMs: 1_000, now: () => time })
    expect([1, 2, 3].map(() => counts.count('a').exceeded)).toEqual([false, false, true])
    time = 999
    expect(counts.count('a')).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, exceeded: true })
    expect(counts.count('b').exceeded).toBe(false)
    time = 1_000
    expect(counts.count('a')).toEqual({ limit: 2, remaining: 1, resetSeconds: 1, exceeded: false })
  })

  it('hold a limited number of keys, and delete the least recently counted one', () => {
    const counts = new WindowCounts({ points: 1, durationMs: 1_000, maxKeys: 100, now: () => 0 })
    counts.count('kept')
    for (let i = 0; i < 10_000; i += 1) {
      counts.count(`stranger ${i}`)
      expect(counts.count('kept').exceeded).toBe(true)
    }
    expect(counts.size).toBe(100)
  })

  it('keep no window open longer than its length if the clock is set back', () => {
    let time = 1_000_000
    const counts = new WindowCounts({ points: 1, durationMs: 1_000, now: () => time })
    counts.count('a')
    time = 0
    expect(counts.count('a')).toEqual({ limit: 1, remaining: 0, resetSeconds: 1, exceeded: false })
  })

  it('never allow a key more than its points in a window', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(400), fc.integer({ min: 1, max: 3 })))
    fc.assert(
      fc.property(steps, taken => {
        let time = 0
        const counts = new WindowCounts({ points: 5, durationMs: 1_000, now: () => time })
        const windows = new Map<string, { since: number; points: number }>()
        for (const [key, wait, points] of taken) {
          time += wait
          const { exceeded } = counts.count(key, points)
          const open = windows.get(key)
          const window = open && time - open.since < 1_000 ? open : { since: time, points: 0 }
          window.points += points
          windows.set(key, window)
          expect(exceeded).toBe(window.points > 5)
        }
      }),
    )
  })
})
