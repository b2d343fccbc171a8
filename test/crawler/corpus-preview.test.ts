import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CorpusInput } from '../../crawler/corpus.ts'
import { previewCorpus } from '../../crawler/corpus-preview.ts'
import { page, SiteServer } from './site-server.ts'

let site: SiteServer
beforeEach(async () => {
  site = await SiteServer.start()
})
afterEach(() => site.close())

it('reports what a crawl would fetch, and requests only robots.txt, sitemaps and seeds', async () => {
  const at = (path: string) => site.origin + path
  site.routes.set('/robots.txt', `User-agent: *\nDisallow: /private\nSitemap: ${at('/index.xml')}\n`)
  site.routes.set('/index.xml', `<sitemapindex><sitemap><loc>${at('/pages.xml')}</loc></sitemap></sitemapindex>`)
  site.routes.set(
    '/pages.xml',
    `<urlset><url><loc>${at('/docs/x')}</loc></url><url><loc>${at('/blog')}</loc></url></urlset>`,
  )
  site.routes.set('/docs/', page('Docs', ['/docs/a', '/docs/b', '/blog', 'https://elsewhere.example/']))
  const preview = await previewCorpus(
    {
      name: 'docs',
      seeds: [at('/docs/'), at('/private'), at('/docs/gone')],
      scope: { type: 'host', include: ['/docs/', '/private'] },
      delayMs: 0,
    },
    { allowPrivate: true },
  )
  expect(preview.seeds.map(({ verdict, inScope }) => [verdict, inScope])).toEqual([
    ['fetched', 3],
    ['robots', 0],
    ['unread', 0],
  ])
  expect(preview.seeds[2]?.error).toContain('ASOF_FETCH_STATUS')
  expect(preview.sitemaps.map(({ url, pages, inScope }) => [url, pages, inScope])).toEqual([
    [at('/index.xml'), 0, 0],
    [at('/pages.xml'), 2, 1],
  ])
  expect(preview.pages).toBe(4)
  expect(site.asked().sort()).toEqual(['/docs/', '/docs/gone', '/index.xml', '/pages.xml'])
})
it('requests no private addresses by default, like a crawl', async () => {
  const preview = await previewCorpus({ name: 'docs', seeds: [`${site.origin}/`] })
  expect(preview.seeds).toMatchObject([{ verdict: 'unread', error: expect.stringContaining('ASOF_ADDRESS_REFUSED') }])
  expect(site.requests).toEqual([])
})

it('sends the headers, language and user agent of the corpus, like a crawl, and the headers to the sites of seeds only', async () => {
  const other = await SiteServer.start({ '/pages.xml': '<urlset></urlset>' })
  try {
    // The same server under a name that is no site of a seed.
    const elsewhere = `${other.origin.replace('127.0.0.1', 'localhost')}/pages.xml`
    site.routes.set('/', page('Home'))
    const corpus: CorpusInput = {
      name: 'docs',
      seeds: [`${site.origin}/`],
      sitemaps: [elsewhere],
      headers: { 'X-Permit': 'yes' },
      language: 'de',
      contactUrl: 'https://example.com/bot',
      delayMs: 0,
    }
    await previewCorpus(corpus, { allowPrivate: true })
    const sent = ({ requests }: SiteServer) =>
      requests.map(({ path, headers }) => [
        path,
        headers['x-permit'],
        headers['accept-language'],
        headers['user-agent'],
      ])
    const agent = 'asof/0.1 (+https://example.com/bot)'
    expect(sent(site)).toEqual([
      ['/robots.txt', 'yes', 'de', agent],
      ['/', 'yes', 'de', agent],
    ])
    expect(sent(other)).toEqual([
      ['/robots.txt', undefined, 'de', agent],
      ['/pages.xml', undefined, 'de', agent],
    ])
  } finally {
    await other.close()
  }
})

it('shows the fields of a corpus as each seed has them, with their types', async () => {
  site.routes.set('/lamp', '<title>Lamp</title><p class="price">19,90 €</p><time datetime="2025-05-01">May</time>')
  const corpus: CorpusInput = {
    name: 'shop',
    seeds: [`${site.origin}/lamp`],
    delayMs: 0,
    fields: {
      price: { from: 'css: .price', type: 'number' },
      day: { from: 'css: time::attr(datetime)', type: 'instant' },
      sku: 'meta: sku',
    },
  }
  const { seeds } = await previewCorpus(corpus, { allowPrivate: true })
  expect(seeds[0]?.fields).toEqual([
    { name: 'price', type: 'number', value: 19.9 },
    { name: 'day', type: 'instant', value: new Date('2025-05-01') },
    { name: 'sku', type: 'keyword', value: undefined },
  ])
})
