import { describe, expect, it } from 'vitest'
import { Politeness, type PolitenessOptions } from '../../../crawler/politeness/politeness.ts'
import { Semaphore } from '../../../crawler/politeness/semaphore.ts'
import type { Timers } from '../../../crawler/timers.ts'
import { ManualTimers } from '../manual-timers.ts'

const polite = (timers: ManualTimers, options: PolitenessOptions, concurrency = 100) =>
  new Politeness(timers, new Semaphore(concurrency), options, () => 0.5)

describe('politeness', () => {
  it('allows one request at a time to a host, with the pause after its end', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 1000 })
    const started: number[] = []
    const one = async (tookMs: number) => {
      const turn = await politeness.turn('a')
      started.push(timers.now())
      await timers.wait(tookMs)
      turn?.release()
    }
    const all = Promise.all([one(300), one(0), one(0)])
    await timers.runUntil(all)
    expect(started).toEqual([0, 1300, 2300])
  })
  it('never waits a negative time, even if the clock moves between two readings', async () => {
    let nowAt = 0
    const waits: number[] = []
    const clock: Timers = {
      now: () => nowAt++,
      wait: async waitMs => {
        waits.push(waitMs)
        nowAt += waitMs
      },
    }
    const politeness = new Politeness(clock, new Semaphore(1), { delayMs: 5 }, () => 0.5)
    for (let i = 0; i < 20; i++) {
      politeness.backOff('a', i % 4)
      ;(await politeness.turn('a'))?.release()
    }
    expect(waits.length).toBeGreaterThan(0)
    expect(Math.min(...waits)).toBeGreaterThan(0)
  })
  it('does not make one host wait for another', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 1000 })
    const turns = await Promise.all([politeness.turn('a'), politeness.turn('b'), politeness.turn('a:8080')])
    expect(turns.every(turn => turn !== undefined)).toBe(true)
    expect(timers.now()).toBe(0)
  })
  it('obeys a longer crawl delay up to its limit, and never shortens its own pause', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 1000, maxCrawlDelayMs: 10_000 })
    const pauseOf = async (seconds: number) => {
      politeness.setCrawlDelay('a', seconds)
      const turn = await timers.runUntil(politeness.turn('a'))
      const at = timers.now()
      turn?.release()
      ;(await timers.runUntil(politeness.turn('a')))?.release()
      return timers.now() - at
    }
    expect([await pauseOf(5), await pauseOf(0.1), await pauseOf(86_400)]).toEqual([5000, 1000, 10_000])
  })
  it('lets callers that already wait for a host wait for the end of its back-off', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 100 })
    ;(await politeness.turn('a'))?.release()
    const waiting = politeness.turn('a')
    politeness.backOff('a', 60_000)
    await timers.runUntil(waiting)
    expect(timers.now()).toBe(60_000)
  })
  it('gives no turn after an abort, and gives the turn to the next in line', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 1000 })
    ;(await politeness.turn('a'))?.release()
    const stop = new AbortController()
    const stopped = politeness.turn('a', stop.signal)
    const next = politeness.turn('a')
    stop.abort()
    expect(await timers.runUntil(stopped)).toBeUndefined()
    expect(await timers.runUntil(next)).toBeDefined()
  })
  it('pauses for a multiple of the response time of a slow host, up to 30 s', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 100, adaptiveFactor: 2 })
    const pauseAfter = async (tookMs: number) => {
      const turn = await timers.runUntil(politeness.turn('a'))
      await timers.runUntil(timers.wait(tookMs))
      turn?.release()
      const endedAt = timers.now()
      return politeness.readyAt('a') - endedAt
    }
    expect(await pauseAfter(10)).toBe(100)
    expect(await pauseAfter(1000)).toBeCloseTo(2 * (10 * 0.7 + 1000 * 0.3))
    expect(await pauseAfter(1_000_000)).toBe(30_000)
  })
  it('starts no more requests per second over all hosts than allowed', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 0, maxRequestsPerSecond: 4 })
    const started: number[] = []
    const one = async (host: string) => {
      const turn = await politeness.turn(host)
      started.push(timers.now())
      turn?.release()
    }
    await timers.runUntil(Promise.all(['a', 'b', 'c', 'd', 'e'].map(one)))
    expect(started).toEqual([0, 250, 500, 750, 1000])
  })
  it('limits the number of turns that have not been released', async () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { delayMs: 0 }, 1)
    const first = await politeness.turn('a')
    first?.end()
    let second = false
    const waiting = politeness.turn('b').then(turn => {
      second = true
      return turn
    })
    await timers.runUntil(Promise.resolve())
    expect(second).toBe(false)
    first?.release()
    await waiting
    expect(second).toBe(true)
  })
  it('backs off twice as long with each refusal in a row, or as long as the host asks, up to a limit', () => {
    const timers = new ManualTimers()
    const politeness = polite(timers, { backOffMs: 1000, maxBackOffMs: 60_000 })
    const restAfter = (askedMs?: number) => {
      politeness.noteRefusal('a', askedMs)
      return politeness.readyAt('a') - timers.now()
    }
    expect([restAfter(), restAfter(), restAfter(), restAfter(20_000)]).toEqual([1000, 2000, 4000, 20_000])
    expect(restAfter(1e9)).toBe(60_000)
    politeness.noteAnswer('b')
    politeness.noteRefusal('b')
    politeness.noteAnswer('b')
    politeness.noteRefusal('b')
    expect(politeness.readyAt('b')).toBe(1000)
  })
  it('jitters by at most a third', () => {
    const timers = new ManualTimers()
    const least = new Politeness(timers, new Semaphore(1), {}, () => 0)
    const most = new Politeness(timers, new Semaphore(1), {}, () => 0.999)
    expect(least.jitter(300)).toBeCloseTo(200)
    expect(most.jitter(300)).toBeCloseTo(400, 0)
  })
})
