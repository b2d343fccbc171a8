import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolvePlain } from '../../../extract/html/link-resolver.ts'

const site = 'https://user@a.example:8443'
const base = `${site}/dir/page?`

const part = fc.constantFrom(
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2E',
  '%',
  'a',
  'B',
  '1',
  '-',
  'é',
  ' ',
  '\t',
  '\\',
  '?',
  '#',
  '&',
  '=',
  "'",
  '"',
  '|',
  '[',
  '{',
  '^',
  '`',
  '<',
  ':',
  ':80',
  '@',
  ';',
  '~',
  '.com',
  '.co',
  '.0x1f',
  '127.0.0.1',
  'xn--a',
  'XN--',
)
const reference = fc
  .tuple(
    fc.constantFrom(
      '',
      '/',
      '//',
      'https://',
      'http://',
      'https://a.com/',
      'http://b-c.d.org/',
      'https:/',
      'ftp://a.com/',
    ),
    fc.array(part, { maxLength: 8 }),
  )
  .map(([start, parts]) => start + parts.join(''))

describe('resolvePlain', () => {
  it('returns the same URL as the URL parser, or undefined', () => {
    fc.assert(
      fc.property(reference, written => {
        const plain = resolvePlain(written, site)
        if (plain !== undefined) expect(plain).toBe(URL.parse(written, base)?.href)
      }),
      { numRuns: 20_000 },
    )
  })

  it.each(['/', '/news/2024/a_b.html?id=1&page=2#top', '/%C3%A9', 'https://www.b.example/a/b?c=%20'])(
    'resolves %s',
    written => {
      expect(resolvePlain(written, site)).toBe(URL.parse(written, base)!.href)
    },
  )

  it.each([
    'a.html',
    '//b.example/',
    '/a/../b',
    '/%2E',
    'https://b.example',
    'https://1.2.3.4/',
    'https://xn--a.example/',
  ])('leaves %s to the URL parser', written => {
    expect(resolvePlain(written, site)).toBeUndefined()
  })
})
