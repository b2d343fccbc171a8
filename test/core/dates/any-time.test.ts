import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveTimes } from '../../../core/dates/resolve-times.ts'
import { isAsofError } from '../../../extract/errors/errors.ts'
import { rejectionOf, requestedAt, resolveFilter } from './time-examples.ts'

describe('resolveTimes, for random times', () => {
  it('covers exactly the UTC day of a date, for every day from year 0 to 9999', () => {
    const first = new Date(0).setUTCFullYear(0, 0, 1)
    const days = (Date.UTC(9999, 11, 31) - first) / 86_400_000
    fc.assert(
      fc.property(fc.integer({ min: 0, max: days }), day => {
        const midnight = first + day * 86_400_000
        const date = new Date(midnight).toISOString().slice(0, 10)
        const { acquired } = resolveTimes({ acquiredAfter: date, acquiredBefore: date }, requestedAt)
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
    const instant = fc.integer({ min: Date.UTC(1970, 0), max: requestedAt })
    fc.assert(
      fc.property(unit, count, count, instant, instant, (u, c1, c2, i1, i2) => {
        const from = (queryTime: number, c: number) =>
          resolveTimes({ queryTime, acquiredAfter: `${c}${u}` }, requestedAt).acquired.from
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
