import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timestamp } from '../../../service/contract/timestamp.ts'

const MAX_INSTANT = 8.64e15
const DAY_MS = 86_400_000

describe('a timestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
    [-1.9, '1969-12-31T23:59:59.999Z'],
    [1.9, '1970-01-01T00:00:00.001Z'],
    [Date.UTC(2024, 1, 29, 23, 59, 59, 999), '2024-02-29T23:59:59.999Z'],
    [Date.UTC(10_000, 0, 1), '+010000-01-01T00:00:00.000Z'],
    [Date.UTC(-1, 11, 31, 1, 2, 3, 4), '-000001-12-31T01:02:03.004Z'],
    [MAX_INSTANT, '+275760-09-13T00:00:00.000Z'],
    [-MAX_INSTANT, '-271821-04-20T00:00:00.000Z'],
  ])('is ISO 8601 in UTC: %d is %s', (at, text) => {
    expect(timestamp(at)).toBe(text)
  })

  it('equals Date.prototype.toISOString in every year that a Date supports', () => {
    const anywhere = fc.integer({ min: -MAX_INSTANT, max: MAX_INSTANT })
    const lately = fc.integer({ min: -30_000 * DAY_MS, max: 30_000 * DAY_MS })
    fc.assert(
      fc.property(fc.oneof(anywhere, lately), at => {
        expect(timestamp(at)).toBe(new Date(at).toISOString())
      }),
      { numRuns: 1_000 },
    )
  })

  it('is still correct after more days than the cache holds', () => {
    for (let day = 0; day < 10_050; day++) timestamp(day * DAY_MS)
    expect(timestamp(DAY_MS + 1)).toBe('1970-01-02T00:00:00.001Z')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, MAX_INSTANT + 1])(
    'throws for an instant that a Date can not hold: %d',
    at => {
      expect(() => timestamp(at)).toThrow(RangeError)
    },
  )
})
