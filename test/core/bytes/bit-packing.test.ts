import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK, pack, unpack, unpackAscending, unpackOne, widthOf } from '../../../core/bytes/bit-packing.ts'

const widths = Array.from({ length: 33 }, (_, width) => width)

function blockOf(width: number): fc.Arbitrary<Uint32Array> {
  const max = 2 ** width - 1
  const value = fc.oneof(fc.integer({ min: 0, max }), fc.constantFrom(0, max))
  return fc.array(value, { minLength: BLOCK, maxLength: BLOCK }).map(values => Uint32Array.from(values))
}

describe('bit packing', () => {
  for (const width of widths) {
    it(`reads back 128 integers of ${width} bits at any offset`, () => {
      fc.assert(
        fc.property(blockOf(width), fc.integer({ min: 0, max: 9 }), (values, at) => {
          const words = new Uint32Array(at + BLOCK + 3).fill(0xffff_ffff)
          const end = pack(values, 0, width, words, at)
          const out = new Uint32Array(BLOCK).fill(7)
          unpack(words, at, width, out)
          expect(end).toBe(at + 4 * width)
          expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(values.buffer))).toBe(0)
          expect(words[end]).toBe(0xffff_ffff)
          expect(Array.from(values, (_, i) => unpackOne(words, at, width, i))).toEqual([...values])
        }),
        { numRuns: 30 },
      )
    })
  }

  it.each(widths.slice(0, -1))('reads back 128 ascending integers with gaps of %i bits', width => {
    const gaps = new Uint32Array(BLOCK).fill(0)
    gaps[77] = 2 ** width - 1
    const words = new Uint32Array(BLOCK)
    pack(gaps, 0, width, words, 0)
    const out = new Uint32Array(BLOCK)
    unpackAscending(words, 0, width, -1, out)
    expect([...out]).toEqual(Array.from(gaps, (_, i) => (i < 77 ? i : i + gaps[77]!)))
  })

  it('keeps four neighbors at the same bits of four adjacent words', () => {
    const width = 5
    const values = Uint32Array.from({ length: BLOCK }, (_, i) => (i * 11) % 32)
    const words = new Uint32Array(4 * width)
    pack(values, 0, width, words, 0)
    for (const [i, value] of values.entries()) {
      for (let bit = 0; bit < width; bit++) {
        const at = Math.floor(i / 4) * width + bit
        expect((words[Math.floor(at / 32) * 4 + (i % 4)]! >>> (at % 32)) & 1).toBe((value >>> bit) & 1)
      }
    }
  })

  it('uses as many bits as the largest of the 128 integers needs', () => {
    for (const width of widths) {
      const values = new Uint32Array(BLOCK * 2).fill(0xffff_ffff, 0, 5)
      if (width > 0) values[5 + 77] = 2 ** (width - 1)
      expect(widthOf(values, 5)).toBe(width)
    }
  })
})
