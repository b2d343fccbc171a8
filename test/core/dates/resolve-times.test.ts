import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveTimes, type TimeFilters } from '../../../core/dates/resolve-times.ts'
import { isAsofError } from '../../../core/errors.ts'
import type { TimeInput } from '../../../core/page.ts'

const REQUEST = '2026-05-10T14:23:45.678Z'
const requestAt = Date.parse(REQUEST)
const FILTERS = ['acquiredAfter', 'acquiredBefore', 'publishedAfter', 'publishedBefore'] as const
type Filter = (typeof FILTERS)[number]

const iso = (at: number | undefined) =>
  at === undefined || !Number.isFinite(at) ? at : new Date(at).toISOString().replace('.000Z', 'Z')

function resolveFilter(field: Filter, value: TimeInput | null | undefined, queryTime?: TimeInput, weeks = false) {
  const { acquired, published } = resolveTimes({ [field]: value, queryTime }, requestAt, { weeksInFilters: weeks })
  const window = field.startsWith('acquired') ? acquired : published!
  return field.endsWith('After') ? window.from : window.to
}

function rejectionOf(input: TimeFilters) {
  try {
    resolveTimes(input, requestAt)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_TIME')) return error
    throw error
  }
  throw new Error('was accepted')
}

// Timestamps mean the same instant as a lower bound, as an upper bound and as query_time.
const timestamps: [string, string][] = [
  ['2024-05-10T14:23:45Z', '2024-05-10T14:23:45Z'],
  ['2024-05-10T14:23:45', '2024-05-10T14:23:45Z'],
  ['2024-05-10T14:23:45+00:00', '2024-05-10T14:23:45Z'],
  ['2024-05-10T14:23:45-00:00', '2024-05-10T14:23:45Z'],
  ['2024-05-10T14:23:45+02:00', '2024-05-10T12:23:45Z'],
  ['2024-05-10T14:23:45-05:30', '2024-05-10T19:53:45Z'],
  ['2024-05-10T23:30:00-01:00', '2024-05-11T00:30:00Z'],
  ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
  ['2024-05-10T14:23:45+23:59', '2024-05-09T14:24:45Z'],
  ['2024-05-10T14:23:45-23:59', '2024-05-11T14:22:45Z'],
  ['2024-05-10T14:23:45.1Z', '2024-05-10T14:23:45.100Z'],
  ['2024-05-10T14:23:45.12Z', '2024-05-10T14:23:45.120Z'],
  ['2024-05-10T14:23:45.123Z', '2024-05-10T14:23:45.123Z'],
  ['2024-05-10T14:23:45.123', '2024-05-10T14:23:45.123Z'],
  ['2024-05-10T14:23:45.1239Z', '2024-05-10T14:23:45.123Z'],
  ['2024-05-10T14:23:45.999999999Z', '2024-05-10T14:23:45.999Z'],
  ['2024-05-10T14:23:45.5+02:00', '2024-05-10T12:23:45.500Z'],
  ['2024-05-10T14:23Z', '2024-05-10T14:23:00Z'],
  ['2024-05-10T14:23', '2024-05-10T14:23:00Z'],
  ['2024-05-10T14:23+02:00', '2024-05-10T12:23:00Z'],
  ['2024-05-10T14:23+0200', '2024-05-10T12:23:00Z'],
  ['2024-05-10T14:23-02', '2024-05-10T16:23:00Z'],
  ['2024-05-10T14:23:45+0200', '2024-05-10T12:23:45Z'],
  ['2024-05-10T14:23:45-0530', '2024-05-10T19:53:45Z'],
  ['2024-05-10T14:23:45.5+0200', '2024-05-10T12:23:45.500Z'],
  ['2024-05-10T14:23:45+02', '2024-05-10T12:23:45Z'],
  ['2024-05-10T14:23:45-23', '2024-05-11T13:23:45Z'],
  ['2024-05-10T00:00:00Z', '2024-05-10T00:00:00Z'],
  ['2024-05-10T23:59:59.999Z', '2024-05-10T23:59:59.999Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
  ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59Z'],
]

const dates: [string, string, string][] = [
  ['2024-05-10', '2024-05-10T00:00:00Z', '2024-05-10T23:59:59.999Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z', '2024-02-29T23:59:59.999Z'],
  ['2000-02-29', '2000-02-29T00:00:00Z', '2000-02-29T23:59:59.999Z'],
  ['2024-12-31', '2024-12-31T00:00:00Z', '2024-12-31T23:59:59.999Z'],
  ['1970-01-01', '1970-01-01T00:00:00Z', '1970-01-01T23:59:59.999Z'],
  ['0001-01-01', '0001-01-01T00:00:00Z', '0001-01-01T23:59:59.999Z'],
]

// Deltas from the request time are truncated to the minute.
const deltas: [string, string][] = [
  ['0min', '2026-05-10T14:23:00Z'],
  ['1min', '2026-05-10T14:22:00Z'],
  ['90min', '2026-05-10T12:53:00Z'],
  ['0h', '2026-05-10T14:23:00Z'],
  ['2h', '2026-05-10T12:23:00Z'],
  ['48h', '2026-05-08T14:23:00Z'],
  ['0d', '2026-05-10T14:23:00Z'],
  ['7d', '2026-05-03T14:23:00Z'],
  ['007d', '2026-05-03T14:23:00Z'],
  ['365d', '2025-05-10T14:23:00Z'],
  ['0mo', '2026-05-10T14:23:00Z'],
  ['1mo', '2026-04-10T14:23:00Z'],
  ['5mo', '2025-12-10T14:23:00Z'],
  ['12mo', '2025-05-10T14:23:00Z'],
  ['27mo', '2024-02-10T14:23:00Z'],
  ['1y', '2025-05-10T14:23:00Z'],
  ['10y', '2016-05-10T14:23:00Z'],
  ['2000y', '0026-05-10T14:23:00Z'],
  ['999999min', '2024-06-15T03:44:00Z'],
]

const calendarSteps: [from: string, delta: string, to: string][] = [
  ['2026-03-31T10:11:12.345Z', '1mo', '2026-02-28T10:11:12.345Z'],
  ['2024-03-31T10:11:12.345Z', '1mo', '2024-02-29T10:11:12.345Z'],
  ['2024-02-29T00:00:00Z', '1y', '2023-02-28T00:00:00Z'],
  ['2024-02-29T00:00:00Z', '4y', '2020-02-29T00:00:00Z'],
  ['2024-02-29T00:00:00Z', '12mo', '2023-02-28T00:00:00Z'],
  ['2024-12-31T23:59:59.999Z', '1mo', '2024-11-30T23:59:59.999Z'],
  ['2024-12-31T23:59:59.999Z', '10mo', '2024-02-29T23:59:59.999Z'],
  ['2024-01-15T00:00:00Z', '1mo', '2023-12-15T00:00:00Z'],
  ['2024-01-31T06:00:00Z', '13mo', '2022-12-31T06:00:00Z'],
  ['2004-02-29T06:00:00Z', '104y', '1900-02-28T06:00:00Z'],
  ['1970-01-31T06:00:00Z', '2mo', '1969-11-30T06:00:00Z'],
]

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

// Values that all five fields reject.
const unreadable: unknown[] = [
  ' ',
  'now',
  'yesterday',
  '2024',
  '2024-05',
  '20240510',
  '12345678',
  '1',
  '2024-5-10',
  '24-05-10',
  '02024-05-10',
  '12024-05-10',
  '-2024-05-10',
  '+002024-05-10',
  '2024/05/10',
  '2024-W19-5',
  '2024-131',
  '2026-02-30',
  '2026-02-29',
  '1900-02-29',
  '2024-04-31',
  '2024-13-01',
  '2024-00-10',
  '2024-05-00',
  '2024-05-32',
  '2024-05-10Z',
  '2024-05-10+02:00',
  '2024-05-10T',
  '2024-05-10T14',
  '2024-05-10T14Z',
  '2024-05-10T142345Z',
  '2024-05-10T1423Z',
  '20240510T142345Z',
  '2024-05-10T14+02:00',
  '2024-05-10T14:23.5Z',
  '2024-05-10T14:23:Z',
  '2024-05-10T14:60Z',
  '2024-05-10T24:00Z',
  '2024-05-10T24:00:00Z',
  '2024-05-10T25:00:00Z',
  '2024-05-10T14:60:00Z',
  '2024-05-10T14:23:60Z',
  '2016-12-31T23:59:60Z',
  '2024-02-30T10:00:00Z',
  '2024-05-10T14:23:45.Z',
  '2024-05-10T14:23:45,123Z',
  '2024-05-10T14:23:45+2:00',
  '2024-05-10T14:23:45+2',
  '2024-05-10T14:23:45+020',
  '2024-05-10T14:23:45+02000',
  '2024-05-10T14:23:45+02:',
  '2024-05-10T14:23:45+02:0',
  '2024-05-10T14:23:45+2400',
  '2024-05-10T14:23:45+24',
  '2024-05-10T14:23:45+0260',
  '2024-05-10T14:23:45+-02',
  '2024-05-10T14:23:45+24:00',
  '2024-05-10T14:23:45+02:60',
  '2024-05-10T14:23:45Z+02:00',
  '2024-05-10T14:23:45 +02:00',
  '2024-05-10T14:23:45 Z',
  '2024-05-10t14:23:45Z',
  '2024-05-10T14:23:45z',
  '2024-05-10 14:23:45',
  ' 2024-05-10',
  '2024-05-10 ',
  '2024-05-10\n',
  '２０２４-05-10',
  'h',
  'min',
  '2',
  '2m',
  '2min ',
  '2 h',
  ' 2h',
  '2H',
  '2D',
  '2MO',
  '2Y',
  '2Min',
  '2s',
  '2sec',
  '2hours',
  '1h30min',
  '1.5h',
  '-2h',
  '+2h',
  '1000000min',
  '0000002h',
  '1e3d',
  '٢h',
  'P1D',
  '123456789012345',
  '1715351025678.5',
  '1715351025.',
  '.5',
  '-1715351025',
  '+1715351025',
  '12345678.5',
  '0x65f0a1b2',
  '1_715_351_025',
  '1715351025s',
  new Date(Number.NaN),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  8.64e15 + 2,
  true,
  [],
  {},
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
      expect(iso(resolveTimes({ queryTime: from, acquiredAfter: delta }, requestAt).acquired.from)).toBe(to)
    },
  )

  it('does not move absolute bounds if query_time is set', () => {
    const { acquired } = resolveTimes(
      { queryTime: '7d', acquiredAfter: '2024-05-10', acquiredBefore: '2024-05-11T00:00:00Z' },
      requestAt,
    )
    expect([iso(acquired.from), iso(acquired.to)]).toEqual(['2024-05-10T00:00:00Z', '2024-05-11T00:00:00Z'])
  })

  it('may be a date while the other bound of the window is a delta', () => {
    const { published } = resolveTimes({ publishedAfter: '2024-05-10', publishedBefore: '1d' }, requestAt)
    expect([iso(published?.from), iso(published?.to)]).toEqual(['2024-05-10T00:00:00Z', '2026-05-09T14:23:00Z'])
  })

  it('may be a lower bound after the upper bound, which makes the window empty', () => {
    const { acquired } = resolveTimes({ acquiredAfter: '2024-05-11', acquiredBefore: '2024-05-10' }, requestAt)
    expect(acquired.from).toBeGreaterThan(acquired.to)
  })

  it('of 2h at 14:23:45 excludes 12:22:59 and includes 12:23:00', () => {
    const { from } = resolveTimes({ acquiredAfter: '2h' }, Date.parse('2026-05-10T14:23:45Z')).acquired
    expect(Date.parse('2026-05-10T12:22:59Z')).toBeLessThan(from)
    expect(Date.parse('2026-05-10T12:23:00Z')).toBeGreaterThanOrEqual(from)
  })
})

