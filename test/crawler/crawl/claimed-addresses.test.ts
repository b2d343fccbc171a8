import { describe, expect, it } from 'vitest'
import { at, engine, routes, run, site, titleOf, useCrawledSite } from '../crawled-site.ts'
import { page, type Route, redirect } from '../site-server.ts'

useCrawledSite()

const canonical = (href: string) => `<link rel="canonical" href="${href}">`
const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Route =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  }
/** Returns the URL under which each path is stored; undefined if it is not. */
const storedAs = async (...paths: string[]) =>
  Promise.all(paths.map(async path => (await engine.page(at(path)))?.url.slice(site.origin.length)))
const article = (head = '') => page('Article', [], head)

describe('a page that claims another address', () => {
  it.each([
    ['before', ['/copy', '/real']],
    ['after', ['/real', '/copy']],
    ['without a link to it', ['/copy']],
  ])('is an alias if the address has the same text, %s it is found', async (_, links) => {
    routes({ '/': page('Home', links), '/copy': article(canonical('/real')), '/real': article(canonical('/real')) })
    expect(await run()).toMatchObject({ stored: 2, duplicates: 1, failed: {}, finished: true })
    expect(await storedAs('/copy', '/real')).toEqual(['/real', '/real'])
    expect((await engine.stats()).captures).toBe(2)
    expect(site.asked().sort()).toEqual(['/', '/copy', '/real'])
  })
  it.each([
    ['before', ['/copy', '/real']],
    ['after', ['/real', '/copy']],
  ])('stays where it was read if the address has another text, %s it is found', async (_, links) => {
    routes({ '/': page('Home', links), '/copy': page('Copy', [], canonical('/real')), '/real': page('Real') })
    expect(await run()).toMatchObject({ stored: 3, duplicates: 0 })
    expect([await titleOf('/copy'), await titleOf('/real')]).toEqual(['Copy', 'Real'])
  })
  it('is an alias of a nearly equal page, unless a number differs', async () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${String.fromCharCode(97 + (i % 26), 97 + i / 26)}`)
    const long = (extra: string, head = '') => page('Long', [], head).replace('<p>', `<p>${words.join(' ')} ${extra} `)
    routes({
      '/': page('Home', ['/print', '/offer', '/real']),
      '/print': long('for printing 25', canonical('/real')),
      '/offer': long('on screen 31', canonical('/real')),
      '/real': long('on screen 25'),
    })
    expect(await run()).toMatchObject({ stored: 3, duplicates: 1 })
    expect(await storedAs('/print', '/offer')).toEqual(['/real', '/offer'])
  })
  it('may claim it in the Link header, but not in the body', async () => {
    const real = page('Real one')
    routes({
      '/': page('Home', ['/header', '/body', '/other', '/real']),
      '/header': answering(200, { link: '</x>; rel=preload, </real>; title="a, b"; rel="nofollow canonical"' }, real),
      '/body': page('Body').replace('<main>', `<main>${canonical('/real')}`),
      '/other': answering(200, { link: '</real>; rel=canonical; anchor="/elsewhere"' }, page('Other')),
      '/real': real,
    })
    expect(await run()).toMatchObject({ stored: 4, duplicates: 1 })
    expect(await storedAs('/header', '/body', '/other')).toEqual(['/real', '/body', '/other'])
  })
  it.each([404, 410, 204])('stays where it was read if the address answers %i', async status => {
    routes({ '/': page('Home', ['/a']), '/a': article(canonical('/gone')), '/gone': answering(status) })
    const unprovenAddresses = [{ url: at('/gone'), claimedBy: at('/a') }]
    const known = { done: 2, failed: 0, skipped: 1 }
    const report = await run()
    expect(report).toMatchObject({ stored: 2, finished: true, failed: {}, failures: [], unproven: 1, known })
    expect(report).toMatchObject({ unprovenAddresses })
    expect(await storedAs('/a', '/gone')).toEqual(['/a', undefined])
    // Neither is it a failure in the next run.
    expect(await run()).toMatchObject({ unchanged: 2, failed: {}, unproven: 1, known })
  })
  it('stays where it was read if the address cannot be read, and the report has what the site said', async () => {
    routes({
      '/': page('Home', ['/a']),
      '/a': article(canonical('/b')),
      '/b': answering(200, { 'content-type': 'x/y' }),
    })
    const { unprovenAddresses } = await run()
    expect(unprovenAddresses).toMatchObject([{ url: at('/b'), message: expect.stringContaining('“x/y”') }])
  })
  it('is not delayed by an address with https:// that its site does not serve', async () => {
    const claim = at('/real').replace('http:', 'https:')
    routes({ '/': page('Home', ['/a'], canonical(claim)), '/a': article(canonical(claim)) })
    const report = await run({ retryDelayMs: 600_000 })
    expect(report).toMatchObject({ stored: 2, finished: true, failed: {}, unproven: 1, robotsUnreadable: [] })
    expect(report.unprovenAddresses).toMatchObject([{ url: claim, claimedBy: at('/') }])
  })
  it('claims an address that fails if something else links to it, before or after', async () => {
    routes({
      '/': page('Home', ['/a', '/b', '/linked-before']),
      '/a': page('A', [], canonical('/linked-before')),
      '/b': page('B', ['/c'], canonical('/linked-after')),
      '/c': page('C', ['/linked-after']),
      '/linked-before': answering(404),
      '/linked-after': answering(404),
    })
    const report = await run()
    expect(report).toMatchObject({ failed: { ASOF_FETCH_STATUS: 2 }, known: { done: 4, failed: 2, skipped: 0 } })
    expect(report.failures.map(({ url, foundOn }) => [url, foundOn])).toEqual([
      [at('/linked-before'), at('/')],
      [at('/linked-after'), at('/c')],
    ])
  })
  it('waits for an address that fails at first, and stays where it was read if it fails to the end', async () => {
    let tries = 0
    routes({
      '/': page('Home', ['/a', '/b']),
      '/a': article(canonical('/flaky')),
      '/flaky': (_, response) => {
        response.writeHead(++tries < 2 ? 500 : 200, { 'content-type': 'text/html' }).end(tries < 2 ? '' : article())
      },
      '/b': page('Other article', [], canonical('/broken')),
      '/broken': answering(500),
    })
    expect(await run()).toMatchObject({ stored: 3, duplicates: 1, finished: true, pending: 0 })
    expect(await storedAs('/a', '/b')).toEqual(['/flaky', '/b'])
    expect(site.asked('/broken')).toHaveLength(3)
  })
  it('has an address that redirects back to it as its alias, and is requested once', async () => {
    routes({
      '/': page('Home', ['/a']),
      '/a': article(canonical('/moved')),
      '/moved': redirect('/hop'),
      '/hop': redirect('/a'),
    })
    expect(await run()).toMatchObject({ stored: 2, failed: {}, pending: 0 })
    expect(await storedAs('/a', '/moved', '/hop')).toEqual(['/a', '/a', '/a'])
    expect(site.asked('/a')).toHaveLength(1)
    // A second run must find nothing new.
    expect(await run()).toMatchObject({ stored: 0, unchanged: 2, failed: {} })
  })
  it.each([
    ['the first', ['/a', '/b', '/c']],
    ['the second', ['/b', '/c', '/a']],
    ['the last', ['/c', '/a', '/b']],
  ])('keeps its address in a circle, whichever is found first: %s', async (_, links) => {
    routes({
      '/': page('Home', links),
      '/a': article(canonical('/b')),
      '/b': article(canonical('/c')),
      '/c': article(canonical('/a')),
    })
    expect(await run()).toMatchObject({ stored: 2, pending: 0, failed: {} })
    expect(await storedAs('/a', '/b', '/c')).toEqual(['/a', '/a', '/a'])
  })
  it('keeps its text in a circle of different pages', async () => {
    routes({
      '/': page('Home', ['/b', '/a']),
      '/a': page('A', [], canonical('/b')),
      '/b': page('B', [], canonical('/a')),
    })
    expect(await run()).toMatchObject({ stored: 3, duplicates: 0 })
    expect(await storedAs('/a', '/b')).toEqual(['/a', '/b'])
  })
  it('ignores other sites, the first page of a list, and pages in other languages', async () => {
    routes({
      '/': page('Home', ['/list?page=2', '/de', '/og']),
      '/list?page=2': page('List, page two', [], canonical('/list')),
      '/list': page('List, page one', [], canonical('/list')),
      '/de': page('Seite', [], `${canonical('/en')}<link rel=alternate hreflang=en href="/en">`),
      '/en': page('Site'),
      '/og': page('Quoted', [], '<meta property="og:url" content="https://elsewhere.example/">'),
    })
    expect(await run()).toMatchObject({ stored: 6, duplicates: 0, failed: {} })
    expect(await storedAs('/list?page=2', '/de', '/og')).toEqual(['/list?page=2', '/de', '/og'])
  })
  it('does not have its address visited out of scope, beyond the depth, or when robots.txt forbids it', async () => {
    routes({
      '/robots.txt': 'User-agent: *\nDisallow: /private\n',
      '/': page('Home', [], canonical('/private')),
      '/seed': article(canonical('/deeper')),
      '/deeper': article(),
      '/private': page('Home'),
    })
    expect(await run({}, [at('/')])).toMatchObject({ stored: 1, skippedByRobots: 1 })
    expect(await run({ discover: false }, [at('/seed')])).toMatchObject({ stored: 1 })
    expect(site.asked()).toEqual(['/', '/seed'])
  })
  it('is stored where it was read when the page limit is reached, and is an alias after the next run', async () => {
    routes({ '/': article(canonical('/real')), '/real': article() })
    for (const path of ['/', '/real']) {
      const body = site.routes.get(path) as string
      routes({
        [path]: (request, response) => {
          const isSame = request.headers['if-none-match'] === '"1"'
          response.writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', etag: '"1"' }).end(isSame ? '' : body)
        },
      })
    }
    expect(await run({ maxPages: 1 })).toMatchObject({ stored: 1 })
    expect(await storedAs('/', '/real')).toEqual(['/', undefined])
    const before = Date.now()
    expect(await run()).toMatchObject({ stored: 1, duplicates: 1 })
    expect(await storedAs('/', '/real')).toEqual(['/real', '/real'])
    expect((await engine.page(at('/'), { queryTime: before - 1 }))?.url).toBe(at('/'))
  })
  it('gets its own address back when its text or that of the address changes', async () => {
    const etagged =
      (body: () => string, etag: () => string): Route =>
      (request, response) => {
        const isSame = request.headers['if-none-match'] === etag()
        response.writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', etag: etag() }).end(isSame ? '' : body())
      }
    let real = 'Article'
    routes({
      '/': page('Home', ['/copy', '/real']),
      '/copy': etagged(
        () => article(canonical('/real')),
        () => '"copy"',
      ),
      '/real': etagged(
        () => page(real),
        () => `"${real}"`,
      ),
    })
    await run()
    expect(await storedAs('/copy')).toEqual(['/real'])
    const before = Date.now()
    real = 'Another text'
    expect(await run()).toMatchObject({ stored: 2, removed: 0 })
    expect([await titleOf('/copy'), await titleOf('/real')]).toEqual(['Article', 'Another text'])
    expect((await engine.page(at('/copy'), { queryTime: before }))?.url).toBe(at('/real'))
  })
})
