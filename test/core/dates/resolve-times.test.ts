import { describe, expect, it } from 'vitest'
import { resolveTimes } from '../../../core/dates/resolve-times.ts'
import type { TimeInput } from '../../../core/page.ts'
import {
  calendarSteps,
  dates,
  deltas,
  FILTERS,
  iso,
  rejectionOf,
  requestedAt,
  resolveFilter,
  timestamps,
  unreadable,
} from './time-examples.ts'

// Deltas from query_time are exact: they are not truncated.
const fromQueryTime: [queryTime: TimeInput, delta: string, expected: string][] = [
  ['2024-05-10T14:23:45.678Z', '2h', '2024-05-10T12:23:45.678Z'],
  ['2024-05-10T14:23:45.678Z', '1min', '2024-05-10T14:22:45.678Z'],
  ['2024-05-10T14:23:45.678Z', '0d', '2024-05-10T14:23:45.678Z'],
  ['2024-05-10', '1d', '2024-05-09T00:00:00Z'],
  ['2024-05-31', '1mo', '2024-04-30T00:00:00Z'],
  ['7d', '2h', '2026-05-03T12:23:00Z'],
  ['1715351025.5', '1h', '2024-05-10T13:23:45.500Z'],
  [new Date('2024-05-10T14:23:45.678Z'), '1y', '2023-05-10T14:23:45.678Z'],
]

describe('a bound of a filter', () => {
  for (const field of FILTERS) {
    it.each(timestamps)(`${field} %j is %s`, (value, expected) => {
      expect(iso(resolveFilter(field, value))).toBe(expected)
    })
    it.each(dates)(`${field} %j covers that UTC day, %s to %s`, (value, first, last) => {
      expect(iso(resolveFilter(field, value))).toBe(field.endsWith('After') ? first : last)
    })
    it.each(deltas)(
      `${field} %j is measured from the request time and truncated to the minute, %s`,
      (value, expected) => {
        expect(iso(resolveFilter(field, value))).toBe(expected)
      },
    )
    it.each(fromQueryTime)(
      `${field} is measured exactly from query_time: %j minus %j`,
      (queryTime, delta, expected) => {
        expect(iso(resolveFilter(field, delta, queryTime))).toBe(expected)
      },
    )
    it.each(unreadable.map(value => [value]))(`${field} rejects %j`, value => {
      const error = rejectionOf({ [field]: value })
      expect(error.details).toEqual({ field, value })
      expect(error.message).toMatch(new RegExp(`^${field}: .*expected a date .*, a timestamp .* or a delta`, 's'))
    })
    it.each(['1715351025', '1715351025.5', '1715351025678'])(`${field} rejects the epoch %j`, value => {
      expect(rejectionOf({ [field]: value }).details).toEqual({ field, value })
    })
    it(`${field} accepts weeks only with weeksInFilters`, () => {
      expect(iso(resolveFilter(field, '2w', undefined, true))).toBe('2026-04-26T14:23:00Z')
      expect(rejectionOf({ [field]: '2w' }).message).toContain('weeks')
    })
    it(`${field} accepts a Date and epoch milliseconds unchanged, and instants in the future`, () => {
      expect(resolveFilter(field, new Date(1715351025678))).toBe(1715351025678)
      expect(resolveFilter(field, 1715351025678)).toBe(1715351025678)
      expect(resolveFilter(field, 0)).toBe(0)
      expect(iso(resolveFilter(field, '2999-01-01T00:00:00Z'))).toBe('2999-01-01T00:00:00Z')
    })
    it(`${field} stops at the first instant of a Date if a delta goes further back`, () => {
      expect(resolveFilter(field, '999999y')).toBe(-8.64e15)
    })
  }

  it.each(calendarSteps)(
    'steps back by the calendar and clamps to the last day of the month: %s minus %s',
    (from, delta, to) => {
      expect(iso(resolveTimes({ queryTime: from, acquiredAfter: delta }, requestedAt).acquired.from)).toBe(to)
    },
  )

  it('does not move absolute bounds if query_time is set', () => {
    const { acquired } = resolveTimes(
      { queryTime: '7d', acquiredAfter: '2024-05-10', acquiredBefore: '2024-05-11T00:00:00Z' },
      requestedAt,
    )
    expect([iso(acquired.from), iso(acquired.to)]).toEqual(['2024-05-10T00:00:00Z', '2024-05-11T00:00:00Z'])
  })

  it('may be a date while the other bound of the window is a delta', () => {
    const { published } = resolveTimes({ publishedAfter: '2024-05-10', publishedBefore: '1d' }, requestedAt)
    expect([iso(published?.from), iso(published?.to)]).toEqual(['2024-05-10T00:00:00Z', '2026-05-09T14:23:00Z'])
  })

  it('may be a lower bound after the upper bound, which makes the window empty', () => {
    const { acquired } = resolveTimes({ acquiredAfter: '2024-05-11', acquiredBefore: '2024-05-10' }, requestedAt)
    expect(acquired.from).toBeGreaterThan(acquired.to)
  })

  it('of 2h at 14:23:45 excludes 12:22:59 and includes 12:23:00', () => {
    const { from } = resolveTimes({ acquiredAfter: '2h' }, Date.parse('2026-05-10T14:23:45Z')).acquired
    expect(Date.parse('2026-05-10T12:22:59Z')).toBeLessThan(from)
    expect(Date.parse('2026-05-10T12:23:00Z')).toBeGreaterThanOrEqual(from)
  })
})

describe('resolveTimes', () => {
  it.each([[undefined], [null], ['']])('treats %j as not given, in every field', value => {
    const input = {
      queryTime: value,
      acquiredAfter: value,
      acquiredBefore: value,
      publishedAfter: value,
      publishedBefore: value,
    }
    const open = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
    expect(resolveTimes(input, requestedAt)).toEqual({ instant: undefined, acquired: open, published: undefined })
  })

  it('returns a published window if one of its bounds is given', () => {
    const first = Date.parse('2024-05-10T00:00:00Z')
    expect(resolveTimes({ publishedAfter: '2024-05-10' }, requestedAt).published).toEqual({
      from: first,
      to: Number.POSITIVE_INFINITY,
    })
    expect(resolveTimes({ publishedBefore: 5 }, requestedAt).published).toEqual({
      from: Number.NEGATIVE_INFINITY,
      to: 5,
    })
  })

  it('shows at most 100 characters of a rejected value', () => {
    const error = rejectionOf({ queryTime: 'x'.repeat(1_000_000) })
    expect(error.message.length).toBeLessThan(600)
    expect(error.details?.value).toBe('x'.repeat(100))
  })

  it('says what is wrong with a value of the right form', () => {
    expect(rejectionOf({ acquiredAfter: '2026-02-30' }).message).toContain('calendar')
    expect(rejectionOf({ acquiredAfter: '2026-02-03T24:00:00Z' }).message).toContain('00:00:00 to 23:59:59')
    expect(rejectionOf({ acquiredAfter: '2026-02-03T04:00:00+24:00' }).message).toContain('offset')
  })
})
