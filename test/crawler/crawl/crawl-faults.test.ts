import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../core/index.ts'
import { crawl } from '../../../crawler/crawl/crawl.ts'
import { at, dir, engine, routes, run, site, useCrawledSite } from '../crawled-site.ts'
import { page, redirect, SiteServer } from '../site-server.ts'

useCrawledSite()

describe('a crawl with failures', () => {
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
    const report = await run({ totalTimeoutMs: 3000, maxBytes: 1_000_000, maxAttempts: 2 })
    expect(report.stored).toBe(2)
    expect(report.failed).toEqual({
      ASOF_FETCH_STATUS: 1,
      ASOF_FETCH_REDIRECTS: 1,
      ASOF_FETCH_TOO_LARGE: 2,
      ASOF_UNSUPPORTED_TYPE: 1,
      ASOF_FETCH_TIMEOUT: 1,
    })
    expect(report.failures.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      '/bomb',
      '/endless',
      '/image',
      '/loop',
      '/missing',
      '/mute',
    ])
    expect(site.asked('/mute')).toHaveLength(2)
  })
  it('retries a page that answers 503 or 429, after its Retry-After', async () => {
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
  it('fetches nothing from a site whose robots.txt answers 5xx, and everything if it answers 4xx', async () => {
    routes({ '/robots.txt': (_, response) => response.writeHead(503).end() })
    const closed = await run()
    expect(closed).toMatchObject({ fetched: 0, stored: 0, skippedByRobots: 1, finished: true })
    expect(closed.robotsUnreadable).toEqual([{ origin: site.origin, message: expect.stringContaining('503') }])
    expect(site.asked()).toEqual([])
    expect(site.asked('/robots.txt')).toHaveLength(3)
    routes({ '/robots.txt': (_, response) => response.writeHead(403).end() })
    expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 0, robotsUnreadable: [] })
  })
  it('reports that robots.txt has too many wildcards if it fetches nothing for that reason', async () => {
    const lines = Array.from({ length: 1_100 }, (_, i) => `Disallow: /*.kind${i}`)
    routes({ '/robots.txt': `User-agent: *\n${lines.join('\n')}\n`, '/': page('Home') })
    expect(await run()).toMatchObject({
      stored: 0,
      skippedByRobots: 1,
      robotsShortened: [{ origin: site.origin, message: expect.stringContaining('1,000 wildcards') }],
    })
    routes({ '/robots.txt': `User-agent: *\n${lines.slice(0, 900).join('\n')}\n`, '/': page('Home') })
    expect(await run()).toMatchObject({ stored: 1, robotsShortened: [] })
  })
  it('reports a sitemap on a host whose robots.txt cannot be read, and not as a page', async () => {
    const elsewhere = await SiteServer.start({ '/robots.txt': (_, response) => response.writeHead(500).end() })
    try {
      routes({ '/robots.txt': `Sitemap: ${elsewhere.origin}/pages.xml\n` })
      expect(await run()).toMatchObject({
        stored: 1,
        failed: {},
        sitemapsFailed: 1,
        failures: [{ url: `${elsewhere.origin}/pages.xml`, code: 'ASOF_FETCH_STATUS' }],
      })
      expect(elsewhere.asked()).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })
  it('continues when robots.txt answers after a failure', async () => {
    let asked = 0
    routes({ '/robots.txt': (_, response) => response.writeHead(asked++ === 0 ? 500 : 404).end() })
    expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 0 })
  })
  it('reports a site that cannot be reached as unreachable', async () => {
    const gone = await SiteServer.start()
    await gone.close()
    expect((await run({}, [`${gone.origin}/`])).failed).toEqual({ ASOF_FETCH_UNREACHABLE: 1 })
  })
  it('requests no private addresses unless allowPrivate is set', async () => {
    const report = await run({ allowPrivate: false })
    expect(report.failed).toEqual({ ASOF_ADDRESS_REFUSED: 1 })
    expect(site.requests).toEqual([])
  })
  it('rejects with the error of an engine that cannot write, and the next call fetches the pages again', async () => {
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
