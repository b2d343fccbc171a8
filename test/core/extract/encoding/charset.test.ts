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
  it('believes a byte order mark before the Content-Type', () => {
    expect(decodeBody(Buffer.from('\ufeffé', 'utf16le'), 'text/html; charset=windows-1252')).toBe('é')
  })
  it('believes the Content-Type before a meta element', () => {
    expect(decodeBody(bytes('<meta charset=utf-8>\xe9'), 'text/html; charset=iso-8859-1')).toBe('<meta charset=utf-8>é')
  })
  it('believes a meta element when the Content-Type names no charset or an unknown one', () => {
    expect(decodeBody(bytes('<meta charset=koi8-r>\xc1'), 'text/html; charset=nonsense')).toBe('<meta charset=koi8-r>а')
  })
  it('reads the declaration of XML', () => {
    expect(decodeBody(bytes('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb1</a>'), undefined)).toContain('ą')
  })
  it('takes undeclared bytes as UTF-8 when they are valid UTF-8, else as windows-1252', () => {
    expect(decodeBody(Buffer.from('naïve “x”'), undefined)).toBe('naïve “x”')
    expect(decodeBody(bytes('na\xefve \x93x\x94'), undefined)).toBe('naïve “x”')
  })
  it('does not believe a declaration that breaks what is flawless UTF-8', () => {
    expect(decodeBody(Buffer.from('<meta charset=gbk>新电脑已可利用记忆自学'), undefined)).toContain('新电脑已可')
    expect(decodeBody(Buffer.from('naïve'), 'text/html; charset=windows-1252')).toBe('naÃ¯ve')
  })
  it('returns well-formed text without NUL', () => {
    const text = decodeBody(Buffer.from([0x61, 0, 0x62, 0xff, 0xfe, 0xed, 0xa0, 0x80]), 'text/html; charset=utf-8')
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toContain('\0')
  })
})

describe.skipIf(missing !== '')(`published charset cases${missing}`, () => {
  it('finds the charset of a Content-Type as MIME Sniffing does', () => {
    for (const { contentType, encoding } of load<{ contentType: string; encoding: string | null }>(
      'content-type.json',
    )) {
      expect([contentType, charsetOfContentType(contentType)?.toUpperCase()]).toEqual([
        contentType,
        encoding ?? undefined,
      ])
    }
  })
  it('finds what a meta element declares as HTML does', () => {
    for (const { html, html_b64, encoding } of load<{ html?: string; html_b64?: string; encoding: string }>(
      'prescan.json',
    )) {
      const body = html_b64 === undefined ? Buffer.from(html ?? '') : Buffer.from(html_b64, 'base64')
      const label = prescanCharset(body)
      const found = label === undefined ? 'windows-1252' : new TextDecoder(label).encoding
      expect([body.toString('latin1', 0, 200), found]).toEqual([body.toString('latin1', 0, 200), encoding])
    }
  })
  it('reads text that declares no encoding as what it is', () => {
    for (const { file, encoding, bytes_b64 } of load<{ file: string; encoding: string; bytes_b64: string }>(
      'detect.json',
    )) {
      const body = Buffer.from(bytes_b64, 'base64')
      expect([file, decodeBody(body, undefined)]).toEqual([file, tidy(new TextDecoder(encoding).decode(body))])
    }
  })
})
