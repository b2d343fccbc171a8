import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pdf } from '../../extract/documents/made-files.ts'
import { at, dir, engine, routes, run, site, titleOf, useCrawledSite } from '../crawled-site.ts'
import { page, type Route, redirect, SiteServer } from '../site-server.ts'

useCrawledSite()

describe('a crawl', () => {
  it('stores every page that is linked, and requests each once', async () => {
    routes({
      '/': page('Home', ['/a', '/b', '/a#part', 'https://elsewhere.example/']),
      '/a': page('Page A', ['/b', '/c?utm_source=x']),
      '/b': page('Page B', ['/']),
      '/c': page('Page C'),
    })
    // With extraction processes of its own.
    const report = await run({ extract: undefined })
    expect(report).toMatchObject({
      fetched: 4,
      stored: 4,
      unchanged: 0,
      duplicates: 0,
      failed: {},
      pending: 0,
      finished: true,
    })
    expect(site.asked().sort()).toEqual(['/', '/a', '/b', '/c'])
    expect(site.asked('/robots.txt')).toHaveLength(1)
    expect((await engine.search('Page C')).results[0]?.url).toBe(at('/c'))
  })
  it('makes linked PDFs searchable', async () => {
    const file = pdf(
      [[{ text: 'Whale oil burns brightly', size: 11, x: 72, y: 700 }]],
      '/Title (Of lamps) /CreationDate (D:20240131)',
    )
    routes({
      '/': page('Home', ['/lamps.pdf']),
      '/lamps.pdf': (_request, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(file),
    })
    expect(await run()).toMatchObject({ stored: 2, failed: {} })
    expect((await engine.search('whale oil')).results[0]).toMatchObject({
      url: at('/lamps.pdf'),
      title: 'Of lamps',
      publishedAt: Date.UTC(2024, 0, 31),
    })
  })
  it('reads what a body is if its type does not say so, and rejects what it cannot read', async () => {
    const file = pdf([[{ text: 'Whale oil burns brightly', size: 11, x: 72, y: 700 }]], '/Title (Of lamps)')
    const typed =
      (type: string, body: Uint8Array | string): Route =>
      (_request, response) => {
        response.writeHead(200, { 'content-type': type }).end(body)
      }
    const odd = ['application/octet-stream', 'html', 'text', 'unknown/unknown', ' ', ';charset=utf-8', 'text/xhtml']
    const paths = [...odd.map((_, i) => `/odd${i}`), '/lamps', '/none', '/image', '/untyped']
    routes({ '/': page('Home', paths) })
    for (const [i, type] of odd.entries()) routes({ [`/odd${i}`]: typed(type, page(`Odd ${i}`)) })
    routes({
      '/lamps': typed('application/octet-stream', file),
      '/none': typed('application/octet-stream', ''),
      '/image': typed('binary/octet-stream', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])),
      '/untyped': (_, response) => response.writeHead(200).end(page('Untyped')),
    })
    expect(await run()).toMatchObject({ stored: odd.length + 3, failed: { ASOF_UNSUPPORTED_TYPE: 2 } })
    for (const i of odd.keys()) expect(await titleOf(`/odd${i}`)).toBe(`Odd ${i}`)
    expect([await titleOf('/lamps'), await titleOf('/untyped')]).toEqual(['Of lamps', 'Untyped'])
  })
  it('reads a body whose content encoding is unknown, at the first attempt', async () => {
    const encoded =
      (encoding: string, title: string): Route =>
      (_request, response) => {
        const headers = { 'content-type': 'text/html', 'content-encoding': encoding }
        response.writeHead(200, headers).end(page(title))
      }
    routes({
      '/': page('Home', ['/none', '/gzip']),
      '/none': encoded('none', 'None'),
      '/gzip': encoded('gzip', 'Plain'),
    })
    expect(await run()).toMatchObject({ stored: 3, failed: {} })
    expect([site.asked('/none').length, site.asked('/gzip').length, await titleOf('/gzip')]).toEqual([1, 1, 'Plain'])
  })
  it('leaves out pages that are unavailable after a date in the past', async () => {
    const meta = (date: string) => page(date, [], `<meta name="robots" content="unavailable_after: ${date}">`)
    const header: Route = (_, response) => {
      const tag = 'otherbot: noarchive, asof: unavailable_after: Saturday, 30-Aug-08 15:00:00 PST'
      response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': tag }).end(page('Header'))
    }
    const past = [
      '2010-06-25',
      '25 Jun 2010 15:00:00 PST',
      'Fri, 25 Jun 2010 15:00:00 GMT',
      'Friday, 25-Jun-10 15:00:00 UTC',
    ]
    const kept = ['2999-01-01', 'Fri, 25 Jun 2999 15:00:00 GMT', 'never']
    routes({ '/': page('Home', ['/header', ...[...past, ...kept].map((_, i) => `/${i}`)]), '/header': header })
    for (const [i, date] of [...past, ...kept].entries()) routes({ [`/${i}`]: meta(date) })
    expect(await run()).toMatchObject({ stored: 1 + kept.length, noindex: past.length + 1, failed: {} })
  })
  it('counts pages without text and characters that could not be decoded, and lists them', async () => {
    routes({
      '/': page('Home', ['/empty', '/image', '/bytes']),
      '/empty': '',
      '/image': '<!doctype html><title>Image</title><body><img src="/a.png">',
      '/bytes': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          .end(Buffer.concat([Buffer.from(page('Où le café est fermé')), Buffer.from('<p>\xff \xfe', 'latin1')])),
    })
    expect(await run()).toMatchObject({
      stored: 4,
      failed: {},
      withoutText: 2,
      withoutTextUrls: [at('/empty'), at('/image')],
      replacedCharacters: 2,
      replacedUrls: [at('/bytes')],
    })
    expect([await titleOf('/empty'), await titleOf('/image')]).toEqual(['', 'Image'])
  })
  it('stores no page for an answer without content, and keeps the page that was there', async () => {
    routes({ '/': page('Home', ['/a']), '/a': page('Page A') })
    await run()
    routes({ '/a': (_, response) => response.writeHead(204).end() })
    const report = await run()
    expect(report).toMatchObject({ stored: 0, failed: { ASOF_FETCH_STATUS: 1 }, statuses: { 204: 1 } })
    expect(report.failures[0]?.message).toContain('204')
    expect(await titleOf('/a')).toBe('Page A')
    expect(site.asked('/a')).toHaveLength(2)
  })
  it('follows the hreflang alternates of a page', async () => {
    const alternates = '<link rel="alternate" hreflang="de" href="/de"><link rel="alternate" href="/feed.xml">'
    routes({ '/': page('Home', [], alternates), '/de': page('Zuhause'), '/feed.xml': '<rss/>' })
    expect(await run()).toMatchObject({ stored: 2 })
    expect(site.asked()).toEqual(['/', '/de'])
  })
  it('fetches only the seeds with discover: false', async () => {
    routes({
      '/robots.txt': `User-agent: *\nSitemap: ${at('/sitemap.xml')}\n`,
      '/': page('Home', ['/a']),
      '/b': page('Page B', ['/a']),
    })
    expect(await run({ discover: false }, [at('/'), at('/b')])).toMatchObject({ stored: 2, finished: true })
    expect(site.asked().sort()).toEqual(['/', '/b'])
  })
  it('finds pages in the sitemaps that robots.txt names, sitemap indexes and gzip included', async () => {
    const { gzipSync } = await import('node:zlib')
    routes({
      '/robots.txt': `User-agent: *\nDisallow: /no\nSitemap: ${at('/index.xml')}\n`,
      '/index.xml': `<sitemapindex><sitemap><loc>${at('/pages.xml.gz')}</loc></sitemap><sitemap><loc>https://elsewhere.example/s.xml</loc></sitemap></sitemapindex>`,
      '/pages.xml.gz': (_, response) => {
        const urls = ['/hidden', '/no/x'].map(path => `<url><loc>${at(path)}</loc></url>`).join('')
        response.end(gzipSync(`<urlset>${urls}<url><loc>https://elsewhere.example/</loc></url></urlset>`))
      },
      '/hidden': page('Hidden page'),
      '/no/x': page('Forbidden page'),
    })
    const report = await run()
    expect(report).toMatchObject({ stored: 2, skippedByRobots: 1, failed: {} })
    expect(await titleOf('/hidden')).toBe('Hidden page')
    expect(site.asked('/no/x')).toEqual([])
  })
  it('reads no more sitemaps than maxPages, or ten if that is less', async () => {
    const named = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, i) => `<sitemap><loc>${at(`/${prefix}${i}.xml`)}</loc></sitemap>`).join('')
    routes({
      '/robots.txt': `User-agent: *\n${Array.from({ length: 30 }, (_, i) => `Sitemap: ${at(`/i${i}.xml`)}`).join('\n')}\n`,
      '/': page('Home'),
    })
    for (let i = 0; i < 30; i++) site.routes.set(`/i${i}.xml`, `<sitemapindex>${named(30, `s${i}-`)}</sitemapindex>`)
    expect(await run({ maxPages: 1 })).toMatchObject({ stored: 1 })
    expect(site.asked().filter(path => path.endsWith('.xml'))).toHaveLength(10)
  })
  it('reads at most a thousand sitemaps that one robots.txt leads to', async () => {
    const indexes = Array.from({ length: 20 }, (_, i) => `/i${i}.xml`)
    const named = (i: number) =>
      Array.from({ length: 99 }, (_, n) => `<sitemap><loc>${at(`/s${i}-${n}.xml`)}</loc></sitemap>`)
    routes({
      '/robots.txt': `User-agent: *\n${indexes.map(path => `Sitemap: ${at(path)}`).join('\n')}\n`,
      '/': page('Home'),
    })
    indexes.forEach((path, i) => {
      site.routes.set(path, `<sitemapindex>${named(i).join('')}</sitemapindex>`)
    })
    await run()
    expect(site.asked().filter(path => path.endsWith('.xml'))).toHaveLength(1000)
  })
  it('obeys nofollow on links and pages, and noindex in meta and header', async () => {
    routes({
      '/': page('Home', ['/noindex', '/header', '/nofollow']).replace(
        '</main>',
        '<a rel="nofollow" href="/never">x</a></main>',
      ),
      '/noindex': page('Not to index', ['/behind'], '<meta name="robots" content="noindex">'),
      '/header': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'noindex' }).end(page('Header')),
      '/nofollow': page('Not to follow', ['/never2'], '<meta name="robots" content="nofollow">'),
      '/behind': page('Behind'),
      '/never': page('Never'),
      '/never2': page('Never 2'),
    })
    const report = await run()
    expect(report).toMatchObject({ stored: 3, noindex: 2 })
    expect(await engine.page(at('/noindex'))).toBeUndefined()
    expect(await titleOf('/behind')).toBe('Behind')
    expect(site.asked().filter(path => path.startsWith('/never'))).toEqual([])
  })
  it('goes no deeper than maxDepth and requests no more pages than maxPages', async () => {
    for (let i = 0; i < 10; i++) routes({ [`/${i}`]: page(`Chain ${i}`, [`/${i + 1}`]) })
    expect(await run({ maxDepth: 3 }, [at('/0')])).toMatchObject({ stored: 4, finished: true })
    const limited = await run({ maxPages: 2, dir: join(dir, 'other') }, [at('/0')])
    expect(limited).toMatchObject({ fetched: 2, finished: true, pending: 1 })
  })
  it('stores a page under its canonical URL, and finds it by its other URLs', async () => {
    routes({
      '/': page('Home', ['/print', '/article', '/odd']),
      '/print': page('Article', [], `<link rel="canonical" href="${at('/article')}">`),
      '/article': page('Article', [], `<link rel="canonical" href="${at('/article')}">`),
      '/odd': page('Odd one', [], '<link rel="canonical" href="https://elsewhere.example/">'),
    })
    const report = await run()
    expect(report.stored).toBe(3)
    expect((await engine.page(at('/print')))?.url).toBe(at('/article'))
    expect((await engine.stats()).urls).toBe(3)
    expect(await titleOf('/odd')).toBe('Odd one')
  })
  it('keeps pages apart although every page names the home page as its canonical URL', async () => {
    const head = `<link rel="canonical" href="${at('/')}">`
    routes({
      '/': page('Home', ['/a', '/index.html'], head),
      '/a': page('Page A', [], head),
      '/index.html': page('Home', ['/a', '/index.html'], head),
    })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 1 })
    expect((await engine.page(at('/index.html')))?.url).toBe(at('/'))
  })
  it('stores a redirected page once, under its final URL, and finds it by every URL that redirected', async () => {
    routes({
      '/': page('Home', ['/r1', '/r2', '/target']),
      '/r1': redirect('/r2', 301),
      '/r2': redirect('/target'),
      '/target': page('Target'),
    })
    expect(await run()).toMatchObject({ stored: 2, failed: {} })
    expect(site.asked('/target')).toHaveLength(1)
    expect(await titleOf('/r1')).toBe('Target')
    expect(await titleOf('/r2')).toBe('Target')
  })
  it('follows no redirect out of scope, except from a seed, and none that robots.txt forbids', async () => {
    const other = await SiteServer.start({ '/landing': page('Landing', ['/more']), '/more': page('More') })
    try {
      routes({
        '/robots.txt': 'User-agent: *\nDisallow: /private\n',
        '/': page('Home', ['/out', '/sneaky']),
        '/out': redirect(`${other.origin}/landing`),
        '/sneaky': redirect('/private/x'),
        '/private/x': page('Private'),
        '/seed': redirect(`${other.origin}/landing`),
      })
      expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 1 })
      expect(other.asked()).toEqual([])
      expect(site.asked('/private/x')).toEqual([])
      expect(await run({}, [at('/seed')])).toMatchObject({ stored: 2 })
      expect((await engine.page(`${other.origin}/more`))?.title).toBe('More')
    } finally {
      await other.close()
    }
  })
  it('stores the same text once per host, and finds it by every URL that has it', async () => {
    const twin = page('Twin')
    routes({
      '/': page('Home', ['/t1', '/t2', '/t3']),
      '/t1': twin,
      '/t2': twin,
      '/t3': twin.replace('of Twin', 'of  TWIN'),
    })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 2, unchanged: 0 })
    expect((await engine.page(at('/t2')))?.url).toBe(at('/t1'))
    expect((await engine.stats()).urls).toBe(2)
  })
})

