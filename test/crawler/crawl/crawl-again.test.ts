import { describe, expect, it } from 'vitest'
import { at, engine, routes, run, site, titleOf, useCrawledSite } from '../crawled-site.ts'
import { page, type Route, redirect } from '../site-server.ts'

useCrawledSite()

describe('crawling again', () => {
  it('makes conditional requests, counts 304 as unchanged, and captures only changed pages', async () => {
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
  it('counts a page with the same text and another author as unchanged and revised, and keeps both authors by instant', async () => {
    const by = (author: string): string => page('Home', [], `<meta name="author" content="${author}">`)
    routes({ '/': by('A. Smith') })
    expect(await run()).toMatchObject({ stored: 1, unchanged: 0, revised: 0 })
    expect(await run()).toMatchObject({ stored: 0, unchanged: 1, revised: 0 })
    const before = await engine.page(at('/'))
    routes({ '/': by('B. Jones') })
    expect(await run()).toMatchObject({ stored: 0, unchanged: 1, revised: 1 })
    expect(await engine.page(at('/'))).toMatchObject({ author: 'B. Jones', acquiredAt: before?.acquiredAt })
    expect(await engine.page(at('/'), { queryTime: before?.lastSeenAt ?? 0 })).toMatchObject({ author: 'A. Smith' })
    expect(await run()).toMatchObject({ stored: 0, unchanged: 1, revised: 0 })
    expect((await engine.stats()).captures).toBe(1)
  })
  it('removes a page that is gone on two visits in a row, but not after one', async () => {
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
  it('removes a page that asks not to be indexed any more', async () => {
    routes({ '/': page('Home', ['/a']), '/a': page('Page A') })
    await run()
    routes({ '/a': page('Page A', [], '<meta name="robots" content="noindex">') })
    expect(await run()).toMatchObject({ removed: 1, noindex: 1 })
    expect(await titleOf('/a')).toBeUndefined()
  })
  it('does not call a page a duplicate of itself, and stores a former duplicate as a page when their texts differ', async () => {
    const twin = page('Twin')
    routes({ '/': page('Home', ['/t1', '/t2']), '/t1': twin, '/t2': twin })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 1 })
    expect(await run()).toMatchObject({ stored: 0, duplicates: 1, unchanged: 2 })
    routes({ '/t1': page('Changed twin') })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 0 })
    expect(await titleOf('/t1')).toBe('Changed twin')
    expect(await titleOf('/t2')).toBe('Twin')
  })
  it('ends though the page has moved to a URL that was its alias', async () => {
    routes({ '/': page('Home', ['/a', '/b']), '/a': redirect('/b'), '/b': page('Page') })
    await run()
    routes({ '/a': page('Page'), '/b': redirect('/a') })
    expect(await run()).toMatchObject({ finished: true, pending: 0, failed: {} })
    expect((await engine.page(at('/a')))?.title).toBe('Page')
  })
})

describe('stopping a crawl', () => {
  it('finishes the requests under way, and the next call resumes the run', async () => {
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
  it('requests nothing if it is stopped before it starts', async () => {
    const report = await run({ signal: AbortSignal.abort() })
    expect(report).toMatchObject({ fetched: 0, finished: false })
    expect(site.requests).toEqual([])
  })
})
