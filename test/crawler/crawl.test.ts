import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import type { CorpusInput } from '../../crawler/corpus.ts'
import { type CrawlOptions, crawl } from '../../crawler/crawl.ts'
import { systemTimers } from '../../crawler/timers.ts'
import { pdf } from '../core/extract/documents/made-files.ts'
import { HurriedTimers } from './hurried-timers.ts'
import { page, type Route, redirect, SiteServer } from './site-server.ts'

let dir: string
let engine: Engine
let site: SiteServer
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-crawl-'))
  engine = await open(join(dir, 'data'))
  site = await SiteServer.start({ '/': page('Home') })
})
afterEach(async () => {
  await engine.close()
  await site.close()
  await rm(dir, { recursive: true })
})

const run = (options: Partial<CrawlOptions> = {}, seeds: string[] = [`${site.origin}/`]) =>
  crawl(engine, seeds, {
    dir: join(dir, 'crawl'),
    allowPrivate: true,
    delayMs: 0,
    retryDelayMs: 1,
    totalTimeoutMs: 2000,
    ...options,
  })
const routes = (more: Record<string, Route>) => {
  for (const [path, route] of Object.entries(more)) site.routes.set(path, route)
}
const at = (path: string) => site.origin + path
const titleOf = async (path: string) => (await engine.page(at(path)))?.title

