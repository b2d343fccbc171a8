import { expect, it } from 'vitest'
import { freshUntil } from '../../../crawler/fetch/http-freshness.ts'

const receivedAt = Date.UTC(2026, 0, 1, 12)
const date = 'Thu, 01 Jan 2026 12:00:00 GMT'
const later = 'Thu, 01 Jan 2026 12:10:00 GMT'

it.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ 'cache-control': 'max-age=60' }, 60],
  [{ 'cache-control': 'public, Max-Age="60"' }, 60],
  [{ 'cache-control': 'max-age=60', age: '50' }, 10],
  [{ 'cache-control': 'max-age=60', age: '60' }, undefined],
  [{ 'cache-control': 'max-age=0' }, undefined],
  [{ 'cache-control': 'max-age=60, no-cache' }, undefined],
  [{ 'cache-control': 'no-store', expires: later }, undefined],
  [{ 'cache-control': 'max-age=60, max-age=600' }, 60],
  [{ 'cache-control': 'max-age=-5' }, undefined],
  [{ 'cache-control': 'max-age=60', expires: later }, 60],
  [{ expires: later, date }, 600],
  [{ expires: later }, 600],
  [{ expires: date, date: later }, undefined],
  [{ expires: '0' }, undefined],
  // The server's clock is an hour ahead: its dates are compared with each other.
  [{ expires: 'Thu, 01 Jan 2026 13:10:00 GMT', date: 'Thu, 01 Jan 2026 13:00:00 GMT' }, 600],
])('%j is fresh for %s seconds (RFC 9111, 4.2)', (headers, seconds) => {
  expect(freshUntil(headers, receivedAt)).toBe(seconds === undefined ? undefined : receivedAt + seconds * 1000)
})
