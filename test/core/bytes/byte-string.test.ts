import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byteString, bytesOf } from '../../../core/bytes/byte-string.ts'

it('a byte string has the bytes that it was made from', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      expect(bytesOf(byteString(bytes))).toEqual(bytes)
    }),
  )
})
