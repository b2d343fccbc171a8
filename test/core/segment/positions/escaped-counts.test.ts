import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK, widthOf } from '../../../../core/bytes/bit-packing.ts'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { isCountWidth, readCounts, writeCounts } from '../../../../core/segment/positions/escaped-counts.ts'

const length = fc.oneof(
  { weight: 20, arbitrary: fc.nat(3) },
  { weight: 2, arbitrary: fc.nat(70) },
  { weight: 1, arbitrary: fc.nat(2 ** 31 - 1) },
)
const blocks = fc.oneof(
  fc.array(length, { minLength: BLOCK, maxLength: BLOCK }).map(values => Uint32Array.from(values)),
  fc.nat(300).map(value => new Uint32Array(BLOCK).fill(value)),
)

describe('escaped counts', () => {
  it('read back as written at any offset', () => {
    fc.assert(
      fc.property(blocks, fc.nat(3), (counts, words) => {
        const out = new ByteWriter(1)
        out.raw(new Uint8Array(4 * words))
        const width = writeCounts(counts, out)
        const end = out.length
        out.raw(Uint8Array.of(255, 255))
        const found = new Uint32Array(BLOCK)
        expect(isCountWidth(width)).toBe(true)
        expect(readCounts(out.finish(), 4 * words, width, found)).toBe(end)
        expect(found).toEqual(counts)
      }),
    )
  })

  it('take no more space than the width of the longest needs, and little if only a few are long', () => {
    fc.assert(
      fc.property(blocks, counts => {
        fc.pre(counts.every(value => value < 2 ** 14))
        const out = new ByteWriter(1)
        writeCounts(counts, out)
        // A number that is the highest of its width takes a byte more.
        expect(out.length).toBeLessThanOrEqual(Math.max(16 * widthOf(counts.map(value => value + 1)), 0))
      }),
    )
    const few = new Uint32Array(BLOCK).fill(1)
    few[5] = 100
    const out = new ByteWriter(1)
    expect(writeCounts(few, out)).toBe(2)
    expect(out.length).toBe(33)
    expect(writeCounts(new Uint32Array(BLOCK), new ByteWriter(1))).toBe(0)
  })
})
