import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadline } from '../../../crawler/fetch/deadline.ts'

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('aborts its signal when it has run for its time, not counting the time while it was stopped', () => {
    const deadline = new Deadline(100)
    vi.advanceTimersByTime(60)
    deadline.stop()
    vi.advanceTimersByTime(1000)
    deadline.start()
    vi.advanceTimersByTime(39)
    expect(deadline.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('is neither prolonged by a second start nor shortened by a second stop', () => {
    const deadline = new Deadline(100)
    vi.advanceTimersByTime(60)
    deadline.start()
    deadline.stop()
    vi.advanceTimersByTime(60)
    deadline.stop()
    expect(vi.getTimerCount()).toBe(0)
    deadline.start()
    vi.advanceTimersByTime(39)
    expect(deadline.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(deadline.signal.aborted).toBe(true)
  })
})
