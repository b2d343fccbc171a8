import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extract } from '../../../core/index.ts'
import type { CorpusInput } from '../../../crawler/corpus/corpus.ts'
import { type CrawlOptions, crawl } from '../../../crawler/crawl/crawl.ts'
import { listFailures } from '../../../crawler/crawl/failure-log.ts'
import { systemTimers } from '../../../crawler/timers.ts'
import { at, dir, engine, routes, run, site, titleOf, useCrawledSite } from '../crawled-site.ts'
import { HurriedTimers } from '../hurried-timers.ts'
import { page, type Route, SiteServer } from '../site-server.ts'

useCrawledSite()

describe('crawling a corpus definition', () => {
  const corpus = (more: object = {}) => ({ name: 'defined', seeds: [at('/')], ...more })
  const runCorpus = (definition: CorpusInput, options: Partial<CrawlOptions> = {}) =>
    crawl(engine, definition, {
      dir: join(dir, 'crawl'),
      allowPrivate: true,
      delayMs: 0,
      retryDelayMs: 1,
      extract,
      ...options,
    })

  it('sends the headers of the corpus only to its own sites, and the language to all', async () => {
    const other = await SiteServer.start({ '/feed.xml': '<rss/>' })
    try {
      // Another port is another site: an IP address has no registrable domain.
      await runCorpus(
        corpus({
          headers: { 'X-Permit': 'yes' },
          language: 'de, en;q=0.5',
          contactUrl: 'https://me.example/',
          feeds: [`${other.origin}/feed.xml`],
        }),
      )
      expect(site.requests[0]?.headers).toMatchObject({
        'x-permit': 'yes',
        'accept-language': 'de, en;q=0.5',
        'user-agent': 'asof/0.1 (+https://me.example/)',
      })
      const asked = other.requests.find(({ path }) => path === '/feed.xml')
      expect(asked?.headers['accept-language']).toBe('de, en;q=0.5')
      expect(asked?.headers['x-permit']).toBeUndefined()
    } finally {
      await other.close()
    }
  })
  it('fetches the entries of feeds that are in scope', async () => {
    routes({
      '/feed.xml': `<rss><channel><item><link>${at('/new')}</link></item><item><link>https://else.example/</link></item></channel></rss>`,
      '/new': page('New'),
    })
    expect(await runCorpus(corpus({ feeds: [at('/feed.xml')] }))).toMatchObject({ stored: 2, failed: {} })
    expect(await titleOf('/new')).toBe('New')
  })
  it('knows no more URLs of a host than maxPagesPerHost', async () => {
    for (let i = 0; i < 20; i++) routes({ [`/${i}`]: page(`Number ${i}`, [`/${i + 1}`]) })
    routes({ '/': page('Home', ['/0']) })
    expect(await runCorpus(corpus({ maxPagesPerHost: 5 }))).toMatchObject({
      fetched: 5,
      known: { done: 5, pending: 0, failed: 0, skipped: 0 },
    })
  })
  it('makes no new capture of a page that changes less than changeThreshold', async () => {
    let reader = 1
    const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ')
    routes({
      '/': (_, response) =>
        response.setHeader('content-type', 'text/html').end(page(`Home</h1><p>${words} ${reader}</p><h1>`)),
    })
    const tolerant = corpus({ recrawl: { changeThreshold: 0.05 } })
    expect(await runCorpus(tolerant)).toMatchObject({ stored: 1 })
    reader = 2
    expect(await runCorpus(tolerant)).toMatchObject({ stored: 0, unchanged: 1 })
    expect(await runCorpus(corpus())).toMatchObject({ stored: 1, unchanged: 0 })
  })
})

