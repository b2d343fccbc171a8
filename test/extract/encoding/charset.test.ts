import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { charsetOfContentType, decodeBody, tidy } from '../../../extract/encoding/charset.ts'
import { CharsetDecoder } from '../../../extract/encoding/charset-decoder.ts'
import { prescanCharset } from '../../../extract/encoding/charset-prescan.ts'

const fixtures = new URL('../../../../shared/fixtures/charset/', import.meta.url)
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
    expect(decodeBody(Buffer.from('<meta charset=gbk>新电脑已可利用'), undefined)).toContain('新电脑已可')
    for (const text of ['naïve', '© 2023', '“x”', 'Привет', '你好']) {
      expect(decodeBody(Buffer.from(text), 'text/html; charset=windows-1252')).toBe(text)
      expect(decodeBody(Buffer.from(`${text} ${text} é`).subarray(0, -1), 'text/html; charset=koi8-r')).toContain(text)
    }
    expect(decodeBody(Buffer.from('<meta charset=utf-16><p>x'), undefined)).toBe('<meta charset=utf-16><p>x')
    expect(decodeBody(Buffer.from('<p>naïve'), 'text/html; charset=utf-16')).toBe('<p>naïve')
  })
  it.each([
    ['CAFÉ®, in one pair of bytes that is valid UTF-8 by accident', 'iso-8859-1', bytes('CAF\xc9\xae'), 'CAFÉ®'],
    ['two characters of GBK that are valid UTF-8', 'gbk', bytes('\xc3\xb5\xc2\xb7'), '玫路'],
  ])('believes the declaration of %s', (_what, charset, body, text) => {
    expect(decodeBody(body, `text/html; charset=${charset}`)).toBe(text)
  })
  it.each([
    [
      'windows-1251',
      'd1f3e4e020f0e0e7e3f0f3e6e0fef2f1ff20f2eeebfceaee20efee20f3f2f0e0ec2e',
      'Суда разгружаются только по утрам.',
    ],
    ['windows-1252', '636166e9206175206c616974', 'café au lait'],
    ['windows-1252 quotation marks', '4974927320612093666972737494', 'It’s a “first”'],
    [
      'Shift_JIS',
      '8d6082cc914482cd92a982be82af89d782f089ba82eb82b58141975b95fb82c982cd8d6082cd8bf382c982c882e882dc82b78142',
      '港の船は朝だけ荷を下ろし、夕方には港は空になります。',
    ],
    [
      'EUC-JP',
      'b9c1a4cec1a5a4cfc4aba4c0a4b1b2d9a4f2b2bca4eda4b7a1a2cdbccafda4cba4cfb9c1a4cfb6f5a4cba4caa4eaa4dea4b9a1a3',
      '港の船は朝だけ荷を下ろし、夕方には港は空になります。',
    ],
    [
      'GBK',
      'b8dbbfdab5c4b4acd6bbd6bbd4dad4e7c9cfd0b6bbf5a3accdedc9cfb8dbbfdacac7bfd5b5c4a1a3',
      '港口的船只只在早上卸货，晚上港口是空的。',
    ],
    [
      'EUC-KR',
      'c7d7b1b8c0c720b9e8b5e9c0ba20beC6c4a7bfa1b8b820c1fcc0bb20b3bbb8aeb0ed',
      '항구의 배들은 아침에만 짐을 내리고',
    ],
    ['ISO-2022-JP', '1b2442242224241b2842', 'あい'],
  ])('detects %s though UTF-8 is declared', (_name, hex, text) => {
    expect(decodeBody(Buffer.from(hex, 'hex'), 'text/html; charset=utf-8')).toBe(text)
  })
  it('detects the encoding of a short text by the language of the page', () => {
    const body = Buffer.concat([bytes('<html lang=th><meta charset=utf-8>'), Buffer.from('e0c3d7cd', 'hex')])
    expect(decodeBody(body, undefined)).toContain('เรือ')
  })
  it('detects UTF-16 without a byte order mark though UTF-8 is declared', () => {
    expect(decodeBody(Buffer.from('<p>für Schiffe</p>', 'utf16le'), 'text/html; charset=utf-8')).toBe(
      '<p>für Schiffe</p>',
    )
    const cyrillic = '# Привет\n\nТекст страницы о гавани.'
    expect(decodeBody(Buffer.from(cyrillic, 'utf16le'), 'text/markdown')).toBe(cyrillic)
    expect(decodeBody(Buffer.from(cyrillic, 'utf16le').swap16(), 'text/markdown')).toBe(cyrillic)
  })
  it('keeps UTF-8 with a few stray bytes, a character that is cut off, or written replacement characters', () => {
    const stray = Buffer.concat([Buffer.from('naïve “x” Привет '), bytes('\xe9 \x92')])
    expect(decodeBody(stray, 'text/html; charset=utf-8')).toBe('naïve “x” Привет \ufffd \ufffd')
    for (const length of [1, 2, 3])
      expect(decodeBody(Buffer.from('abc 😀').subarray(0, -length), 'text/html; charset=utf-8')).toBe('abc \ufffd')
    expect(
      decodeBody(Buffer.concat([Buffer.from('a\ufffd\ufffdb'), bytes('\xe9 x')]), 'text/html; charset=utf-8'),
    ).toBe('a\ufffd\ufffdb\ufffd x')
  })
  it('reads undeclared UTF-8 with a stray byte as UTF-8', () => {
    const stray = Buffer.concat([Buffer.from('naïve “x” été, '), bytes('\xe9 '), Buffer.from('Zürich')])
    expect(decodeBody(stray, undefined)).toBe('naïve “x” été, \ufffd Zürich')
  })
  it('recognizes Mac Roman by its small letters', () => {
    expect(decodeBody(bytes('Z\x9frich, Gen\x8fve, K\x9aln'), undefined)).toBe('Zürich, Genève, Köln')
    expect(decodeBody(bytes('Z\xfcrich, Gen\xe8ve, K\xf6ln, it\x92s'), undefined)).toBe('Zürich, Genève, Köln, it’s')
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
      expect([file, decodeBody(body, undefined)]).toEqual([file, tidy(new CharsetDecoder(encoding).decode(body))])
    }
  })
})
