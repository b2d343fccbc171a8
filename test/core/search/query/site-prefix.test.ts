import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBelowPath, readSitePrefix, sitePrefixOf } from '../../../../core/search/query/site-prefix.ts'
import { normalizeUrl } from '../../../../core/url.ts'

describe('an entry of a list of sites', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Example.COM/', 'example.com'],
    [' https://example.com/docs ', 'example.com/docs'],
    ['*.example.com/docs/', 'example.com/docs'],
    ['example.com:443/docs', 'example.com/docs'],
    ['example.com/Docs', 'example.com/Docs'],
    ['example.com/caf%c3%a9', 'example.com/caf%C3%A9'],
    ['example.com/café', 'example.com/caf%C3%A9'],
    ['example.com/%64ocs', 'example.com/docs'],
    ['example.com/a/../docs', 'example.com/docs'],
    ['example.com/a//', 'example.com/a/'],
    ['[::1]/docs', '::1/docs'],
    ['bücher.example/neu', 'xn--bcher-kva.example/neu'],
  ])('%j is %j', (entry, prefix) => {
    expect(readSitePrefix(entry)).toBe(prefix)
  })

  it.each([
    ['example.com/docs?a=1', 'has a query or a fragment'],
    ['example.com?a=1', 'has a query or a fragment'],
    ['example.com/docs#top', 'has a query or a fragment'],
    ['example.com:8080/docs', 'has a port'],
    ['example.com/a b', 'has white space'],
    ['example.com/a\\b', 'has white space or a backslash'],
    [`example.com/${'a'.repeat(2_048)}`, 'is longer than 2048 characters'],
    ['/docs', 'is not a domain'],
    ['a b/docs', 'is not a domain'],
  ])('is refused as %j, because it %s', (entry, reason) => {
    expect(() => readSitePrefix(entry)).toThrow(
      expect.objectContaining({
        code: 'ASOF_INVALID_OPTION',
        message: expect.stringContaining(reason) as string,
        details: expect.objectContaining({ field: 'site' }) as object,
      }),
    )
  })

  it('has a path that matches the path itself and what is below it, and no other', () => {
    const below = (url: string) => isBelowPath(normalizeUrl(url), '/docs')
    for (const url of ['/docs', '/docs/', '/docs/a', '/docs?x=1', '/docs/?x', '/docs#top', '/%64ocs/a'])
      expect([url, below(`https://example.com${url}`)]).toEqual([url, true])
    for (const url of ['/', '/docsearch', '/Docs', '/a/docs', '/doc', '/?/docs/', '/docs%2Fa'])
      expect([url, below(`https://example.com${url}`)]).toEqual([url, false])
    expect(below('https://docs/')).toBe(false)
  })

  it('matches the URL that it was taken from, whatever the path', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), url => {
        fc.pre(url.length < 1_000)
        const { host, pathname } = new URL(url)
        fc.pre(!host.includes(':'))
        const { site, path } = sitePrefixOf(readSitePrefix(`${host}${pathname}`))
        expect(site).toBe(host)
        if (path !== undefined) expect(isBelowPath(normalizeUrl(url), path)).toBe(true)
      }),
    )
  })
})
