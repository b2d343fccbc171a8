import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCodePoints } from '../../../service/contract/code-points.ts'

describe('the first code points of a text', () => {
  it('are those of the string iterator, including lone surrogates', () => {
    const unit = fc.constantFrom('a', 'é', '🚢', '\ud83d', '\udea2')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), fc.nat(35), (text, max) => {
        expect(firstCodePoints(text, max)).toBe([...text].slice(0, max).join(''))
      }),
    )
  })
})
