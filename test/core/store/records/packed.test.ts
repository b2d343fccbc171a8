import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader, ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { readPacked, writePacked } from '../../../../core/store/records/packed.ts'

const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

function packed(...values: Uint8Array[]): Uint8Array {
  const writer = new ByteWriter(1)
  for (const value of values) writePacked(value, writer)
  return writer.finish()
}

const values = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(200)).map(([bytes, times]) => {
    return Uint8Array.from(Array.from({ length: times }, () => [...bytes]).flat())
  }),
)

describe('packed bytes', () => {
  it('read back as written, one after another', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const reader = new ByteReader(packed(a, b))
        expect([...readPacked(reader)]).toEqual([...a])
        expect([...readPacked(reader)]).toEqual([...b])
        expect(reader.done).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('take less space if they compress, and hardly more if they do not', () => {
    expect(packed(Buffer.from('again and '.repeat(100))).length).toBeLessThan(50)
    const noise = Uint8Array.from({ length: 1000 }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 13) & 255)
    expect(packed(noise).length).toBeLessThanOrEqual(noise.length + 4)
  })

  it('are corrupt wherever they are cut', () => {
    const bytes = packed(Buffer.from('words and words '.repeat(20)))
    for (let end = 0; end < bytes.length; end++)
      expect(() => readPacked(new ByteReader(bytes.subarray(0, end))), String(end)).toThrow(corrupt)
  })

  it('are corrupt if their length is wrong, without allocating memory for an impossible length', () => {
    const bytes = packed(Buffer.from('words and words '.repeat(20)))
    for (const claimed of [319, 321]) {
      const writer = new ByteWriter(8)
      writer.varint(claimed)
      writer.raw(bytes.subarray(2))
      expect(() => readPacked(new ByteReader(writer.finish())), String(claimed)).toThrow(corrupt)
    }
    const huge = new ByteWriter(16)
    huge.varint(2 ** 40)
    huge.varint(4)
    huge.raw(Uint8Array.of(1, 2, 3, 4))
    expect(() => readPacked(new ByteReader(huge.finish()))).toThrow(corrupt)
  })
})