describe('a crawl of several hosts', () => {
  it('requests pages of several hosts at the same time, but one at a time of each', async () => {
    const sites = await Promise.all([1, 2, 3, 4].map(() => SiteServer.start()))
    try {
      let all = 0
      let mostAtOnce = 0
      // The site answers only once three hosts have a request, so with fewer at a time the crawl would never end.
      const threeAtOnce = Promise.withResolvers<void>()
      for (const each of sites) {
        let own = 0
        for (let i = 0; i < 12; i++) {
          each.routes.set(`/${i}`, (_, response) => {
            own++
            all++
            expect(own).toBe(1)
            mostAtOnce = Math.max(mostAtOnce, all)
            if (all === 3) threeAtOnce.resolve()
            void threeAtOnce.promise.then(() => {
              own--
              all--
              response.writeHead(200, { 'content-type': 'text/html' }).end(page(`${each.origin} ${i}`, [`/${i + 1}`]))
            })
          })
        }
      }
      const seeds = sites.map(each => `${each.origin}/0`)
      const report = await run({ concurrency: 3 }, seeds)
      expect(report).toMatchObject({ stored: 48, failed: { ASOF_FETCH_STATUS: 4 } })
      expect(mostAtOnce).toBe(3)
    } finally {
      for (const each of sites) await each.close()
    }
  })
})
