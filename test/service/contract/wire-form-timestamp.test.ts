import { describe, expect, it } from 'vitest'
import { timestamp } from '../../../service/contract/wire-form.ts'

describe('a timestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [-1.9, '1969-12-31T23:59:59.999Z'],
    [1.9, '1970-01-01T00:00:00.001Z'],
    [Date.UTC(2024, 1, 29, 23, 59, 59, 999), '2024-02-29T23:59:59.999Z'],
    [Date.UTC(10_000, 0, 1), '+010000-01-01T00:00:00.000Z'],
    [undefined, undefined],
  ])('is ISO 8601 in UTC: %s is %s', (at, text) => {
    expect(timestamp(at)).toBe(text)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])(
    'throws for an instant that a Date can not hold: %d',
    at => {
      expect(() => timestamp(at)).toThrow(RangeError)
    },
  )
})
