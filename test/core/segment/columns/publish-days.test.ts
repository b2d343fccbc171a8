import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publishDay, publishDays, UNDATED } from '../../../../core/segment/columns/publish-days.ts'

const DAY_MS = 86_400_000
const anyTime = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: -200, max: 70_000 }).map(day => day * DAY_MS),
)

describe('publishDays', () => {
  it('keeps the order of instants', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        if (publishDay(a) < publishDay(b)) expect(a).toBeLessThan(b)
      }),
    )
  })

  it('distinguishes neighboring days from 1970 to 2149', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_533 }), day => {
        const [before, first] = publishDays(Float64Array.of(day * DAY_MS - 1, day * DAY_MS))
        expect(first! - before!).toBe(1)
      }),
    )
  })

  it('puts captures without a date before all others', () => {
    expect(publishDays(Float64Array.of(Number.NaN, -1e15, Number.NEGATIVE_INFINITY))[0]).toBe(UNDATED)
    expect(publishDay(Number.NEGATIVE_INFINITY)).toBe(UNDATED + 1)
    expect(publishDay(Number.POSITIVE_INFINITY)).toBe(0xffff)
  })
})
