import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { lowBitsFor, readRice, writeRice } from '../../../core/bytes/rice-coding.ts'

function written(values: Uint32Array, lowBits: number, before = 0): Uint8Array {
  const out = new ByteWriter(1)
  out.raw(new Uint8Array(before))
  writeRice(values, values.length, lowBits, out)
  return out.finish()
}

describe('Rice coding', () => {
  it('reads back integers of any size with any number of low bits, at any offset', () => {
    const integers = fc.oneof(fc.nat(3), fc.nat(5000), fc.integer({ min: 0, max: 0xffff_ffff }))
    fc.assert(
      fc.property(fc.array(integers, { maxLength: 130 }), fc.nat(24), fc.nat(3), (list, chosen, at) => {
        const values = Uint32Array.from(list)
        // Enough for quotients that do not take long to write.
        const lowBits = Math.max(chosen, 20 - Math.clz32(values.reduce((most, value) => Math.max(most, value), 0)))
        const bytes = written(values, lowBits, at)
        const found = new Uint32Array(values.length)
        expect(readRice(bytes, at, lowBits, values.length, found)).toBe(bytes.length)
        expect(found).toEqual(values)
      }),
    )
  })

  it('returns an offset past the end if the bytes end early', () => {
    const values = Uint32Array.from({ length: 100 }, (_, i) => (i * 7919) % 1000)
    const bytes = written(values, 9)
    for (let length = 0; length < bytes.length; length++)
      expect(readRice(bytes.subarray(0, length), 0, 9, 100, new Uint32Array(100))).toBeGreaterThan(length)
  })

  it('takes less than a bit more than the entropy of gaps between random places', () => {
    for (const mean of [1, 5, 100, 700, 4000, 60_000]) {
      let seed = 7
      const random = () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
        return (seed + 1) / 2 ** 32
      }
      const values = Uint32Array.from({ length: 5000 }, () => Math.floor(-Math.log(random()) * mean))
      const bits = (written(values, lowBitsFor(mean)).length * 8) / values.length
      expect(bits).toBeLessThan(Math.log2(Math.E * (mean + 0.5)) + 0.75)
    }
  })

  it('ends for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(24), fc.nat(128), (bytes, lowBits, count) => {
        expect(readRice(bytes, 0, lowBits, count, new Uint32Array(count))).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
