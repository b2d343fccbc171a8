import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const replaced = (body: Uint8Array | string, contentType = 'text/html; charset=utf-8') =>
  extractPage(body, { url: 'https://a.example/', contentType }).replacedCharacters

describe('the number of characters that decoding replaced', () => {
  it('is that of invalid bytes', () => {
    const text = Buffer.from('été à la plage, où le café était fermé ')
    const invalid = Buffer.from('a\xffb\xfec', 'latin1')
    expect(replaced(Buffer.concat([Buffer.from('<p>'), text, invalid]))).toBe(2)
    const json = [Buffer.from('{"a":"'), text, invalid, Buffer.from('"}')]
    expect(replaced(Buffer.concat(json), 'application/json; charset=utf-8')).toBe(2)
  })
  it('is absent if every character could be decoded, though the page itself has replacement characters', () => {
    expect(replaced(Buffer.from('<p>café \ufffd\ufffd</p>'))).toBeUndefined()
    expect(replaced('<p>caf\ufffd</p>')).toBeUndefined()
    expect(replaced(Buffer.from('<p>\ufffd caf\xe9', 'utf8'))).toBeUndefined()
  })
})
