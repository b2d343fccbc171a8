import { expect, it } from 'vitest'
import { isLasting } from '../../console/search/lasting.ts'

const now = Date.parse('2024-05-01T12:00:00Z')
const past = '2021-03-01T00:00:00.000Z'

it.each([
  { query_time: past },
  { query_time: '-200000-01-01T00:00:00.000Z' },
  { query_time: past, published_after: '2020-01-01', acquired_before: '2020-02-01T00:00:00Z' },
  { query_time: past, acquired_after: '1577836800', site: 'a.example', filter: { berths: 12 } },
])('the answer to %j stays the same', request => {
  expect(isLasting({ query: 'ferry', ...request }, now)).toBe(true)
})

it.each([
  {},
  { published_after: '2020-01-01' },
  { query_time: '7d' },
  { query_time: '2024-05-01T12:00:30.000Z' },
  { query_time: past, published_after: '7d' },
  { query_time: past, acquired_before: '1mo' },
])('the answer to %j changes with time', request => {
  expect(isLasting({ query: 'ferry', ...request }, now)).toBe(false)
})
