import { describe, expect, it } from 'vitest'
import { BackOff } from '../../../core/threads/back-off.ts'
import { ManualTimers } from '../ingest/manual-timers.ts'

describe('backing off', () => {
  it('waits twice as long after every failure, up to ten minutes, and starts over after a success', () => {
    const timers = new ManualTimers()
    const backOff = new BackOff(timers.later)
    const waits: number[] = []
    let tries = 0
    const fail = (): boolean => {
      const isNews = backOff.failed(() => tries++)
      const { ms } = timers.waiting[0]!
      waits.push(ms)
      expect(backOff.isWaiting).toBe(true)
      timers.fire(ms)
      expect(backOff.isWaiting).toBe(false)
      return isNews
    }
    const news = Array.from({ length: 12 }, fail)
    expect(news).toEqual([true, ...Array.from({ length: 11 }, () => false)])
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600].map(seconds => seconds * 1000))
    expect(tries).toBe(12)
    backOff.succeeded()
    expect(fail()).toBe(true)
    expect(waits.at(-1)).toBe(1000)
  })
})