describe('a crawl', () => {
  it('stores every page that links lead to, and asks for each once', async () => {
    routes({
      '/': page('Home', ['/a', '/b', '/a#part', 'https://elsewhere.example/']),
      '/a': page('Page A', ['/b', '/c?utm_source=x']),
      '/b': page('Page B', ['/']),
      '/c': page('Page C'),
    })
    const report = await run()
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
  it('makes PDFs searchable that pages lead to', async () => {
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
  it('fetches the seeds alone when it is not to discover', async () => {
    routes({
      '/robots.txt': `User-agent: *\nSitemap: ${at('/sitemap.xml')}\n`,
      '/': page('Home', ['/a']),
      '/b': page('Page B', ['/a']),
    })
    expect(await run({ discover: false }, [at('/'), at('/b')])).toMatchObject({ stored: 2, finished: true })
    expect(site.asked().sort()).toEqual(['/', '/b'])
  })
  it('finds pages by the sitemaps that robots.txt names, indexes and gzip included', async () => {
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
  it('goes no deeper than maxDepth and asks for no more than maxPages', async () => {
    for (let i = 0; i < 10; i++) routes({ [`/${i}`]: page(`Chain ${i}`, [`/${i + 1}`]) })
    expect(await run({ maxDepth: 3 }, [at('/0')])).toMatchObject({ stored: 4, finished: true })
    const limited = await run({ maxPages: 2, dir: join(dir, 'other') }, [at('/0')])
    expect(limited).toMatchObject({ fetched: 2, finished: true, pending: 1 })
  })
  it('stores a page under its canonical URL, and finds it by the other names', async () => {
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
  it('does not fold a site into its home page when every page names that as canonical', async () => {
    const head = `<link rel="canonical" href="${at('/')}">`
    routes({
      '/': page('Home', ['/a', '/index.html'], head),
      '/a': page('Page A', [], head),
      '/index.html': page('Home', [], head),
    })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 1 })
    expect((await engine.page(at('/index.html')))?.url).toBe(at('/'))
  })
  it('stores a redirected page once, under its target, and finds it by every hop', async () => {
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
  it('does not follow redirects out of scope or past robots.txt, except where a seed leads', async () => {
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
  it('stores the same text once a host, and finds it by every URL it stood at', async () => {
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

describe('a crawl among faults', () => {
  it('counts failures by code and stores the rest', async () => {
    routes({
      '/': page('Home', ['/missing', '/loop', '/bomb', '/image', '/mute', '/endless', '/good']),
      '/loop': redirect('/loop2'),
      '/loop2': redirect('/loop'),
      '/bomb': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        response.end(bomb)
      },
      '/image': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'),
      '/mute': () => {},
      '/endless': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
      '/good': page('Good'),
    })
    const { gzipSync } = await import('node:zlib')
    const bomb = gzipSync(Buffer.alloc(8_000_000, 'x'))
    const report = await run({ totalTimeoutMs: 500, maxBytes: 1_000_000, maxAttempts: 2 })
    expect(report.stored).toBe(2)
    expect(report.failed).toEqual({
      ASOF_FETCH_STATUS: 1,
      ASOF_FETCH_REDIRECTS: 1,
      ASOF_FETCH_TOO_LARGE: 2,
      ASOF_UNSUPPORTED_TYPE: 1,
      ASOF_FETCH_TIMEOUT: 1,
    })
    expect(report.errors.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      '/bomb',
      '/endless',
      '/image',
      '/loop',
      '/missing',
      '/mute',
    ])
    expect(site.asked('/mute')).toHaveLength(2)
  })
  it('tries again where the site was busy, after the time it asked for', async () => {
    let asked = 0
    routes({
      '/': page('Home', ['/busy']),
      '/busy': (_, response) => {
        asked++
        if (asked < 3) response.writeHead(asked === 1 ? 503 : 429, { 'retry-after': '0' }).end()
        else response.writeHead(200, { 'content-type': 'text/html' }).end(page('Busy'))
      },
    })
    expect(await run()).toMatchObject({ stored: 2, failed: {} })
    expect(asked).toBe(3)
  })
  it('fetches nothing of a site whose robots.txt answers 5xx, and everything where it answers 4xx', async () => {
    routes({ '/robots.txt': (_, response) => response.writeHead(503).end() })
    const closed = await run()
    expect(closed).toMatchObject({ fetched: 0, stored: 0, skippedByRobots: 1, finished: true })
    expect(closed.robotsUnreadable).toEqual([{ origin: site.origin, message: expect.stringContaining('503') }])
    expect(site.asked()).toEqual([])
    expect(site.asked('/robots.txt')).toHaveLength(3)
    routes({ '/robots.txt': (_, response) => response.writeHead(403).end() })
    expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 0, robotsUnreadable: [] })
  })
  it('reports a sitemap on a host whose robots.txt cannot be read', async () => {
    const elsewhere = await SiteServer.start({ '/robots.txt': (_, response) => response.writeHead(500).end() })
    try {
      routes({ '/robots.txt': `Sitemap: ${elsewhere.origin}/pages.xml\n` })
      expect(await run()).toMatchObject({
        stored: 1,
        failed: { ASOF_FETCH_STATUS: 1 },
        errors: [{ url: `${elsewhere.origin}/pages.xml` }],
      })
      expect(elsewhere.asked()).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })
  it('goes on when robots.txt answers after a failure', async () => {
    let asked = 0
    routes({ '/robots.txt': (_, response) => response.writeHead(asked++ === 0 ? 500 : 404).end() })
    expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 0 })
  })
  it('reports a site that cannot be reached as just that', async () => {
    const gone = await SiteServer.start()
    await gone.close()
    expect((await run({}, [`${gone.origin}/`])).failed).toEqual({ ASOF_FETCH_UNREACHABLE: 1 })
  })
  it('refuses private addresses unless told otherwise', async () => {
    const report = await run({ allowPrivate: false })
    expect(report.failed).toEqual({ ASOF_ADDRESS_REFUSED: 1 })
    expect(site.requests).toEqual([])
  })
  it('stops on a full or closed engine with its error, and does the pages again later', async () => {
    const broken: Engine = Object.assign(Object.create(engine), {
      add: async () => {
        throw Object.assign(new Error('disk full'), { name: 'AsofError', code: 'ASOF_STORE_WRITE', retryable: true })
      },
    })
    const options = { dir: join(dir, 'crawl'), allowPrivate: true, delayMs: 0 }
    await expect(crawl(broken, [at('/')], options)).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    expect(await run()).toMatchObject({ stored: 1, finished: true })
  })
})

describe('crawling again', () => {
  it('asks conditionally, counts 304 as unchanged and makes captures of changes only', async () => {
    let version = 1
    const conditional =
      (title: () => string): Route =>
      (request, response) => {
        const etag = `"${title()}"`
        const fresh = request.headers['if-none-match'] === etag
        response
          .writeHead(fresh ? 304 : 200, { etag, 'content-type': 'text/html' })
          .end(fresh ? '' : page(title(), ['/plain', '/moving']))
      }
    routes({
      '/': conditional(() => 'Home'),
      '/moving': conditional(() => `Moving ${version}`),
      '/plain': page('Plain'),
    })
    expect(await run()).toMatchObject({ stored: 3 })
    version = 2
    expect(await run()).toMatchObject({ fetched: 3, stored: 1, unchanged: 2, duplicates: 0 })
    expect(await titleOf('/moving')).toBe('Moving 2')
    expect((await engine.stats()).captures).toBe(4)
    expect(await run()).toMatchObject({ fetched: 3, stored: 0, unchanged: 3 })
  })
  it('removes a page that is gone on two visits in a row, not on one', async () => {
    routes({ '/': page('Home', ['/a', '/b']), '/a': page('Page A'), '/b': page('Page B') })
    await run()
    site.routes.delete('/a')
    site.routes.delete('/b')
    expect(await run()).toMatchObject({ removed: 0, failed: { ASOF_FETCH_STATUS: 2 } })
    routes({ '/b': page('Page B') })
    expect(await run()).toMatchObject({ removed: 1 })
    expect(await titleOf('/a')).toBeUndefined()
    site.routes.delete('/b')
    expect(await run()).toMatchObject({ removed: 0 })
    expect(await titleOf('/b')).toBe('Page B')
  })
  it('takes out a page that asks not to be indexed any more', async () => {
    routes({ '/': page('Home', ['/a']), '/a': page('Page A') })
    await run()
    routes({ '/a': page('Page A', [], '<meta name="robots" content="noindex">') })
    expect(await run()).toMatchObject({ removed: 1, noindex: 1 })
    expect(await titleOf('/a')).toBeUndefined()
  })
  it('does not take a page for a duplicate of itself, and gives a former duplicate its own page', async () => {
    const twin = page('Twin')
    routes({ '/': page('Home', ['/t1', '/t2']), '/t1': twin, '/t2': twin })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 1 })
    expect(await run()).toMatchObject({ stored: 0, duplicates: 1, unchanged: 2 })
    routes({ '/t1': page('Changed twin') })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 0 })
    expect(await titleOf('/t1')).toBe('Changed twin')
    expect(await titleOf('/t2')).toBe('Twin')
  })
})

describe('a crawl that is stopped', () => {
  it('finishes what it has in hand and is resumed by the next call', async () => {
    for (let i = 0; i < 30; i++) routes({ [`/${i}`]: page(`Number ${i}`, [`/${i + 1}`]) })
    routes({ '/30': page('Number 30') })
    const stop = new AbortController()
    let pages = 0
    const first = await run(
      {
        signal: stop.signal,
        onProgress: event => {
          if (event.kind === 'page' && ++pages === 10) stop.abort()
        },
      },
      [at('/0')],
    )
    expect(first.finished).toBe(false)
    expect(first.stored).toBeGreaterThanOrEqual(10)
    const second = await run({}, [at('/0')])
    expect(second.finished).toBe(true)
    expect(first.stored + second.stored).toBe(31)
    expect(new Set(site.asked()).size).toBe(site.asked().length)
  })
  it('before it started does nothing', async () => {
    const report = await run({ signal: AbortSignal.abort() })
    expect(report).toMatchObject({ fetched: 0, finished: false })
    expect(site.requests).toEqual([])
  })
})

describe('several hosts', () => {
  it('are crawled at the same time, each with one request at a time', async () => {
    const sites = await Promise.all([1, 2, 3, 4].map(() => SiteServer.start()))
    try {
      let all = 0
      let mostAtOnce = 0
      // Answers wait until three hosts are being asked: with fewer at once the crawl would never end.
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

describe('a corpus definition', () => {
  const corpus = (more: object = {}) => ({ name: 'defined', seeds: [at('/')], ...more })
  const runCorpus = (definition: CorpusInput, options: Partial<CrawlOptions> = {}) =>
    crawl(engine, definition, { dir: join(dir, 'crawl'), allowPrivate: true, delayMs: 0, retryDelayMs: 1, ...options })

  it('may send headers and a language, to its own sites alone', async () => {
    const other = await SiteServer.start({ '/feed.xml': '<rss/>' })
    try {
      // Another port is another site: an IP address has no registrable domain.
      await runCorpus(
        corpus({
          headers: { 'x-permit': 'yes' },
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
  it('may name feeds, whose entries in scope are fetched', async () => {
    routes({
      '/feed.xml': `<rss><channel><item><link>${at('/new')}</link></item><item><link>https://else.example/</link></item></channel></rss>`,
      '/new': page('New'),
    })
    expect(await runCorpus(corpus({ feeds: [at('/feed.xml')] }))).toMatchObject({ stored: 2, failed: {} })
    expect(await titleOf('/new')).toBe('New')
  })
  it('may bound the pages known of a host', async () => {
    for (let i = 0; i < 20; i++) routes({ [`/${i}`]: page(`Number ${i}`, [`/${i + 1}`]) })
    routes({ '/': page('Home', ['/0']) })
    expect(await runCorpus(corpus({ maxPagesPerHost: 5 }))).toMatchObject({
      fetched: 5,
      known: { done: 5, pending: 0, failed: 0, skipped: 0 },
    })
  })
  it('may let a page change a little without a new capture', async () => {
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

describe('what a site says about its pages', () => {
  it('that they are fresh saves asking for them, as long as it says', async () => {
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
  it('a parameter that changes nothing is learnt, and costs no more requests', async () => {
    // Every visit hands out new session numbers: without learning this would never end.
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

describe('a corpus that is watched', () => {
  it('has its pages visited again when they are due, and new ones found, until it is stopped', async () => {
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
    // How often depends on how much time passes during a request here; the plan itself has its own test.
    expect(visits.filter(path => path === '/').length).toBeGreaterThan(1)
  })
})