describe('query_time', () => {
  it.each(queryTimes)('%j is %s', (value, expected) => {
    expect(iso(resolveTimes({ queryTime: value }, requestAt).queryAt)).toBe(expected)
  })

  it.each(calendarSteps)('%s minus %s steps by the calendar, truncated to the minute', (from, delta, to) => {
    const at = resolveTimes({ queryTime: delta }, Date.parse(from)).queryAt
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
    requestAt + 1,
    requestAt + 60_000,
    new Date(requestAt + 60_000),
  ])('%j, up to 60 s ahead of the clock, means now', value => {
    expect(resolveTimes({ queryTime: value }, requestAt).queryAt).toBe(requestAt)
  })

  it('measures deltas from now if it is ahead of the clock', () => {
    const { acquired } = resolveTimes({ queryTime: requestAt + 30_000, acquiredAfter: '2h' }, requestAt)
    expect(acquired.from).toBe(requestAt - 7_200_000)
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
    requestAt + 60_001,
    new Date(requestAt + 60_001),
  ])('rejects %j, more than 60 s ahead, and reports the time of the clock', value => {
    expect(rejectionOf({ queryTime: value }).message).toContain(`lies in the future: the clock here says ${REQUEST}`)
  })

  it('is never resolved to an instant after the request', () => {
    const ahead = fc.integer({ min: -100_000, max: 100_000 })
    fc.assert(
      fc.property(ahead, ahead, (aheadMs, secondsAhead) => {
        for (const queryTime of [requestAt + aheadMs, new Date(requestAt + secondsAhead).toISOString()]) {
          const at = new Date(queryTime).getTime()
          if (at > requestAt + 60_000) expect(rejectionOf({ queryTime }).code).toBe('ASOF_INVALID_TIME')
          else expect(resolveTimes({ queryTime }, requestAt).queryAt).toBe(Math.min(at, requestAt))
        }
      }),
    )
  })

  it('sets no bounds on the windows', () => {
    expect(resolveTimes({ queryTime: '7d' }, requestAt)).toEqual({
      queryAt: Date.parse('2026-05-03T14:23:00Z'),
      acquired: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
      published: undefined,
    })
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
    expect(resolveTimes(input, requestAt)).toEqual({ queryAt: undefined, acquired: open, published: undefined })
  })

  it('returns a published window if one of its bounds is given', () => {
    const first = Date.parse('2024-05-10T00:00:00Z')
    expect(resolveTimes({ publishedAfter: '2024-05-10' }, requestAt).published).toEqual({
      from: first,
      to: Number.POSITIVE_INFINITY,
    })
    expect(resolveTimes({ publishedBefore: 5 }, requestAt).published).toEqual({ from: Number.NEGATIVE_INFINITY, to: 5 })
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

  it('covers exactly the UTC day of a date, for every day from year 0 to 9999', () => {
    const first = new Date(0).setUTCFullYear(0, 0, 1)
    const days = (Date.UTC(9999, 11, 31) - first) / 86_400_000
    fc.assert(
      fc.property(fc.integer({ min: 0, max: days }), day => {
        const midnight = first + day * 86_400_000
        const date = new Date(midnight).toISOString().slice(0, 10)
        const { acquired } = resolveTimes({ acquiredAfter: date, acquiredBefore: date }, requestAt)
        expect(acquired).toEqual({ from: midnight, to: midnight + 86_400_000 - 1 })
      }),
    )
  })

  it('reads every instant that Date.toISOString formats', () => {
    const first = new Date(0).setUTCFullYear(0, 0, 1)
    fc.assert(
      fc.property(fc.integer({ min: first, max: Date.UTC(9999, 11, 31) }), at => {
        expect(resolveFilter('acquiredAfter', new Date(at).toISOString())).toBe(at)
      }),
    )
  })

  it('reads every timestamp with seconds and a colon in the offset as an independent calculation does', () => {
    const strict = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:(Z)|([+-])(\d{2}):(\d{2}))?$/
    fc.assert(
      fc.property(fc.stringMatching(strict), text => {
        const [, year, month, day, hour, minute, second, fraction = '', , sign, offsetHours, offsetMinutes] =
          strict.exec(text)!
        const date = `${year}-${month}-${day}`
        const isDay = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true
        const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
        const isOffset = sign === undefined || (Number(offsetHours) < 24 && Number(offsetMinutes) < 60)
        if (!isDay || !isTime || !isOffset) {
          expect(rejectionOf({ acquiredAfter: text }).code).toBe('ASOF_INVALID_TIME')
          return
        }
        const local = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
        const offsetMs = sign === undefined ? 0 : (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
        expect(resolveFilter('acquiredAfter', text)).toBe(sign === '-' ? local + offsetMs : local - offsetMs)
      }),
      { numRuns: 1000 },
    )
  })

  it('agrees with Date.parse on every form of an instant, given the complete offset', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map(n => String(n).padStart(2, '0'))
    const day = fc
      .integer({ min: Date.UTC(1000, 0), max: Date.UTC(9999, 11, 31) })
      .map(at => new Date(at).toISOString().slice(0, 10))
    const seconds = fc.oneof(
      fc.constant(''),
      two(59).map(s => `:${s}`),
      fc.tuple(two(59), fc.integer({ min: 0, max: 999 })).map(([s, ms]) => `:${s}.${String(ms).padStart(3, '0')}`),
    )
    const offset = fc.oneof(
      fc.constantFrom(['', 'Z'], ['Z', 'Z']),
      fc
        .tuple(fc.constantFrom('+', '-'), two(23), two(59), fc.constantFrom('colon', 'basic', 'hours'))
        .map(([sign, hours, minutes, form]) =>
          form === 'hours'
            ? [`${sign}${hours}`, `${sign}${hours}:00`]
            : [`${sign}${hours}${form === 'colon' ? ':' : ''}${minutes}`, `${sign}${hours}:${minutes}`],
        ),
    )
    fc.assert(
      fc.property(day, two(23), two(59), seconds, offset, (date, hour, minute, second, [written, complete]) => {
        const local = `${date}T${hour}:${minute}${second}`
        expect(resolveFilter('acquiredAfter', local + written)).toBe(Date.parse(local + complete))
      }),
      { numRuns: 2000 },
    )
  })

  it('goes at least as far back with a larger delta or from an earlier start', () => {
    const unit = fc.constantFrom('min', 'h', 'd', 'mo', 'y')
    const count = fc.integer({ min: 0, max: 999_999 })
    const instant = fc.integer({ min: Date.UTC(1970, 0), max: requestAt })
    fc.assert(
      fc.property(unit, count, count, instant, instant, (u, c1, c2, i1, i2) => {
        const from = (queryTime: number, c: number) =>
          resolveTimes({ queryTime, acquiredAfter: `${c}${u}` }, requestAt).acquired.from
        const [few, many] = [Math.min(c1, c2), Math.max(c1, c2)]
        const [early, late] = [Math.min(i1, i2), Math.max(i1, i2)]
        expect(from(late, many)).toBeLessThanOrEqual(from(late, few))
        expect(from(early, few)).toBeLessThanOrEqual(from(late, few))
        expect(from(late, few)).toBeLessThanOrEqual(late)
      }),
    )
  })

  it('either resolves a text or rejects it with ASOF_INVALID_TIME, whatever the text is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'0123456789-:.TZ+hdmoyw') }),
    )
    fc.assert(
      fc.property(text, value => {
        try {
          expect(resolveFilter('acquiredAfter', value)).not.toBeNaN()
        } catch (error) {
          expect(isAsofError(error, 'ASOF_INVALID_TIME')).toBe(true)
        }
      }),
    )
  })
})
