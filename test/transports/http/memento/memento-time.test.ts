import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FIRST_MEMENTO_AT } from '../../../../service/index.ts'
import { httpDate, parseHttpDate, parseStamp, stampOf } from '../../../../transports/http/memento/memento-time.ts'

const instant = fc.integer({ min: FIRST_MEMENTO_AT, max: Date.parse('9999-12-31T23:59:59.999Z') })

it('a stamp is exact to the millisecond, and stamps sort by time', () => {
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      expect(parseStamp(stampOf(a))).toBe(a)
      expect(stampOf(a) < stampOf(b)).toBe(a < b)
    }),
  )
})

it('an HTTP date and a stamp of 14 digits mean the last millisecond of their second', () => {
  fc.assert(
    fc.property(instant, at => {
      const end = Math.floor(at / 1_000) * 1_000 + 999
      expect(parseHttpDate(httpDate(at))).toBe(end)
      expect(parseStamp(stampOf(at).slice(0, 14))).toBe(end)
    }),
  )
})

it.each([
  '',
  'now',
  '2025-05-01',
  '1746100800',
  'Thu, 01 May 2025 12:00:00',
  'Thu, 01 May 2025 12:00:00 +0000',
  'Thu, 1 May 2025 12:00:00 GMT',
  'Thu, 31 Feb 2025 12:00:00 GMT',
  'Thu, 01 May 2025 24:00:00 GMT',
  'Thu, 01 May 2025 12:00:60 GMT',
  'Thursday, 01-May-25 12:00:00 GMT',
  'Thu May  1 12:00:00 2025',
  'Thu, 01 May 2025 12:00:00 GMT, Thu, 01 May 2025 12:00:00 GMT',
  ' Thu, 01 May 2025 12:00:00 GMT',
])('%j is not a date', text => expect(parseHttpDate(text)).toBeUndefined())

it.each(['', '2025', '20250501120000123456', '2025050112000012', '20250231120000', '20250501240000', 'x0250501120000'])(
  '%j is not a stamp',
  text => expect(parseStamp(text)).toBeUndefined(),
)
