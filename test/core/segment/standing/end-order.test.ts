import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EndOrder } from '../../../../core/segment/standing/end-order.ts'

const NONE = Number.POSITIVE_INFINITY
/** The two values of tombstones. */
const tombstones = [Number.NEGATIVE_INFINITY, -Number.MAX_VALUE]

/** Few instants, so that some are equal; and instants far apart, so that the sort needs all its digits. */
const anyEnd = fc.oneof(
  fc.integer({ min: 1_000, max: 1_020 }),
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.constantFrom(NONE, ...tombstones),
)
const anyCaptures = fc.array(fc.record({ end: anyEnd, length: fc.nat(1 << 20) }), { maxLength: 80 })

describe('EndOrder', () => {
  it('has the captures that had ended, by the instant of their end and then by ordinal', () => {
    fc.assert(
      fc.property(anyCaptures, captures => {
        const ends = captures.map(({ end }) => end)
        const ended = [...ends.keys()].filter(i => ends[i] !== NONE && !tombstones.includes(ends[i]!))
        ended.sort((a, b) => ends[a]! - ends[b]! || a - b)
        const order = orderOf(captures)
        expect([...(order?.ordinals ?? [])]).toEqual(ended)
        expect([...(order?.at ?? [])]).toEqual(ended.map(i => ends[i]))
        expect(order?.size).toBe(ended.length || undefined)
        expect(order?.last).toBe(ends[ended.at(-1) ?? NONE])
      }),
      { numRuns: 300 },
    )
  })

  it('counts the ends up to an instant, and sums the lengths of their captures', () => {
    fc.assert(
      fc.property(anyCaptures, captures => {
        const order = orderOf(captures)
        if (!order) return
        for (const near of new Set(order.at))
          for (const instant of [near - 1, near, near + 1]) {
            const ended = captures.filter(({ end }) => end <= instant && !tombstones.includes(end))
            const count = order.upTo(instant)
            expect(count).toBe(ended.length)
            expect(order.lengthUpTo(count, lengthsOf(captures))).toBe(
              ended.reduce((sum, { length }) => sum + length, 0),
            )
          }
      }),
      { numRuns: 300 },
    )
  })

  it('counts no end before the first and all after the last', () => {
    const order = EndOrder.of(Float64Array.of(5, NONE, 3), Uint32Array.of(10, 20, 30))
    expect(order?.upTo(Number.NEGATIVE_INFINITY)).toBe(0)
    expect(order?.upTo(NONE)).toBe(2)
    expect(order?.lengthUpTo(0, Uint32Array.of(10, 20, 30))).toBe(0)
  })

  it('is undefined if every capture is current or deleted', () => {
    expect(EndOrder.of(Float64Array.of(NONE, ...tombstones), Uint32Array.of(1, 2, 3))).toBeUndefined()
    expect(EndOrder.of(new Float64Array(0), new Uint32Array(0))).toBeUndefined()
  })
})

interface Capture {
  end: number
  length: number
}

function orderOf(captures: readonly Capture[]): EndOrder | undefined {
  return EndOrder.of(
    Float64Array.from(captures, ({ end }) => end),
    lengthsOf(captures),
  )
}

function lengthsOf(captures: readonly Capture[]): Uint32Array {
  return Uint32Array.from(captures, ({ length }) => length)
}
