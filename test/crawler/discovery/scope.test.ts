import { describe, expect, it } from 'vitest'
import { Scope } from '../../../crawler/discovery/scope.ts'

const scope = (seeds: string[], definition: object = {}) =>
  new Scope({ seeds, scope: { type: 'host', ...definition } }, () => Date.UTC(2026, 0, 1))

describe('the scope of a crawl', () => {
  it('host: includes the hosts of the seeds with their ports, over http and https', () => {
    const host = scope(['https://docs.a.org/x'])
    expect(['https://docs.a.org/', 'http://docs.a.org/y'].every(url => host.includes(url))).toBe(true)
    expect(
      ['https://a.org/', 'https://docs.a.org:8443/', 'https://docs.a.org.evil.net/', 'mailto:x@a.org', 'x'].some(url =>
        host.includes(url),
      ),
    ).toBe(false)
  })
  it('domain: includes the registrable domain, by the public suffix list', () => {
    const domain = scope(['https://docs.a.co.uk/'], { type: 'domain' })
    expect(domain.includes('https://www.a.co.uk/')).toBe(true)
    expect(domain.includes('https://b.co.uk/')).toBe(false)
    expect(scope(['https://a.github.io/'], { type: 'domain' }).includes('https://b.github.io/')).toBe(false)
  })
  it('prefix: includes URLs that start with a seed, up to the end of a path segment', () => {
    const prefix = scope(['https://a.org/docs', 'https://a.org/blog/index.html'], { type: 'prefix' })
    expect(['/docs', '/docs/x', '/blog/', '/blog/1'].every(path => prefix.includes(`https://a.org${path}`))).toBe(true)
    expect(['/', '/docsold', '/bloggers'].some(path => prefix.includes(`https://a.org${path}`))).toBe(false)
  })
  it('takes include and exclude as path prefixes, and exclude wins', () => {
    const both = scope(['https://a.org/'], { include: ['/en/'], exclude: ['/en/old/'] })
    expect(['/en/x', '/en/old/x', '/de/x'].map(path => both.includes(`https://a.org${path}`))).toEqual([
      true,
      false,
      false,
    ])
  })
  it('matches include and exclude with * and $ against path and query, whatever characters are percent-encoded', () => {
    const patterns = scope(['https://a.org/'], { include: ['/*.html$', '/q?*page=', '/\u00fc'], exclude: ['/*print'] })
    const answers = ['/a.html', '/a.html?x=1', '/q?a=1&page=2', '/print.html', '/%C3%BCber', '/q'].map(path =>
      patterns.includes(`https://a.org${path}`),
    )
    expect(answers).toEqual([true, false, true, false, true, false])
  })
  it('excludes URLs of crawler traps: very long, very deep and repeating paths', () => {
    const host = scope(['https://a.org/'])
    expect(host.includes(`https://a.org/${'x'.repeat(2100)}`)).toBe(false)
    expect(host.includes(`https://a.org/${Array.from({ length: 40 }, (_, i) => i).join('/')}`)).toBe(false)
    expect(host.includes('https://a.org/a/b/a/b/a/b/a/b')).toBe(false)
    expect(host.includes('https://a.org/a/b/a/b')).toBe(true)
  })
})
