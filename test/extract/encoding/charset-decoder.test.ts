import { describe, expect, it } from 'vitest'
import { CharsetDecoder } from '../../../extract/encoding/charset-decoder.ts'

describe('CharsetDecoder', () => {
  it('decodes windows-1252 and its labels as the Encoding Standard says, on every release of Node', () => {
    const bytes = Uint8Array.of(0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x99, 0x9f, 0x81, 0x8d, 0xe9, 0x41)
    for (const label of ['windows-1252', 'latin1', 'iso-8859-1', 'ascii', 'cp1252'])
      expect(new CharsetDecoder(label).decode(bytes)).toBe('€…‘’“”–—™Ÿ\x81\x8déA')
  })

  it('keeps the control characters of other encodings', () => {
    expect(new CharsetDecoder('iso-8859-2').decode(Uint8Array.of(0x80, 0x93))).toBe('\x80\x93')
    expect(new CharsetDecoder('utf-8').decode(Uint8Array.of(0xc2, 0x93))).toBe('\x93')
  })

  it('decodes a stream of parts', () => {
    const decoder = new CharsetDecoder('windows-1252')
    const parts = [Uint8Array.of(0x93), Uint8Array.of(0x41, 0x94)]
    expect(parts.map(part => decoder.decode(part, { stream: true })).join('') + decoder.decode()).toBe('“A”')
  })
})
