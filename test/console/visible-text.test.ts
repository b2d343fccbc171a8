import { describe, expect, it } from 'vitest'
import { pathOf, visibleText, visibleUrl } from '../../console/visible-text.ts'

describe('a text of a stranger', () => {
  it.each([
    ['Quokka invoice \u202Efdp.exe', 'Quokka invoice fdp.exe'],
    ['\u2067\u2066a\u2069\u2069 b\u200F\u200E\u061C', 'a b'],
    ['line\nbreak\u2028and\u2029more\u0085', 'line break and more'],
    ['zero\u200Bwidth\uFEFF\u2060\u00ADs', 'zerowidths'],
    ['tag\u{E0041}\u{E007F} \u0000\u001B[31m\u009B', 'tag [31m'],
    ['\u202E \u200B', ''],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  it.each(['שלום עולם', 'نمی\u200Cخواهم', 'क्\u200Dष', '👩\u200D👩\u200D👧 ❤\uFE0F', 'Ein Titel – mit „Zeichen“'])(
    '%j stays as it is',
    text => {
      expect(visibleText(text)).toBe(text)
    },
  )
})

describe('an address of a stranger', () => {
  it.each([
    ['https://a.example/', ''],
    ['https://a.example/stra%C3%9Fe/%D7%A9%D7%9C%D7%95%D7%9D?q=%E6%BC%A2', '/straße/שלום?q=漢'],
    // Bidirectional controls would move what stands beside them.
    ['https://a.example/%E2%80%AEmoc.elgoog%E2%80%AC/x', '/%E2%80%AEmoc.elgoog%E2%80%AC/x'],
    ['https://a.example/\u202Emoc\u2066', '/%E2%80%AEmoc%E2%81%A6'],
    // So would spaces, separators and what cannot be seen.
    [
      'https://a.example/a%E2%80%83%C2%A0%E3%80%80b%E2%80%8B%E3%85%A4%E2%A0%80',
      '/a%E2%80%83%C2%A0%E3%80%80b%E2%80%8B%E3%85%A4%E2%A0%80',
    ],
    ['https://a.example/%2F%25%20%00%7Fx', '/%2F%25%20%00%7Fx'],
    ['https://a.example/%FF%C3', '/%FF%C3'],
    ['no url\u202E', 'no url'],
  ])('%j has the path %j', (url, path) => {
    expect(pathOf(url)).toBe(path)
  })

  it('is shown with its host in ASCII', () => {
    expect(visibleUrl('https://münchen.example/\u202Ea%C3%BC')).toBe('https://xn--mnchen-3ya.example/%E2%80%AEaü')
  })
})
