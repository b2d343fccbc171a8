import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CorpusInput } from '../../../crawler/corpus/corpus.ts'
import { previewCorpus } from '../../../crawler/corpus/corpus-preview.ts'
import { page, SiteServer } from '../site-server.ts'

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
      summary: { from: 'css: .price', type: 'text' },
    },
  }
  const { seeds } = await previewCorpus(corpus, { allowPrivate: true })
  expect(seeds[0]?.fields).toEqual([
    { name: 'price', type: 'number', value: 19.9 },
    { name: 'day', type: 'instant', value: new Date('2025-05-01') },
    { name: 'sku', type: 'keyword', value: undefined },
    { name: 'summary', type: 'text', value: { $text: '19,90 €' } },
  ])
})

it('tries the fields of a corpus on pages of its sitemaps too, three of each and none twice', async () => {
  const at = (path: string) => site.origin + path
  const listed = (paths: string[]) =>
    `<urlset>${paths.map(path => `<url><loc>${at(path)}</loc></url>`).join('')}</urlset>`
  const lamps = Array.from({ length: 9 }, (_, i) => `/lamps/${i}`)
  site.routes.set('/robots.txt', 'User-agent: *\nDisallow: /lamps/8\n')
  site.routes.set('/lamps.xml', listed(['/', ...lamps]))
  site.routes.set('/empty.xml', listed([]))
  site.routes.set('/', page('Home'))
  for (const path of lamps) site.routes.set(path, `<title>Lamp</title><p class="price">${path.at(-1)}0 €</p>`)
  const corpus: CorpusInput = {
    name: 'shop',
    seeds: [at('/')],
    sitemaps: [at('/lamps.xml'), at('/empty.xml')],
    delayMs: 0,
  }
  const price = { from: 'css: .price', type: 'number' } as const
  const { sitemaps } = await previewCorpus({ ...corpus, fields: { price } }, { allowPrivate: true })
  expect(sitemaps.map(({ tried }) => tried)).toEqual([
    [
      { url: at('/lamps/8'), error: 'robots.txt does not allow this page' },
      { url: at('/lamps/4'), fields: [{ name: 'price', type: 'number', value: 40 }] },
    ],
    undefined,
  ])
  expect(site.asked('/')).toHaveLength(1)
  const without = await previewCorpus(corpus, { allowPrivate: true })
  expect(without.sitemaps[0]?.tried).toBeUndefined()
  expect(site.asked('/lamps/4')).toHaveLength(1)
})

it('tries fields on one page of each sitemap before the second of any, ten in all', async () => {
  const at = (path: string) => site.origin + path
  const files = Array.from({ length: 7 }, (_, i) => `/s${i}.xml`)
  for (const file of files) {
    const pages = ['a', 'b', 'c'].map(name => `${file}/${name}`)
    site.routes.set(file, `<urlset>${pages.map(path => `<url><loc>${at(path)}</loc></url>`).join('')}</urlset>`)
    for (const path of pages) site.routes.set(path, page(path))
  }
  const { sitemaps } = await previewCorpus(
    { name: 'many', seeds: [at('/')], sitemaps: files.map(at), delayMs: 0, fields: { sku: 'meta: sku' } },
    { allowPrivate: true },
  )
  expect(sitemaps.map(({ tried }) => tried?.length)).toEqual([2, 2, 2, 1, 1, 1, 1])
})
