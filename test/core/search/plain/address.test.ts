import { describe, expect, it } from 'vitest'
import { addressOf } from '../../../../core/search/plain/address.ts'
import { readSiteValue } from '../../../../core/search/query/site-value.ts'

describe('an address without a scheme', () => {
  it.each([
    ['example.com', 'example.com', 'https://example.com/'],
    [' WWW.Example.COM. ', 'example.com', 'https://example.com/'],
    ['example.com/docs', 'example.com', 'https://example.com/docs'],
    ['example.com:8080/docs?a=1#b', 'example.com', 'https://example.com:8080/docs?a=1'],
    ['münchen.example/ä', 'xn--mnchen-3ya.example', 'https://xn--mnchen-3ya.example/%C3%A4'],
    ['localhost:3000', 'localhost', 'https://localhost:3000/'],
    ['192.0.2.7/x', '192.0.2.7', 'https://192.0.2.7/x'],
    ['[2001:db8::7]/x', '2001:db8::7', 'https://[2001:db8::7]/x'],
    ['node.js', 'node.js', 'https://node.js/'],
  ])('is %j: a page of %s, perhaps %s', (query, site, url) => {
    expect(addressOf(query)).toMatchObject({ site, urls: expect.arrayContaining([url]) })
  })

  it.each([
    'example',
    'two words.example',
    '1.2',
    'v1.2',
    'user@example.com',
    'a..b',
    '.net',
    'localhost',
    '"a.b"',
    'a:b.c',
    '...',
  ])('is not %j', query => expect(addressOf(query)).toBeUndefined())

  it('may have either scheme, www. and a slash at its end', () => {
    expect(addressOf('a.example/b')?.urls).toEqual([
      'https://a.example/b',
      'http://a.example/b',
      'https://www.a.example/b',
      'http://www.a.example/b',
      'https://a.example/b/',
      'http://a.example/b/',
      'https://www.a.example/b/',
      'http://www.a.example/b/',
    ])
  })
})

it.each([
  ['a.example', 'a.example', undefined],
  ['*.A.example/', 'a.example', undefined],
  ['.edu', 'edu', undefined],
  ['https://a.example:443', 'a.example', undefined],
  ['a.example:8080', 'a.example', 'a.example:8080'],
  ['a.example/b%20c/?d#e', 'a.example', 'a.example/b c/?d'],
  ['2001:db8::7', '2001:db8::7', undefined],
  ['[2001:db8::7]:81/x', '2001:db8::7', '[2001:db8::7]:81/x'],
])('reads %j after site: as %s', (value, site, address) => {
  expect(readSiteValue(value)).toEqual(address === undefined ? { site } : { site, address })
})
