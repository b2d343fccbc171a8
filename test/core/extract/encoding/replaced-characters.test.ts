import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../../core/extract/extract-page.ts'

const replaced = (body: Uint8Array | string, contentType = 'text/html; charset=utf-8') =>
  extractPage(body, { url: 'https://a.example/', contentType }).replacedCharacters

describe('the number of characters that decoding replaced', () => {
  it('is that of invalid bytes', () => {
    expect(replaced(Buffer.from('<p>caf\xe9 na\xefve</p>', 'latin1'))).toBe(2)
    expect(replaced(Buffer.from('{"a":"\x81"}', 'latin1'), 'application/json; charset=utf-8')).toBe(1)
  })
  it('is absent if every character could be decoded, though the page itself has replacement characters', () => {
    expect(replaced(Buffer.from('<p>café \ufffd\ufffd</p>'))).toBeUndefined()
    expect(replaced('<p>caf\ufffd</p>')).toBeUndefined()
    expect(replaced(Buffer.from('<p>\ufffd caf\xe9', 'utf8'))).toBeUndefined()
  })
})
