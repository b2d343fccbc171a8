import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostOf, hostSuffixes, MAX_URL_CHARS, normalizePrefix, normalizeUrl, parseSite } from '../../core/url.ts'

const fixture = new URL('../../../shared/fixtures/urls/normalize.json', import.meta.url)
const invalidUrl = expect.objectContaining({ code: 'ASOF_INVALID_URL' })

describe('normalizePrefix', () => {
  it.each([
    ['HTTPS://Shop.Example:443', 'https://shop.example/'],
    ['https://shop.example?a', 'https://shop.example/?a'],
    ['https://shop.example/%7ea/é|', 'https://shop.example/~a/%C3%A9%7C'],
    ['https://shop.example/a%2fb?c=%zz', 'https://shop.example/a%2Fb?c=%25zz'],
    ['https://shop.example/?utm', 'https://shop.example/?utm'],
    ['file:///a/b', 'file:///a/b'],
    ['DOC:p', 'doc:p'],
    ['doc:orders/%41 b?c', 'doc:orders/A%20b%3Fc'],
  ])('keeps all of %j', (prefix, normal) => expect(normalizePrefix(prefix)).toBe(normal))

  it.each([
    'https://shop.example/?utm_source=',
    'https://shop.example/a#b',
    'https://shop.example/a?',
    'https://shop.example?',
    'https://shop.example/?a=1&',
    'https://shop.example/?a=1&gclid=2',
    'https://shop.example/a/../b',
    'https://shop.example/a/%2e%2e/b',
    'https://shop.example/a/.',
    'file:///a/../b',
    'doc:p#x',
  ])('rejects %j, of which a part would be removed', prefix =>
    expect(() => normalizePrefix(prefix)).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'prefix', value: prefix } }),
    ),
  )
})

