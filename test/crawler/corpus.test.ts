import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corpusOfSeeds, loadCorpus, parseCorpus } from '../../crawler/corpus.ts'
import { Scope } from '../../crawler/discovery/scope.ts'

const invalid = (definition: unknown) => {
  try {
    parseCorpus(definition)
    return 'valid'
  } catch (error) {
    const { code, details } = error as { code: string; details: { issues: { path: string }[] } }
    return `${code} ${details.issues[0]?.path}`
  }
}

describe('parseCorpus', () => {
  it('needs only a name and seeds; the scope defaults to the hosts of the seeds', () => {
    expect(parseCorpus({ name: 'docs', seeds: ['https://a.org/'] }).scope).toEqual({ type: 'host' })
  })
  it.each([
    [{ name: 'Bad Name', seeds: ['https://a.org/'] }, 'name'],
    [{ name: '../up', seeds: ['https://a.org/'] }, 'name'],
    [{ name: 'a', seeds: [] }, 'seeds'],
    [{ name: 'a', seeds: ['file:///etc/passwd'] }, 'seeds[0]'],
    [{ name: 'a', seeds: ['https://a.org/'], maxPages: 0 }, 'maxPages'],
    [{ name: 'a', seeds: ['https://a.org/'], userAgent: '1 bad\r\nx: y' }, 'userAgent'],
    [{ name: 'a', seeds: ['https://a.org/'], scope: { type: 'host', include: ['docs'] } }, 'scope.include[0]'],
    [{ name: 'a', seeds: ['https://a.org/'], unknown: 1 }, 'unknown'],
    [{ name: 'a', seeds: ['https://a.org/'], fields: { price: 'offers.price' } }, 'fields.price'],
    [
      { name: 'a', seeds: ['https://a.org/'], fields: { price: { from: 'css: p[', type: 'number' } } },
      'fields.price.from',
    ],
    [{ name: 'a', seeds: ['https://a.org/'], fields: { price: { from: 'css: p', type: 'texts' } } }, 'fields.price'],
    [null, ''],
  ])('rejects %j because of the field "%s"', (definition, path) => {
    expect(invalid(definition)).toBe(`ASOF_CORPUS_INVALID ${path}`)
  })
})

describe('loadCorpus', () => {
  it('loads a JSON file, and throws ASOF_CORPUS_INVALID if it cannot be read or parsed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'asof-corpus-'))
    const file = join(dir, 'c.json')
    await writeFile(file, '{"name":"c","seeds":["https://a.org/"],"maxDepth":2}')
    expect((await loadCorpus(file)).maxDepth).toBe(2)
    await writeFile(file, '{"name":')
    await expect(loadCorpus(file)).rejects.toMatchObject({ code: 'ASOF_CORPUS_INVALID' })
    await expect(loadCorpus(join(dir, 'none.json'))).rejects.toMatchObject({ code: 'ASOF_CORPUS_INVALID' })
    await rm(dir, { recursive: true })
  })
})

describe('corpusOfSeeds', () => {
  it('derives the name from the set of seeds, whatever their order', () => {
    const [a, b, c] = [
      ['https://a.org/', 'https://b.org/'],
      ['https://b.org/', 'https://a.org/'],
      ['https://a.org/'],
    ].map(seeds => corpusOfSeeds(seeds).name.slice(-12))
    expect(a).toBe(b)
    expect(a).not.toBe(c)
    expect(() => corpusOfSeeds([])).toThrow()
    expect(() => corpusOfSeeds(['http://[::1]:80/'])).not.toThrow()
  })
})

const scope = (seeds: string[], definition: object = {}) =>
  new Scope(parseCorpus({ name: 'c', seeds, scope: definition }), () => Date.UTC(2026, 0, 1))

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
