import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RecentTime } from '../../../service/fair-shares/fair-queue.ts'

let now: number
beforeEach(() => {
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => vi.restoreAllMocks())

describe('the recent time of a client', () => {
  it('is the sum of its calls beyond half a second, and halves every minute', () => {
    const recent = new RecentTime()
    recent.add('a', 1_500)
    recent.add('a', 2_500)
    expect(recent.of('a')).toBe(3_000)
    now = 60_000
    expect(recent.of('a')).toBe(1_500)
  })

  it('does not grow with quick calls, however many', () => {
    const recent = new RecentTime()
    for (let i = 0; i < 1_000; i++) recent.add('a', 500)
    expect(recent.of('a')).toBe(0)
  })

  it('is counted for each client, 0 for an unknown one', () => {
    const recent = new RecentTime()
    recent.add('a', 1_500)
    expect(recent.of('b')).toBe(0)
  })
})
