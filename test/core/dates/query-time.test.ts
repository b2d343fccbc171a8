import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveTimes } from '../../../core/dates/resolve-times.ts'
import type { TimeInput } from '../../../core/page.ts'
import {
  calendarSteps,
  dates,
  deltas,
  iso,
  REQUEST,
  rejectionOf,
  requestedAt,
  timestamps,
  unreadable,
} from './time-examples.ts'

const queryTimes: [TimeInput, string][] = [
  ...timestamps,
  ...dates.map(([date, first]): [string, string] => [date, first]),
  ...deltas,
  ['0w', '2026-05-10T14:23:00Z'],
  ['2w', '2026-04-26T14:23:00Z'],
  ['100000000', '1973-03-03T09:46:40Z'],
  ['000000001', '1970-01-01T00:00:01Z'],
  ['1715351025', '2024-05-10T14:23:45Z'],
  ['1715351025.5', '2024-05-10T14:23:45.500Z'],
  ['1715351025.678', '2024-05-10T14:23:45.678Z'],
  ['1715351025.6789', '2024-05-10T14:23:45.678Z'],
  ['01715351025', '2024-05-10T14:23:45Z'],
  ['100000000000', '1973-03-03T09:46:40Z'],
  ['1715351025678', '2024-05-10T14:23:45.678Z'],
  ['01715351025678', '2024-05-10T14:23:45.678Z'],
  [REQUEST, '2026-05-10T14:23:45.678Z'],
  ['2026-05-10', '2026-05-10T00:00:00Z'],
  [0, '1970-01-01T00:00:00Z'],
  [-1, '1969-12-31T23:59:59.999Z'],
  [1715351025678, '2024-05-10T14:23:45.678Z'],
  [1715351025678.9, '2024-05-10T14:23:45.678Z'],
  [new Date(1715351025678), '2024-05-10T14:23:45.678Z'],
]

describe('query_time', () => {
  it.each(queryTimes)('%j is %s', (value, expected) => {
    expect(iso(resolveTimes({ queryTime: value }, requestedAt).queryTime)).toBe(expected)
  })

  it.each(calendarSteps)('%s minus %s steps by the calendar, truncated to the minute', (from, delta, to) => {
    const at = resolveTimes({ queryTime: delta }, Date.parse(from)).queryTime
    expect(iso(at)).toBe(iso(Math.floor(Date.parse(to) / 60_000) * 60_000))
  })

  it.each(unreadable.map(value => [value]))('rejects %j', value => {
    const error = rejectionOf({ queryTime: value as TimeInput })
    expect(error.details).toEqual({ field: 'queryTime', value })
    expect(error.message).toContain('a Unix epoch of 9 to 14 digits')
  })

  it.each([
    '2026-05-10T14:23:45.679Z',
    '2026-05-10T14:24:45.678Z',
    '2026-05-10T14:24Z',
    '2026-05-10T14:23:45.678-00:01',
    '1778423026',
    '1778423085',
    '1778423085.678',
    '1778423085678',
    requestedAt + 1,
    requestedAt + 60_000,
    new Date(requestedAt + 60_000),
  ])('%j, up to 60 s ahead of the clock, means now', value => {
    expect(resolveTimes({ queryTime: value }, requestedAt).queryTime).toBe(requestedAt)
  })

  it('measures deltas from now if it is ahead of the clock', () => {
    const { acquired } = resolveTimes({ queryTime: requestedAt + 30_000, acquiredAfter: '2h' }, requestedAt)
    expect(acquired.from).toBe(requestedAt - 7_200_000)
  })

  it.each([
    '2026-05-10T14:24:45.679Z',
    '2026-05-10T14:25Z',
    '2026-05-10T14:23:45.678-00:02',
    '2026-05-11',
    '9999-12-31',
    '1778423086',
    '1778423085.679',
    '1778423085679',
    '99999999999',
    '99999999999999',
    '20240510142345',
    requestedAt + 60_001,
    new Date(requestedAt + 60_001),
  ])('rejects %j, more than 60 s ahead, and reports the time of the clock', value => {
    expect(rejectionOf({ queryTime: value }).message).toContain(`lies in the future: the clock here says ${REQUEST}`)
  })

  it('is never resolved to an instant after the request', () => {
    const ahead = fc.integer({ min: -100_000, max: 100_000 })
    fc.assert(
      fc.property(ahead, ahead, (aheadMs, secondsAhead) => {
        for (const queryTime of [requestedAt + aheadMs, new Date(requestedAt + secondsAhead).toISOString()]) {
          const at = new Date(queryTime).getTime()
          if (at > requestedAt + 60_000) expect(rejectionOf({ queryTime }).code).toBe('ASOF_INVALID_TIME')
          else expect(resolveTimes({ queryTime }, requestedAt).queryTime).toBe(Math.min(at, requestedAt))
        }
      }),
    )
  })

  it('sets no bounds on the windows', () => {
    expect(resolveTimes({ queryTime: '7d' }, requestedAt)).toEqual({
      queryTime: Date.parse('2026-05-03T14:23:00Z'),
      acquired: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
      published: undefined,
    })
  })
})
