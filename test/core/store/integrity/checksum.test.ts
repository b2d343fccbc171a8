import { describe, expect, it } from 'vitest'
import { checksummed, valueIfIntact, verifiedValue } from '../../../../core/store/integrity/checksum.ts'
import { bodyKey, manifestKey, urlKey } from '../../../../core/store/keys.ts'

const value = Uint8Array.from({ length: 100 }, (_, i) => i)

describe('the checksum of a stored value', () => {
  it('returns the value, or nothing after any flipped bit', () => {
    const stored = checksummed(bodyKey(7), value)
    expect(Buffer.compare(verifiedValue(bodyKey(7), stored), value)).toBe(0)
    for (let bit = 0; bit < stored.length * 8; bit++) {
      const flipped = Uint8Array.from(stored)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(valueIfIntact(bodyKey(7), flipped)).toBeUndefined()
    }
  })

  it('includes the key', () => {
    expect(valueIfIntact(bodyKey(8), checksummed(bodyKey(7), value))).toBeUndefined()
  })

  it('rejects a stored value that is too short to hold it', () => {
    expect(verifiedValue(manifestKey, checksummed(manifestKey, new Uint8Array(0)))).toHaveLength(0)
    for (let length = 0; length < 4; length++)
      expect(valueIfIntact(manifestKey, new Uint8Array(length))).toBeUndefined()
  })

  it('fails with an error that says what is damaged and what to do', () => {
    const key = urlKey('https://a.example/')
    expect(() => verifiedValue(key, value)).toThrow(
      expect.objectContaining({
        code: 'ASOF_STORE_CORRUPT',
        message: expect.stringMatching(/URL record \(https:\/\/a\.example\/\).*asof doctor --repair/),
      }),
    )
  })
})
