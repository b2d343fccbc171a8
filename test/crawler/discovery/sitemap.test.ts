import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFeedDate } from '../../../crawler/discovery/feed-date.ts'
import { MAX_SITEMAP_ENTRIES, parseSitemap } from '../../../crawler/discovery/sitemap.ts'

const urlset = (urls: string[]) =>
  Buffer.from(`<urlset>${urls.map(url => `<url><loc>${url}</loc></url>`).join('')}</urlset>`)

describe('parseSitemap', () => {
  it('decodes entities in locations, and leaves out relative ones if the URL of the file is not known', async () => {
    const { kind, entries } = await parseSitemap(urlset(['https://a.org/?x=1&amp;y=2', '/relative', 'ftp://a.org/']))
    expect(kind).toBe('urlset')
    expect(entries).toEqual([{ url: 'https://a.org/?x=1&y=2' }])
  })
  const urlsIn = async (source: string) =>
    (await parseSitemap(Buffer.from(source), 'https://a.org/dir/feed')).entries.map(({ url }) => url)
  it('resolves relative locations against the file', async () => {
    expect(
      (await parseSitemap(urlset(['/a', ' b?c ', '../d', 'mailto:x']), 'https://a.org/dir/map.xml')).entries,
    ).toEqual(['https://a.org/a', 'https://a.org/dir/b?c', 'https://a.org/d'].map(url => ({ url })))
    expect(await urlsIn('<sitemapindex><sitemap><loc>more.xml</loc></sitemap></sitemapindex>')).toEqual([
      'https://a.org/dir/more.xml',
    ])
  })
  it('lists items of RSS without a link by their permanent link', async () => {
    const rss = (items: string) =>
      urlsIn(`<rss><channel>${items.replaceAll('{', '<item>').replaceAll('}', '</item>')}</channel></rss>`)
    expect(
      await rss('{<guid>https://a.org/1</guid>}{<guid isPermaLink="true"> https://a.org/2 </guid><link/>}'),
    ).toEqual(['https://a.org/1', 'https://a.org/2'])
    expect(
      await rss('{<guid>https://a.org/id</guid><link>/1</link>}{<link>2</link><guid>https://a.org/x</guid>}'),
    ).toEqual(['https://a.org/1', 'https://a.org/dir/2'])
    expect(
      await rss('{<guid isPermaLink="false">https://a.org/1</guid>}{<guid>tag:1</guid>}{<guid>17</guid>}'),
    ).toEqual([])
  })
  it('lists the items of RSS 1.0 with any prefixes', async () => {
    const item =
      '<p:item x:about="https://a.org/1"><p:link>https://a.org/1</p:link><d:date>2020-01-02</d:date></p:item>'
    const named = '<p:item x:about="https://a.org/2"><p:title>t</p:title><m:link>https://m.org/</m:link></p:item>'
    const { entries } = await parseSitemap(
      Buffer.from(`<x:RDF><p:channel><p:link>/</p:link></p:channel>${item}${named}</x:RDF>`),
    )
    expect(entries).toEqual([{ url: 'https://a.org/1', lastmodAt: Date.UTC(2020, 0, 2) }, { url: 'https://a.org/2' }])
  })
  it('resolves links against xml:base, and prefers alternates of HTML', async () => {
    const entry = (inner: string, base = '') => `<entry${base}>${inner}</entry>`
    expect(
      await urlsIn(
        `<feed xml:base="https://b.org/x/">${entry('<link href="1"/>')}${entry('<link href="2"/>', ' xml:base="y/"')}` +
          `${entry('<link rel="self" href="s"/><link rel="alternate" type="application/json" href="j"/><link rel="alternate" type="text/html" href="3"/><link href="4"/>')}` +
          `${entry('<link rel="alternate" href="5" xml:base="/z/"/>')}${entry('<link rel="enclosure" href="e"/>')}</feed>`,
      ),
    ).toEqual(['https://b.org/x/1', 'https://b.org/x/y/2', 'https://b.org/x/3', 'https://b.org/z/5'])
  })
  it('lists the items of a JSON Feed, and nothing of other JSON', async () => {
    const version = 'https://jsonfeed.org/version/1.1'
    const items = [
      { url: '/1', date_modified: '2020-01-02' },
      { id: 'https://a.org/2', external_url: 'https://b.org/' },
      { external_url: 'https://b.org/3' },
      { id: '4' },
      null,
      { url: 5 },
    ]
    const { kind, entries } = await parseSitemap(Buffer.from(JSON.stringify({ version, items })), 'https://a.org/feed')
    expect(kind).toBe('feed')
    expect(entries).toEqual([
      { url: 'https://a.org/1', lastmodAt: Date.UTC(2020, 0, 2) },
      { url: 'https://a.org/2' },
      { url: 'https://b.org/3' },
    ])
    for (const other of ['{"items":[{"url":"https://a.org/"}]}', '{"version":', '{}'])
      expect(await parseSitemap(Buffer.from(other))).toMatchObject({ kind: 'unknown', entries: [] })
  })
  it('keeps priorities from 0 to 1, and the translations of a page', async () => {
    const link = '<xhtml:link rel="alternate" hreflang="de" href="https://a.org/de/1"/>'
    const page = (n: number, inner: string) => `<url><loc>https://a.org/${n}</loc>${inner}</url>`
    const priorities = ['0.8', ' 1.0 ', '7', 'high', '-0.5'].map(text => `<priority>${text}</priority>`)
    const { entries } = await parseSitemap(
      Buffer.from(`<urlset>${priorities.map((inner, n) => page(n, inner)).join('')}${page(9, link)}</urlset>`),
    )
    expect(entries.map(({ priority }) => priority)).toEqual([0.8, 1, undefined, undefined, undefined, undefined])
    expect(entries.at(-1)?.translations).toEqual(['https://a.org/de/1'])
  })
  it('lists the items of an RSS feed, not its channel', async () => {
    const rss = `<rss><channel><link>https://a.org/</link><item><title>t</title><link>https://a.org/1</link>
      <pubDate>Thu, 05 Jan 2017 12:34:50 GMT</pubDate></item></channel></rss>`
    const { kind, entries } = await parseSitemap(Buffer.from(rss))
    expect(kind).toBe('feed')
    expect(entries).toEqual([{ url: 'https://a.org/1', lastmodAt: Date.UTC(2017, 0, 5, 12, 34, 50) }])
  })
  it('reads a gzipped file, and the intact beginning of one that is cut off', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => `https://a.org/${i}-${(i * 7919) % 65_537}`)
    const packed = gzipSync(urlset(many))
    expect((await parseSitemap(packed)).entries).toHaveLength(5000)
    const cut = await parseSitemap(packed.subarray(0, packed.length / 2))
    expect(cut.truncated).toBe(true)
    expect(cut.entries.length).toBeGreaterThan(100)
  })
  it('cuts a file after 50,000 entries and reports it as truncated', async () => {
    const text = Array.from({ length: MAX_SITEMAP_ENTRIES + 10 }, (_, i) => `https://a.org/${i}`).join('\n')
    const { kind, entries, truncated } = await parseSitemap(Buffer.from(text))
    expect([kind, entries.length, truncated]).toEqual(['text', MAX_SITEMAP_ENTRIES, true])
  })
  it('stops reading a gzip bomb at 50 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, 'a'))
    const { kind, truncated } = await parseSitemap(bomb)
    expect([kind, truncated]).toEqual(['unknown', true])
  })
  it('stops at elements more than 1,000 deep', async () => {
    const nested = `<urlset><url><loc>https://a.org/</loc></url>${'<url>'.repeat(5_000_000)}<loc>https://b.org/</loc>`
    const { entries, truncated } = await parseSitemap(Buffer.from(nested))
    expect({ entries, truncated }).toEqual({ entries: [{ url: 'https://a.org/' }], truncated: true })
    const unclosed = await parseSitemap(Buffer.from(`<urlset>${'<url><loc>https://a.org/</loc>'.repeat(500)}`))
    expect(unclosed.entries).toHaveLength(500)
  })
  it.each([
    ['white space', ' '],
    ['line feeds', '\n'],
    ['attributes of one tag', undefined],
  ])('reads 49 MiB of %s in bounded time', async (_, part) => {
    const bytes = 49 * 1024 * 1024
    const attributes = () => `<urlset><url ${Array.from({ length: bytes / 12 }, (_, i) => `a${i}=1`).join(' ')}`
    const body = Buffer.from(part?.repeat(bytes) ?? attributes())
    for (const file of [body, gzipSync(body, { level: 1 })]) {
      const before = process.cpuUsage()
      expect((await parseSitemap(file)).entries).toEqual([])
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(20)
    }
  })
  it('accepts any bytes', async () => {
    const fragments = fc.constantFrom(
      '<urlset>',
      '<url>',
      '<loc>',
      'https://a.org/x',
      '</loc>',
      '</url>',
      '<![CDATA[',
      ']]>',
      '<',
      '&#x;',
      '<feed>',
      '<entry>',
      '<link href="https://a.org/"/>',
      '\0',
      '\n',
    )
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fragments, { maxLength: 30 }).map(parts => Buffer.from(parts.join(''))),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async input => {
        const { entries } = await parseSitemap(input)
        for (const { url } of entries) expect(url).toMatch(/^https?:\/\//)
      }),
    )
  })
})

