import { describe, expect, it } from 'vitest'
import { readRetention } from '../../../core/dates/retention.ts'

const at = Date.UTC(2024, 2, 31, 12)

describe('readRetention', () => {
  it('reads a delta, with months and years as calendar steps', () => {
    expect(readRetention('90d')(at)).toBe(at - 90 * 86_400_000)
    expect(readRetention('2w')(at)).toBe(at - 14 * 86_400_000)
    expect(readRetention('1mo')(at)).toBe(Date.UTC(2024, 1, 29, 12))
    expect(readRetention('2y')(at)).toBe(Date.UTC(2022, 2, 31, 12))
    expect(readRetention('0d')(at)).toBe(at)
  })

  it('reads milliseconds, and stops at the first instant of a Date', () => {
    expect(readRetention(1500.5)(at)).toBe(at - 1501)
    expect(readRetention(0)(at)).toBe(at)
    expect(readRetention(1e300)(at)).toBe(-8.64e15)
    expect(readRetention('999999y')(at)).toBe(-8.64e15)
  })

  it('rejects anything else', () => {
    for (const value of ['', '90', '90 d', '-1d', '1.5d', '1234567d', -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => readRetention(value)).toThrow(
        expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'retain' } }),
      )
  })
})
