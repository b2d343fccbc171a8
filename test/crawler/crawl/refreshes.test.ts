import { describe, expect, it } from 'vitest'
import { at, engine, routes, run, site, titleOf, useCrawledSite } from '../crawled-site.ts'
import { page, type Route, redirect, SiteServer } from '../site-server.ts'

useCrawledSite()

const refresh = (content: string) =>
  `<!doctype html><meta http-equiv="Refresh" content="${content}"><title>Wait</title>`
const storedAs = async (...paths: string[]) =>
  Promise.all(paths.map(async path => (await engine.page(at(path)))?.url.slice(site.origin.length)))

describe('a refresh', () => {
  it('is followed as a redirect, and its page is an alias of the target', async () => {
    const header: Route = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html', refresh: '0; url=/docs/' }).end('<title>Wait</title>')
    routes({
      '/': refresh('0; url=./docs/'),
      '/docs/': page('Docs', ['/soon', '/header', '/old']),
      '/soon': refresh("5;URL='docs/'"),
      '/header': header,
      '/old': redirect('/hop'),
      '/hop': refresh('0;/new#part'),
      '/new': page('New'),
    })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 2, failed: {}, pending: 0 })
    expect(await storedAs('/', '/soon', '/header', '/old', '/hop')).toEqual([
      '/docs/',
      '/docs/',
      '/docs/',
      '/new',
      '/new',
    ])
    expect(site.asked('/docs/')).toHaveLength(1)
    expect(await run()).toMatchObject({ stored: 0, failed: {} })
    expect((await engine.stats()).captures).toBe(2)
  })
  it('to the page itself, or without a URL, is nothing', async () => {
    routes({
      '/': page('Home', ['/same', '/none', '/late']),
      '/same': page('Same', [], '<meta http-equiv=refresh content="0; url=/same#x">'),
      '/none': page('None', [], '<meta http-equiv=refresh content=5>'),
      '/late': page('Late', [], '<meta http-equiv=refresh content="300; url=/late">'),
    })
    expect(await run()).toMatchObject({ stored: 4, failed: {} })
    expect(await storedAs('/same', '/none', '/late')).toEqual(['/same', '/none', '/late'])
  })
  it('of a page with a text of its own is a link', async () => {
    const slides = (n: number, next: number) =>
      page(`Slide ${n}`, [], `<meta http-equiv=refresh content="3; url=/${next}">`).replace(
        '<main>',
        `<main><p>${`Slide ${n} shows what the harbor of the town looked like in that year. `.repeat(6)}</p>`,
      )
    routes({ '/': slides(0, 1), '/1': slides(1, 0) })
    expect(await run()).toMatchObject({ stored: 2, failed: {} })
    expect(await storedAs('/', '/1')).toEqual(['/', '/1'])
  })
  it('after a long time is a link', async () => {
    routes({ '/': page('Home', [], '<meta http-equiv=refresh content="60; url=/next">'), '/next': page('Next') })
    expect(await run()).toMatchObject({ stored: 2 })
    expect([await titleOf('/'), await titleOf('/next')]).toEqual(['Home', 'Next'])
  })
  it('ends in a circle, in a chain without end, at robots.txt and at the scope as a redirect does', async () => {
    const other = await SiteServer.start({ '/landing': page('Landing') })
    try {
      routes({
        '/robots.txt': 'User-agent: *\nDisallow: /private\n',
        '/': page('Home', ['/a', '/0', '/sneaky', '/out']),
        '/a': refresh('0;/b'),
        '/b': redirect('/a'),
        '/sneaky': refresh('0;/private'),
        '/private': page('Private'),
        '/out': refresh(`0;${other.origin}/landing`),
        '/seed': refresh(`0;${other.origin}/landing`),
      })
      for (let i = 0; i < 20; i++) routes({ [`/${i}`]: refresh(`0;/${i + 1}`) })
      expect(await run()).toMatchObject({ stored: 1, skippedByRobots: 1, failed: { ASOF_FETCH_REDIRECTS: 2 } })
      expect(site.asked('/10')).toHaveLength(1)
      expect(site.asked('/11')).toEqual([])
      expect([...site.asked('/private'), ...other.asked()]).toEqual([])
      expect(await run({}, [at('/seed')])).toMatchObject({ stored: 1 })
      expect((await engine.page(at('/seed')))?.title).toBe('Landing')
    } finally {
      await other.close()
    }
  })
})