describe('crawling a site again', () => {
  it('does not request pages while the site says that they are fresh', async () => {
    let now = Date.UTC(2026, 0, 1)
    routes({
      '/': page('Home', ['/kept']),
      '/kept': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'max-age=600' }).end(page('Kept')),
    })
    const options = { timers: { ...systemTimers(), now: () => now } }
    await run(options)
    now += 599_000
    expect(await run(options)).toMatchObject({ fetched: 1, fresh: 1 })
    now += 2000
    expect(await run(options)).toMatchObject({ fetched: 2, fresh: 0 })
  })
  it('learns irrelevant query parameters and stops requesting their variants', async () => {
    // Every page links to new session numbers, so without learning the crawl would never end.
    let session = 0
    const paths = ['/p1', '/p2', '/p3', '/p4', '/p5']
    const server: Route = (request, response) => {
      const { pathname } = new URL(request.url!, site.origin)
      const links = paths.map(path => `${path}?visit=${session++}`)
      response
        .setHeader('content-type', 'text/html')
        .end(page(`Page ${pathname}`, links).replace(/>to [^<]*</g, '>a link<'))
    }
    const answer = site.answer.bind(site)
    site.answer = (request, response) => {
      if (paths.some(path => request.url?.startsWith(`${path}?`))) site.routes.set(request.url!, server)
      answer(request, response)
    }
    for (const path of paths) routes({ [path]: server })
    routes({ '/': page('Home', paths) })
    const report = await run({ maxPages: 500 })
    expect(report).toMatchObject({ finished: true, stored: 6, pending: 0 })
    expect(report.fetched).toBeLessThan(120)
  })
})

describe('watching a corpus', () => {
  it('visits pages again when they are due, and finds new ones, until it is stopped', async () => {
    let version = 1
    routes({
      '/': (_, response) =>
        response.setHeader('content-type', 'text/html').end(page('Home', version > 1 ? ['/late', '/a'] : ['/a'])),
      '/a': page('Page A'),
      '/late': page('Late'),
    })
    const timers = new HurriedTimers()
    const stop = new AbortController()
    const visits: string[] = []
    const watched = crawl(
      engine,
      { name: 'watched', seeds: [at('/')], schedule: '6h', recrawl: { maxInterval: '1d' } },
      {
        dir: join(dir, 'crawl'),
        allowPrivate: true,
        delayMs: 0,
        watch: true,
        timers,
        extract,
        signal: stop.signal,
        onProgress: event => {
          if (event.kind !== 'page') return
          visits.push(new URL(event.url).pathname)
          if (visits.length === 4) version = 2
          if (visits.includes('/late') && visits.filter(path => path === '/a').length > 1) stop.abort()
        },
      },
    )
    const report = await watched
    expect(report).toMatchObject({ finished: false, failed: {} })
    expect(await titleOf('/late')).toBe('Late')
    expect(visits.slice(0, 2)).toEqual(['/', '/a'])
    // How often depends on how far the clock advances during a request; revisit-plan.test.ts checks the plan itself.
    expect(visits.filter(path => path === '/').length).toBeGreaterThan(1)
  })
  it('reports a sitemap and a feed that fail again and again once each, and counts neither as a page', async () => {
    const refuse = (_: unknown, response: ServerResponse) => response.writeHead(500).end()
    routes({
      '/robots.txt': `User-agent: *\nSitemap: ${at('/named.xml')}\n`,
      '/': page('Home'),
      '/named.xml': refuse,
      '/feed.xml': refuse,
    })
    const stop = new AbortController()
    const report = await crawl(
      engine,
      { name: 'watched', seeds: [at('/')], feeds: [at('/feed.xml')], schedule: '6h', recrawl: { maxInterval: '1d' } },
      {
        dir: join(dir, 'crawl'),
        allowPrivate: true,
        delayMs: 0,
        watch: true,
        timers: new HurriedTimers(),
        extract,
        signal: stop.signal,
        onProgress: () => {
          if (site.asked('/feed.xml').length > 8 && site.asked('/named.xml').length > 8) stop.abort()
        },
      },
    )
    expect(report).toMatchObject({ failed: {}, sitemapsFailed: 2 })
    expect(report.failures.map(({ url }) => url).sort()).toEqual([at('/feed.xml'), at('/named.xml')])
    const logged: string[] = []
    for await (const { url } of listFailures(join(dir, 'crawl'), 'watched')) logged.push(url)
    expect(logged.sort()).toEqual([at('/feed.xml'), at('/named.xml')])
  })
})
