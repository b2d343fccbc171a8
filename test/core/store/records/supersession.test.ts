import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSupersession, encodeSupersession } from '../../../../core/store/records/supersession.ts'

describe('a supersession', () => {
  it('reads back as written, also for a purged capture', () => {
    const at = fc.oneof(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.constant(Number.NEGATIVE_INFINITY))
    fc.assert(
      fc.property(at, supersededAt => {
        expect(decodeSupersession(encodeSupersession(supersededAt))).toBe(supersededAt)
      }),
    )
  })

  it('is corrupt wherever it is cut', () => {
    const bytes = encodeSupersession(1_700_000_000_000)
    for (let end = 0; end < bytes.length; end++)
      expect(() => decodeSupersession(bytes.subarray(0, end))).toThrow(
        expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
      )
  })
})
