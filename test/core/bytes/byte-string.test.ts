import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { byteString, bytesOf, textsAt } from '../../../core/bytes/byte-string.ts'

const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 200 }))

/** A byte string that begins with one byte of something else. */
function record(texts: readonly string[]): string {
  const writer = new ByteWriter(1)
  writer.u8(9)
  for (const text of texts) writer.string(text)
  return byteString(writer.finish())
}

describe('a byte string', () => {
  it('has the bytes that it was made from', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => {
        expect(bytesOf(byteString(bytes))).toEqual(bytes)
      }),
    )
  })

  it('gives back texts of any length and script', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), texts => {
        expect(textsAt(record(texts), 1, texts.length)).toEqual(texts)
      }),
    )
  })

  it('is corrupt if a text is cut, or is not UTF-8', () => {
    const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
    for (const texts of [['short'], ['é'], ['x'.repeat(200)]]) {
      const whole = record(texts)
      for (let end = 1; end < whole.length; end++) expect(() => textsAt(whole.slice(0, end), 1, 1)).toThrow(corrupt)
    }
    expect(() => textsAt('\x02\xff\xfe', 0, 1)).toThrow(corrupt)
  })
})
