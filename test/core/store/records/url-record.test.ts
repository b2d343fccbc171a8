import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUrlRecord, encodeUrlRecord, type UrlRecord } from '../../../../core/store/records/url-record.ts'

/** Any instant of a `Date` in the past, where differences lie on both sides of a byte's and a word's end. */
const at = fc.oneof(
  fc.integer({ min: -8.64e15, max: 3e14 }),
  fc.integer({ min: -200, max: 200 }),
  fc.constantFrom(-8.64e15, -8.64e15 + 1, -1, 0, 63, 64, -64, -65, 1_700_000_000_000),
)
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
const observation = fc.oneof(
  fc.record({
    kind: fc.constant('capture' as const),
    at,
    captureId: fc.integer({ min: 0, max: 0xffff_ffff }),
    fingerprint: hex(16),
    metadata: hex(24),
    declared: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('revision' as const),
    at,
    revisionId: fc.integer({ min: 0, max: 0xffff_ffff }),
    metadata: hex(24),
    declared: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('sighting' as const), at, declared: fc.boolean() }),
  fc.record({ kind: fc.constant('seen' as const), at }),
  fc.record({ kind: fc.constant('removal' as const), at, declared: fc.boolean() }),
)
const records = fc
  .uniqueArray(observation, { selector: ({ at }) => at })
  .map((record): UrlRecord => record.sort((a, b) => a.at - b.at))
const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

describe('a URL record', () => {
  it('reads back as written, also with instants before 1970', () => {
    fc.assert(
      fc.property(records, record => {
        expect(decodeUrlRecord(encodeUrlRecord(record))).toEqual(record)
      }),
    )
  })

  it('is corrupt wherever it is cut', () => {
    fc.assert(
      fc.property(records, fc.nat(), (record, seed) => {
        const bytes = encodeUrlRecord(record)
        expect(() => decodeUrlRecord(bytes.subarray(0, seed % bytes.length))).toThrow(corrupt)
      }),
    )
  })

  it('is corrupt when two observations have one millisecond, or are out of order', () => {
    for (const next of [5, 4]) {
      const record: UrlRecord = [
        { kind: 'removal', at: 5, declared: true },
        { kind: 'seen', at: next },
      ]
      expect(() => decodeUrlRecord(encodeUrlRecord(record))).toThrow(corrupt)
    }
  })

  it('is corrupt when it holds an unknown kind of observation', () => {
    expect(() => decodeUrlRecord(Uint8Array.of(1, 1, 5, 0))).toThrow(corrupt)
  })
})