describe('normalizeUrl', () => {
  it.each([
    ['HTTP://Example.COM', 'http://example.com/'],
    ['  https://example.com/a\n', 'https://example.com/a'],
    ['http://example.com:80/', 'http://example.com/'],
    ['https://example.com:443/', 'https://example.com/'],
    ['https://example.com:80/', 'https://example.com:80/'],
    ['http://example.com./a', 'http://example.com/a'],
    ['http://example.com.:8080/a', 'http://example.com:8080/a'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://[::1]:80/', 'http://[::1]/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://example.com/a#b', 'http://example.com/a'],
    ['http://example.com/a?#b', 'http://example.com/a'],
    ['http://example.com/a/./b/../c', 'http://example.com/a/c'],
    ['http://example.com/a/%2e%2E/c', 'http://example.com/c'],
    ['http://example.com/%7euser/%61%2d%5f', 'http://example.com/~user/a-_'],
    ['http://example.com/a%2fb', 'http://example.com/a%2Fb'],
    ['http://example.com/50%', 'http://example.com/50%25'],
    ['http://example.com/%%34%31', 'http://example.com/%2541'],
    ['http://example.com/a b|c', 'http://example.com/a%20b%7Cc'],
    ['http://example.com/é', 'http://example.com/%C3%A9'],
    ['http://example.com/?q=%7e%c3%a9', 'http://example.com/?q=~%C3%A9'],
    ['http://example.com/?b=2&a=1&b=1', 'http://example.com/?b=2&a=1&b=1'],
    ['http://example.com/?a=&b', 'http://example.com/?a=&b'],
    ['http://example.com/?&&a=1&', 'http://example.com/?a=1'],
    ['http://example.com/?utm_source=x&a=1&UTM_Medium=y&fbclid=z', 'http://example.com/?a=1'],
    ['http://example.com/?utm%5fsource=x&gclid=1&msclkid=2&mc_eid=3', 'http://example.com/'],
    ['http://example.com/?utm=1&id=fbclid&ref=a', 'http://example.com/?utm=1&id=fbclid&ref=a'],
    ['http://www.example.com//a//', 'http://www.example.com//a//'],
    ['file:///a/b%20c.html#top', 'file:///a/b%20c.html'],
    ['file:///%43|/x', 'file:///C%7C/x'],
    ['file://localhost/x', 'file:///x'],
  ])('makes %j into %j', (given, normal) => {
    expect(normalizeUrl(given)).toBe(normal)
  })

  it.each([
    '',
    'example.com',
    '//example.com/',
    '/a',
    'ftp://example.com/',
    'javascript:alert(1)',
    'data:,x',
    'mailto:a@example.com',
    'http://',
    'http://./',
    'http://a b/',
    'http://example.com:99999/',
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://:secret@example.com/',
    `http://example.com/${'a'.repeat(MAX_URL_CHARS)}`,
    `http://example.com/${'é'.repeat(MAX_URL_CHARS / 5)}`,
    `http://example.com/?utm_source=${'a'.repeat(20_000)}`,
  ])('refuses %j', given => {
    expect(() => normalizeUrl(given)).toThrowError(invalidUrl)
  })

  it('accepts a URL of exactly the maximum length, and a longer one that only exceeds it by tracking parameters', () => {
    const longest = `http://example.com/${'a'.repeat(MAX_URL_CHARS - 'http://example.com/'.length)}`
    expect(normalizeUrl(longest)).toBe(longest)
    expect(normalizeUrl(`${longest}?utm_campaign=x`)).toBe(longest)
    expect(() => normalizeUrl(`${longest}a`)).toThrowError(invalidUrl)
  })

  it('names the URL in the error, cut to 200 characters and without credentials', () => {
    expect(() => normalizeUrl('x'.repeat(500))).toThrowError(
      expect.objectContaining({ details: { url: 'x'.repeat(200) } }),
    )
    expect(() => normalizeUrl('http://me:secret@example.com/a')).toThrowError(
      expect.objectContaining({ details: { url: 'http://example.com/a' } }),
    )
  })

  it('changes nothing when applied twice, and keeps the host', () => {
    const part = fc.string({
      unit: fc.constantFrom(...'aZ09-._~%/\\?&=+ |[]^{}"<>\'éß漢;:@!$(,)*', '%2', '%41', '%2e', '%7C', 'utm_x='),
    })
    const url = fc
      .tuple(
        fc.constantFrom('http:', 'https:', 'file:'),
        fc.constantFrom('//example.com', '//b.example.', '//1.2.3.4:80', '///C|', '//'),
        part,
        part,
      )
      .map(([scheme, host, path, query]) => `${scheme}${host}/${path}?${query}`)
    fc.assert(
      fc.property(fc.oneof(url, fc.webUrl({ withQueryParameters: true, withFragments: true })), given => {
        const once = normalizedOrUndefined(given)
        fc.pre(once !== undefined)
        expect(normalizeUrl(once)).toBe(once)
        expect(hostOf(once)).toBe(hostOf(given))
      }),
      { numRuns: 1000 },
    )
  })

  it('normalizes or rejects any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), given => {
        expect(normalizedOrUndefined(given) ?? 'file:').toMatch(/^(https?|file):/)
      }),
    )
  })

  it.skipIf(!existsSync(fixture))('agrees with three other normalizers where the policy is the same', () => {
    const cases: { policy: string; in: string; out: string | null }[] = JSON.parse(readFileSync(fixture, 'utf8'))
    let compared = 0
    for (const { policy, in: given, out } of cases) {
      if (!/^(BasicURLNormalizer|canonicalize_url|semantic_precise)/.test(policy)) continue
      // asof rejects relative URLs, other schemes, credentials, empty hosts, and hosts that the WHATWG parser rejects.
      const parsed = URL.parse(given)
      const refused =
        parsed === null ||
        !/^https?:$/.test(parsed.protocol) ||
        parsed.username + parsed.password !== '' ||
        /^\.+$/.test(parsed.hostname)
      if (refused) {
        expect(() => normalizeUrl(given), given).toThrowError(invalidUrl)
        continue
      }
      // The others collapse empty path segments; for asof, /a//b and /a/b are different pages.
      if (parsed.pathname.includes('//')) continue
      // The others decode repeatedly; for asof, %2561 is the text "%61" (RFC 3986, 2.4).
      if (/%25|%%/.test(given)) continue
      // The input of urlcanon was bytes, which these strings contain as Latin-1.
      if (policy === 'semantic_precise' && /[\u0080-\u00ff]/.test(given)) continue
      // The others keep fragments, and sort parameters or drop the "=" of an empty one; asof keeps the order of parameters.
      expect(withSortedQuery(normalizeUrl(given)), given).toBe(withSortedQuery(out!.replace(/#.*$/s, '')))
      compared++
    }
    expect(compared).toBeGreaterThan(90)
  })
})

function normalizedOrUndefined(url: string): string | undefined {
  try {
    return normalizeUrl(url)
  } catch (error) {
    expect(error).toEqual(invalidUrl)
    return undefined
  }
}

function withSortedQuery(url: string): string {
  const [path, query = ''] = url.split('?', 2)
  return `${path}?${query
    .split('&')
    .map(parameter => parameter.replace(/=$/, ''))
    .filter(parameter => parameter !== '' && !parameter.startsWith('='))
    .sort()
    .join('&')}`
}

describe('hostOf', () => {
  it.each([
    ['http://Docs.Example.com:8080/a', 'docs.example.com'],
    ['https://example.com./', 'example.com'],
    ['http://[::1]:8080/', '::1'],
    ['http://127.0.0.1:1/', '127.0.0.1'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['file:///a/b', ''],
    ['file://server/share', ''],
  ])('of %j is %j', (url, host) => {
    expect(hostOf(url)).toBe(host)
  })

  it('rejects text that is not a web address', () => {
    expect(() => hostOf('example.com')).toThrowError(invalidUrl)
    expect(() => hostOf('mailto:a@example.com')).toThrowError(invalidUrl)
  })
})

describe('hostSuffixes', () => {
  it.each([
    ['docs.example.com', ['docs.example.com', 'example.com', 'com']],
    ['localhost', ['localhost']],
    ['127.0.0.1', ['127.0.0.1']],
    ['::1', ['::1']],
    ['', []],
  ])('of %j are %j', (host, suffixes) => {
    expect(hostSuffixes(host)).toEqual(suffixes)
  })
})

describe('parseSite', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Docs.EXAMPLE.com', 'docs.example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['localhost', 'localhost'],
    ['com', 'com'],
    ['my_host.example', 'my_host.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['[2001:DB8:0:0::1]', '2001:db8::1'],
  ])('reads %j as %j', (site, host) => {
    expect(parseSite(site)).toBe(host)
  })

  it.each([
    '',
    ' ',
    '.',
    '..',
    'example..com',
    '.example.com',
    'example.com..',
    'http://example.com',
    'https:example.com',
    'example.com/',
    'example.com/a',
    'example.com:80',
    '127.0.0.1:80',
    '[::1]:80',
    '[::1',
    'example com',
    ' example.com',
    'example.com\n',
    'user@example.com',
    'example.com?a',
    'example.com#a',
    'example%2Ecom',
    '*.example.com',
    '12345',
    '127.1',
    '0x7f.1',
    '1:2',
    ':::',
    'a'.repeat(64),
    `${'a.'.repeat(130)}com`,
    'x'.repeat(100_000),
  ])('refuses %j', site => {
    expect(() => parseSite(site)).toThrowError(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'site', value: site.slice(0, 200) } }),
    )
  })

  it('accepts the host of every web address, which is the first of its suffixes', () => {
    fc.assert(
      fc.property(fc.webUrl(), url => {
        expect(parseSite(hostOf(url))).toBe(hostSuffixes(hostOf(url))[0])
      }),
    )
  })
})
