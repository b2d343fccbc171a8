import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Arena } from '../../../core/segment/arena.ts'

const BYTES = 512 * 1024

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ allocate: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.nat(200_000)) }) },
    { weight: 3, arbitrary: fc.record({ release: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant({ reclaim: true }) },
  ),
  { maxLength: 200 },
)

describe('an arena', () => {
  it('never hands out memory that is in use or not yet reclaimed, and has all of it again at the end', () => {
    fc.assert(
      fc.property(steps, steps => {
        const arena = Arena.open(BYTES)!
        const room = arena.bytes
        const live: { at: number; bytes: number }[] = []
        let released: { at: number; bytes: number }[] = []
        for (const step of steps) {
          if ('allocate' in step) {
            const place = arena.allocate(step.allocate)
            if (!place) continue
            const end = place.at + step.allocate
            expect(place.at % 16).toBe(0)
            expect(end).toBeLessThanOrEqual(arena.octets.length)
            for (const { at, bytes } of [...live, ...released]) expect(end <= at || place.at >= at + bytes).toBe(true)
            live.push({ at: place.at, bytes: step.allocate })
          } else if ('release' in step) {
            const [gone] = live.splice(step.release % (live.length || 1), 1)
            if (!gone) continue
            arena.release(gone.at, gone.bytes)
            released.push(gone)
          } else {
            arena.reclaim()
            released = []
          }
        }
        for (const { at, bytes } of live) arena.release(at, bytes)
        arena.reclaim()
        expect(arena.allocate(room)).toBeDefined()
      }),
    )
  })

  it('has another place for each empty allocation', () => {
    const arena = Arena.open(BYTES)!
    expect(arena.allocate(0)?.at).not.toBe(arena.allocate(0)?.at)
  })

  it('has no room for more than it was opened with', () => {
    const arena = Arena.open(BYTES)!
    expect(arena.allocate(arena.bytes + 1)).toBeUndefined()
    expect(arena.allocate(arena.bytes)).toBeDefined()
    expect(arena.allocate(1)).toBeUndefined()
    expect(arena.allocate(0)).toBeUndefined()
  })
})