const file = fileURLToPath(new URL('../../../../shared/fixtures/sitemaps/cases.json', import.meta.url))

interface SitemapCase {
  id: string
  content?: string
  content_b64?: string
  expect: {
    type: string
    urls?: { loc: string; lastmod?: string }[]
    sitemaps?: { loc: string; lastmod?: string }[]
    count?: number
    first?: string
    orRejected?: boolean
  }
}

describe.skipIf(!existsSync(file))('sitemap fixtures (skipped where ../shared/fixtures is missing)', () => {
  const fixtures: { cases: SitemapCase[]; dates: [string, string | null][] } = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { cases: [], dates: [] }

  it.each(fixtures.cases.map(entry => [entry.id, entry] as const))(
    'reads %s like the project that it comes from',
    async (_, entry) => {
      const bytes = entry.content_b64 ? Buffer.from(entry.content_b64, 'base64') : Buffer.from(entry.content ?? '')
      const { kind, entries } = await parseSitemap(bytes)
      const { expect: want } = entry
      expect(kind).toBe(want.type === 'atom' ? 'feed' : want.type)
      const listed = want.urls ?? want.sitemaps
      if (listed) {
        expect(entries.map(({ url }) => url)).toEqual(listed.map(({ loc }) => new URL(loc).href))
        for (const [i, { lastmod }] of listed.entries())
          if (lastmod) expect(entries[i]?.lastmodAt).toBe(Date.parse(lastmod))
      }
      if (want.count !== undefined) expect(entries).toHaveLength(want.count)
      if (want.first !== undefined) expect(entries[0]?.url).toBe(want.first)
    },
  )

  it.each(fixtures.dates)('parses the date %j as %s', (text, iso) => {
    expect(parseFeedDate(text)).toBe(iso === null ? undefined : Date.parse(iso))
  })
})
