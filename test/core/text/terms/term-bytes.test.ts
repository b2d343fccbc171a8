import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTerms, firstBytesOf, sortTerms, type TermBytes } from '../../../../core/text/terms/term-bytes.ts'

// Beginnings that many terms share, and characters whose order differs between UTF-8 and UTF-16.
const piece = fc.constantFrom('a', 'b', 'abcde', 'abcdef', 'é', '東', '\ue000', '\uffee', '𠮷', '😀', '\u{10ffff}')
const term = fc.array(piece, { minLength: 1, maxLength: 5 }).map(pieces => pieces.join(''))

function bytesOf(terms: readonly string[]): TermBytes {
  const encoded = terms.map(text => Buffer.from(text))
  let end = 0
  return {
    count: terms.length,
    bytes: Buffer.concat(encoded),
    ends: Uint32Array.from(encoded, ({ length }) => {
      end += length
      return end
    }),
  }
}

describe('terms as bytes', () => {
  it('compare like strings', () => {
    fc.assert(
      fc.property(term, term, (a, b) => {
        const [x, y] = [Buffer.from(a), Buffer.from(b)]
        const order = Math.sign(compareTerms(x, 0, x.length, y, 0, y.length))
        expect(order).toBe(a < b ? -1 : a > b ? 1 : 0)
        const prefixes = Math.sign(firstBytesOf(x, 0, x.length) - firstBytesOf(y, 0, y.length))
        if (prefixes !== 0) expect(prefixes).toBe(order)
      }),
      { numRuns: 500 },
    )
  })

  it('are sorted like strings', () => {
    fc.assert(
      fc.property(fc.uniqueArray(term, { maxLength: 60 }), terms => {
        expect([...sortTerms(bytesOf(terms))].map(number => terms[number])).toEqual([...terms].sort())
      }),
      { numRuns: 200 },
    )
  })
})
