import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ANYTHING,
  mayFollow,
  nextWordBit,
  nextWordHash,
} from '../../../../core/segment/positions/next-word-signature.ts'

const hashOf = (term: string) => nextWordHash(Buffer.from(term), 0, Buffer.byteLength(term))

describe('a next-word signature', () => {
  it('always matches a term that follows', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }), terms => {
        const hashes = terms.map(hashOf)
        const shared = hashes.reduce((bits, hash) => bits | nextWordBit(hash), 0)
        for (const hash of hashes) expect(mayFollow(shared, hash, () => terms.length + 1)).toBe(true)
        expect(mayFollow(hashes[0]!, hashes[0]!, () => 1)).toBe(true)
        expect(mayFollow(ANYTHING, hashes[0]!, () => 1)).toBe(true)
      }),
    )
  })

  it('rules out nearly every other term after one occurrence, and most after two', () => {
    const terms = Array.from({ length: 2000 }, (_, i) => `term${i}`)
    const [first = 0, second = 0, ...others] = terms.map(hashOf)
    const admitted = (signature: number, frequency: number) =>
      others.filter(hash => mayFollow(signature, hash, () => frequency)).length / others.length
    expect(admitted(first, 1)).toBeLessThan(0.02)
    expect(nextWordBit(first)).not.toBe(nextWordBit(second))
    expect(admitted(nextWordBit(first) | nextWordBit(second), 2)).toBeLessThan(0.35)
  })

  it('keeps the hash of a term, which is part of the format', () => {
    expect(['a', 'river', '東京'].map(hashOf)).toEqual([237, 224, 126])
  })
})
