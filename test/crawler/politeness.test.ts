import { describe, expect, it } from 'vitest'
import { Politeness } from '../../crawler/politeness.ts'
import { ManualTimers } from './manual-timers.ts'

describe('politeness', () => {
  it('lets one request at a time to a host, with the pause after its end', async () => {
    const timers = new ManualTimers()
    const politeness = new Politeness(timers, { delayMs: 1000 })
    const started: number[] = []
    const one = async (tookMs: number) => {
      const end = await politeness.turn('a')
      started.push(timers.now())
      await timers.wait(tookMs)
      end?.()
    }
    const all = Promise.all([one(300), one(0), one(0)])
    await timers.runUntil(all)
    expect(started).toEqual([0, 1300, 2300])
  })
  it('does not make one host wait for another', async () => {
    const timers = new ManualTimers()
    const politeness = new Politeness(timers, { delayMs: 1000 })
    const ends = await Promise.all([politeness.turn('a'), politeness.turn('b'), politeness.turn('a:8080')])
    expect(ends.every(end => end !== undefined)).toBe(true)
    expect(timers.now()).toBe(0)
  })
  it('honours a longer crawl-delay up to its bound, and never shortens its own pause', async () => {
    const timers = new ManualTimers()
    const politeness = new Politeness(timers, { delayMs: 1000, maxCrawlDelayMs: 10_000 })
    const pauseOf = async (seconds: number) => {
      politeness.setCrawlDelay('a', seconds)
      const end = await timers.runUntil(politeness.turn('a'))
      const at = timers.now()
      end?.()
      ;(await timers.runUntil(politeness.turn('a')))?.()
      return timers.now() - at
    }
    expect([await pauseOf(5), await pauseOf(0.1), await pauseOf(86_400)]).toEqual([5000, 1000, 10_000])
  })
  it('leaves a host alone while it is backed off, also for those already waiting', async () => {
    const timers = new ManualTimers()
    const politeness = new Politeness(timers, { delayMs: 100 })
    ;(await politeness.turn('a'))?.()
    const waiting = politeness.turn('a')
    politeness.backOff('a', 60_000)
    await timers.runUntil(waiting)
    expect(timers.now()).toBe(60_000)
  })
  it('gives no turn after an abort, and passes the turn on', async () => {
    const timers = new ManualTimers()
    const politeness = new Politeness(timers, { delayMs: 1000 })
    ;(await politeness.turn('a'))?.()
    const stop = new AbortController()
    const stopped = politeness.turn('a', stop.signal)
    const next = politeness.turn('a')
    stop.abort()
    expect(await timers.runUntil(stopped)).toBeUndefined()
    expect(await timers.runUntil(next)).toBeTypeOf('function')
  })
})
