import { expect, it } from 'vitest'
import { oneInstant } from '../../../../../transports/http/dialects/frame/instants.ts'

const sent = { requestedAt: Date.UTC(2025, 5, 1) }

it('a request has the instant that one of its fields names', () => {
  expect(oneInstant(sent, { a: undefined, b: '', c: '2025-03-01' })).toBe('2025-03-01')
  expect(oneInstant(sent, { a: undefined })).toBeUndefined()
})

it('the same instant may be named twice, in different forms', () => {
  expect(oneInstant(sent, { a: '2025-03-01', b: '2025-03-01T00:00:00Z', c: '1740787200000' })).toBe('2025-03-01')
  expect(oneInstant(sent, { a: '7d', b: '1w' })).toBe('7d')
})

it('two different instants are refused, and both are named', () => {
  expect(() => oneInstant(sent, { snapshotAsOf: '2025-03-01', query_time: '2025-03-02' })).toThrow(
    'query_time: names another instant than snapshotAsOf; snapshotAsOf: names another instant than query_time',
  )
})

it.each(['soon', '2025-13-01', '2026-01-01'])('%s is refused by the name of its field', value => {
  expect(() => oneInstant(sent, { 'contents.snapshotAsOf': value })).toThrow(/^contents\.snapshotAsOf: /)
})
