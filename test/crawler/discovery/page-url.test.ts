import { describe, expect, it } from 'vitest'
import { parameterNames, tryNormalize, withoutParameters } from '../../../crawler/discovery/page-url.ts'

describe('tryNormalize', () => {
  it.each([
    ['https://a.org/x;jsessionid=1A2B?y=1', 'https://a.org/x?y=1'],
    ['https://a.org/(S(abc123))/x.aspx', 'https://a.org/x.aspx'],
    ['https://a.org/x?PHPSESSID=1&y=2', 'https://a.org/x?y=2'],
    ['https://a.org/x?y=2&jsessionid=3', 'https://a.org/x?y=2'],
    ['https://a.org/x?sessions=3', 'https://a.org/x?sessions=3'],
    ['https://a.org/S(abc)', 'https://a.org/S(abc)'],
  ])('turns %s into %s, without its session identifier', (url, expected) => {
    expect(tryNormalize(url)).toBe(expected)
  })
  it('returns undefined for a URL that is not http or https', () => {
    expect(tryNormalize('mailto:x@a.org')).toBeUndefined()
  })
})

describe('query parameters', () => {
  it('are listed and removed by name', () => {
    const url = 'https://a.org/x?a=1&b&a=2&c=3'
    expect(parameterNames(url)).toEqual(['a', 'b', 'c'])
    expect(withoutParameters(url, new Set(['a', 'b']))).toBe('https://a.org/x?c=3')
    expect(withoutParameters(url, new Set(['a', 'b', 'c']))).toBe('https://a.org/x')
    expect(parameterNames('https://a.org/')).toEqual([])
  })
})
