import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commonYear, gregorianDay } from '../../../extract/written-dates/calendars.ts'

const solarHijri = new Intl.DateTimeFormat('en-u-ca-persian', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
})

describe('gregorianDay', () => {
  it('agrees with ICU on every day from 1990 to 2030', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1990-03-21'), max: new Date('2031-03-20'), noInvalidDate: true }), date => {
        const parts = new Map(solarHijri.formatToParts(date).map(({ type, value }) => [type, Number(value)]))
        const [year, month, day] = [parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0]
        expect(gregorianDay({ year, month, day })).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('returns undefined for impossible days and years out of range', () => {
    expect(gregorianDay({ year: 1398, month: 12, day: 30 })).toBeUndefined()
    expect(gregorianDay({ year: 1399, month: 12, day: 30 })).toEqual({ year: 2021, month: 3, day: 20 })
    expect(gregorianDay({ year: 1441, month: 1, day: 1 })).toBeUndefined()
    expect(gregorianDay({ year: 1399, month: 13, day: 1 })).toBeUndefined()
  })
})

describe('commonYear', () => {
  it('subtracts 543 from a year of the Buddhist era, and keeps other years', () => {
    expect([commonYear(2563), commonYear(2020)]).toEqual([2020, 2020])
  })
})
