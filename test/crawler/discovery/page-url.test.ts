import { describe, expect, it } from 'vitest'
import { parameterNames, tryNormalize, withoutParameters } from '../../../crawler/discovery/page-url.ts'

describe('the URL a page is known by', () => {
  it.each([
    ['https://a.org/x;jsessionid=1A2B?y=1', 'https://a.org/x?y=1'],
    ['https://a.org/(S(abc123))/x.aspx', 'https://a.org/x.aspx'],
    ['https://a.org/x?PHPSESSID=1&y=2', 'https://a.org/x?y=2'],
    ['https://a.org/x?y=2&jsessionid=3', 'https://a.org/x?y=2'],
    ['https://a.org/x?sessions=3', 'https://a.org/x?sessions=3'],
    ['https://a.org/S(abc)', 'https://a.org/S(abc)'],
  ])('%s is %s: a session names a visitor, not a page', (url, expected) => {
    expect(tryNormalize(url)).toBe(expected)
  })
  it('is none for what is no URL of the web', () => {
    expect(tryNormalize('mailto:x@a.org')).toBeUndefined()
  })
  it('can do without parameters, by name', () => {
    const url = 'https://a.org/x?a=1&b&a=2&c=3'
    expect(parameterNames(url)).toEqual(['a', 'b', 'c'])
    expect(withoutParameters(url, new Set(['a', 'b']))).toBe('https://a.org/x?c=3')
    expect(withoutParameters(url, new Set(['a', 'b', 'c']))).toBe('https://a.org/x')
    expect(parameterNames('https://a.org/')).toEqual([])
  })
})
