import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cheapestWidth } from '../../../../core/segment/positions/cheapest-width.ts'

it('returns a width than which no other takes fewer bytes', () => {
  const integer = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(2 ** 32 - 2))
  fc.assert(
    fc.property(fc.array(integer, { minLength: 1, maxLength: 200 }), fc.integer({ min: 8, max: 24 }), (all, most) => {
      const costOf = (width: number): number => {
        const exceptions = all.filter(value => value >= 2 ** width - 1)
        const long = exceptions.filter(value => value >= 127)
        return (all.length * width) / 8 + exceptions.length + (width < 8 ? long.length : 0)
      }
      const width = cheapestWidth(Uint32Array.from(all), all.length, most, (width, exceptions, long) => {
        return exceptions + (width < 8 ? long : 0)
      })
      expect(width).toBeGreaterThan(0)
      expect(width).toBeLessThanOrEqual(most)
      for (let other = 1; other <= most; other++) expect(costOf(width)).toBeLessThanOrEqual(costOf(other))
    }),
  )
})
