import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader, ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { readTermVector, writeTermVector } from '../../../core/segment/term-vector.ts'

const vectors = fc
  .array(
    fc.tuple(fc.nat(0xffff), fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 255 }))),
    {
      maxLength: 128,
    },
  )
  .map(terms => ({
    hashes: Uint16Array.from(terms, ([hash]) => hash),
    frequencies: Uint8Array.from(terms, ([, frequency]) => frequency),
  }))

describe('a term vector', () => {
  it('reads back as written, up to its end', () => {
    fc.assert(
      fc.property(vectors, vectors, (first, second) => {
        const out = new ByteWriter(1)
        writeTermVector(first, out)
        writeTermVector(second, out)
        const reader = new ByteReader(out.finish())
        expect(readTermVector(reader)).toEqual(first)
        expect(readTermVector(reader)).toEqual(second)
      }),
    )
  })

  it('takes little more space than its hashes if most terms occur once', () => {
    const out = new ByteWriter(1)
    writeTermVector({ hashes: new Uint16Array(100), frequencies: new Uint8Array(100).fill(1) }, out)
    expect(out.length).toBe(1 + 200 + 13)
  })
})
