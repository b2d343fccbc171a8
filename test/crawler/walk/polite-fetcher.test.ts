import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FetchedPage, PoliteFetcher, type PoliteFetcherOptions } from '../../../crawler/index.ts'
import { page, type Route, redirect, SiteServer } from '../site-server.ts'

const never = new AbortController().signal

describe('a polite fetcher', () => {
  let site: SiteServer
  let fetcher: PoliteFetcher
  const start = (options: PoliteFetcherOptions = {}) => {
    fetcher = new PoliteFetcher({
      politeness: { delayMs: 0, adaptiveFactor: 0 },
      ...options,
      fetcher: { allowPrivate: true, ...options.fetcher },
    })
  }
  beforeEach(async () => {
    site = await SiteServer.start({ '/': page('Home'), '/a': page('A') })
  })
  afterEach(async () => {
    await fetcher.close()
    await site.close()
  })
  const get = (path: string, signal = never): Promise<FetchedPage> =>
    fetcher.visit(`${site.origin}${path}`, signal, fetch => fetch({ signal }))

  it('asks a host for one page at a time, whoever calls, with a pause after each', async () => {
    const pauseMs = 60
    let [open, most] = [0, 0]
    const times: number[] = []
    const route: Route = (_request, response) => {
      open += 1
      most = Math.max(most, open)
      times.push(performance.now())
      setImmediate(() => {
        open -= 1
        response.writeHead(200, { 'content-type': 'text/html' }).end(page('A'))
      })
    }
    site.routes.set('/a', route)
    start({ politeness: { delayMs: pauseMs, adaptiveFactor: 0 } })
    await Promise.all([1, 2, 3].map(() => get('/a')))
    expect(most).toBe(1)
    // A timer may end a millisecond early.
    for (const [i, time] of times.entries()) if (i > 0) expect(time - (times[i - 1] ?? 0)).toBeGreaterThan(pauseMs - 2)
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/a', '/a', '/a'])
  })

  it('begins the pause of a host when the page was fetched, and not after the work on it', async () => {
    start()
    const gate = Promise.withResolvers<void>()
    const slow = fetcher.visit(`${site.origin}/`, never, async fetch => {
      await fetch({})
      await gate.promise
    })
    expect((await get('/a')).status).toBe(200)
    gate.resolve()
    await slow
  })

  it('fetches nothing that robots.txt disallows, also by a redirect', async () => {
    site.routes.set('/robots.txt', 'User-agent: asof\nDisallow: /private\n')
    site.routes.set('/private', page('Private'))
    site.routes.set('/away', redirect('/private'))
    start()
    for (const path of ['/private', '/away'])
      await expect(get(path)).rejects.toMatchObject({ code: 'ASOF_ROBOTS_DISALLOWED' })
    expect(site.asked('/private')).toEqual([])
  })

  it('fetches nothing while robots.txt cannot be read, and asks for it again later', async () => {
    site.routes.set('/robots.txt', (_request, response) => response.writeHead(500).end())
    start()
    await expect(get('/')).rejects.toMatchObject({ code: 'ASOF_FETCH_UNREACHABLE' })
    expect(site.asked()).toEqual([])
    site.routes.set('/robots.txt', '')
    expect((await get('/')).status).toBe(200)
  })

  it('lets nobody wait longer than they want for the turn of a slow host', async () => {
    const gate = Promise.withResolvers<void>()
    site.routes.set('/', (_request, response) => {
      void gate.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page('Home')))
    })
    start()
    const slow = get('/')
    await expect.poll(() => site.asked('/').length).toBe(1)
    const leave = new AbortController()
    const waiting = get('/a', leave.signal)
    leave.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    gate.resolve()
    await slow
    // The turn that nobody took is free.
    expect((await get('/a')).status).toBe(200)
  })

  it('waits after a host has answered that it is busy', async () => {
    const restMs = 50
    let answeredAt = 0
    site.routes.set('/', (_request, response) => {
      answeredAt = performance.now()
      response.writeHead(503).end()
    })
    start({ politeness: { delayMs: 0, adaptiveFactor: 0, backOffMs: restMs } })
    await expect(get('/')).rejects.toMatchObject({ code: 'ASOF_FETCH_STATUS' })
    await get('/a')
    // The wait differs by up to a third.
    expect(performance.now() - answeredAt).toBeGreaterThan((restMs * 2) / 3 - 2)
  })
})
