import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { charsetOfContentType, decodeBody, tidy } from '../../../../core/extract/encoding/charset.ts'
import { prescanCharset } from '../../../../core/extract/encoding/charset-prescan.ts'

const fixtures = new URL('../../../../../shared/fixtures/charset/', import.meta.url)
const missing = existsSync(fixtures) ? '' : ' (skipped: ../shared/fixtures/charset is missing)'

function load<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')) as T[]
}

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('decodeBody', () => {
  it('prefers a byte order mark to the Content-Type', () => {
    expect(decodeBody(Buffer.from('\ufeffé', 'utf16le'), 'text/html; charset=windows-1252')).toBe('é')
  })
  it('prefers the Content-Type to a meta element', () => {
    expect(decodeBody(bytes('<meta charset=utf-8>\xe9'), 'text/html; charset=iso-8859-1')).toBe('<meta charset=utf-8>é')
  })
  it('uses a meta element if the Content-Type has no charset or an unknown one', () => {
    expect(decodeBody(bytes('<meta charset=koi8-r>\xc1'), 'text/html; charset=nonsense')).toBe('<meta charset=koi8-r>а')
  })
  it('uses the XML declaration', () => {
    expect(decodeBody(bytes('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb1</a>'), undefined)).toContain('ą')
  })
  it('decodes undeclared bytes as UTF-8 if they are valid UTF-8, or else as windows-1252', () => {
    expect(decodeBody(Buffer.from('naïve “x”'), undefined)).toBe('naïve “x”')
    expect(decodeBody(bytes('na\xefve \x93x\x94'), undefined)).toBe('naïve “x”')
  })
  it("ignores a declaration that can't decode the bytes if they are valid UTF-8", () => {
    expect(decodeBody(Buffer.from('<meta charset=gbk>新电脑已可利用记忆自学'), undefined)).toContain('新电脑已可')
    expect(decodeBody(Buffer.from('naïve'), 'text/html; charset=windows-1252')).toBe('naÃ¯ve')
  })
  it('returns well-formed text without NULs', () => {
    const text = decodeBody(Buffer.from([0x61, 0, 0x62, 0xff, 0xfe, 0xed, 0xa0, 0x80]), 'text/html; charset=utf-8')
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toContain('\0')
  })
})

describe.skipIf(missing !== '')(`published charset cases${missing}`, () => {
  it('finds the charset of a Content-Type according to MIME Sniffing', () => {
    for (const { contentType, encoding } of load<{ contentType: string; encoding: string | null }>(
      'content-type.json',
    )) {
      expect([contentType, charsetOfContentType(contentType)?.toUpperCase()]).toEqual([
        contentType,
        encoding ?? undefined,
      ])
    }
  })
  it('finds the charset of a meta element according to HTML', () => {
    for (const { html, html_b64, encoding } of load<{ html?: string; html_b64?: string; encoding: string }>(
      'prescan.json',
    )) {
      const body = html_b64 === undefined ? Buffer.from(html ?? '') : Buffer.from(html_b64, 'base64')
      const label = prescanCharset(body)
      const found = label === undefined ? 'windows-1252' : new TextDecoder(label).encoding
      expect([body.toString('latin1', 0, 200), found]).toEqual([body.toString('latin1', 0, 200), encoding])
    }
  })
  it('detects the encoding of text that declares none', () => {
    for (const { file, encoding, bytes_b64 } of load<{ file: string; encoding: string; bytes_b64: string }>(
      'detect.json',
    )) {
      const body = Buffer.from(bytes_b64, 'base64')
      expect([file, decodeBody(body, undefined)]).toEqual([file, tidy(new TextDecoder(encoding).decode(body))])
    }
  })
})
