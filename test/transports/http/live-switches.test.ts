import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Fetcher, fetchPage, RobotsGate, storeFetched } from '../../../crawler/index.ts'
import { openDataFolder } from '../../../service/data-folder/index.ts'
import { addCustomer } from '../../service/accounts/accounts.ts'
import {
  type Answer,
  get,
  query,
  type RunningServer,
  type ServerOptions,
  startServer,
  startTarget,
} from './running-server.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: ServerOptions): Promise<RunningServer> {
  const server = await startServer({ allowPrivate: true, ...options })
  closing.push(() => server.close())
  return server
}

async function site(pages: Record<string, { status?: number; body?: string; headers?: Record<string, string> }>) {
  const asked: string[] = []
  const target = await startTarget((request, response) => {
    asked.push(request.url!)
    const { status = 404, body = '', headers = {} } = pages[request.url!] ?? {}
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body)
  })
  closing.push(() => target.close())
  return { url: target.url, asked }
}

const words = '<title>Harbor</title><main><h1>Harbor</h1><p>Ships that lie in the harbor tonight.</p></main>'
const page = { status: 200, body: words }

function ask(server: RunningServer, parameters: Record<string, unknown>): Promise<Answer> {
  return get(`${server.url}/v1/fetch/public?${query(parameters)}`)
}

describe('adding live pages to the index', () => {
  const storing: ServerOptions['live'] = engine => ({
    store: (fetched, extracted) => storeFetched(engine, fetched, extracted),
  })

  it('adds a capture that is found from then on, also by the URL that redirected to it', async () => {
    const target = await site({ '/old': { status: 302, headers: { Location: '/new' } }, '/new': page })
    const server = await start({ live: storing })
    const before = Date.now()
    expect((await ask(server, { url: `${target.url}/old`, live: true })).status).toBe(200)
    for (const path of ['/old', '/new']) {
      expect((await ask(server, { url: target.url + path })).body).toMatchObject({
        title: 'Harbor',
        url: `${target.url}/new`,
      })
    }
    const found = await server.engine.search('ships harbor')
    expect(found.results).toMatchObject([{ url: `${target.url}/new` }])
    expect(found.results[0]!.acquiredAt).toBeGreaterThanOrEqual(before)
    expect((await server.engine.search('ships harbor', { queryTime: before - 1 })).results).toEqual([])
  })

  it('does not happen for an organization under zero data retention, by fetch or by a query that is a URL', async () => {
    const target = await site({ '/a': page, '/b': page })
    const server = await start({ live: storing, accounts: true })
    const headers = async (zdr: boolean) => ({ 'X-API-Key': (await addCustomer(server.access, { zdr })).key })
    const silent = await headers(true)
    const fetched = await get(`${server.url}/v1/fetch?${query({ url: `${target.url}/a`, live: true })}`, silent)
    const searched = await get(`${server.url}/v1/search?${query({ query: `${target.url}/b` })}`, silent)
    expect([fetched.status, searched.body.results!.length]).toEqual([200, 1])
    expect((await server.engine.stats()).captures).toBe(0)
    await get(`${server.url}/v1/search?${query({ query: `${target.url}/b` })}`, await headers(false))
    expect((await server.engine.stats()).captures).toBe(1)
  })

  it('returns pages that ask not to be indexed, without adding them', async () => {
    const target = await site({
      '/tag': { ...page, headers: { 'X-Robots-Tag': 'noindex' } },
      '/other': { ...page, headers: { 'X-Robots-Tag': 'otherbot: noindex' } },
      '/meta': { status: 200, body: `<meta name="robots" content="noindex">${words}` },
    })
    const server = await start({ live: storing })
    for (const path of ['/tag', '/meta', '/other']) {
      expect((await ask(server, { url: target.url + path, live: true })).status).toBe(200)
    }
    expect((await server.engine.stats()).captures).toBe(1)
    expect((await ask(server, { url: `${target.url}/other` })).status).toBe(200)
  })

  it('reports a failure to the operator, and returns the page', async () => {
    const target = await site({ '/a': page })
    const failures: unknown[] = []
    const full = new Error('the disk is full')
    const server = await start({
      live: () => ({
        store: () => Promise.reject(full),
        onStoreFailure: (url, failure) => failures.push([url, failure]),
      }),
    })
    expect((await ask(server, { url: `${target.url}/a`, live: true })).status).toBe(200)
    expect(failures).toEqual([[`${target.url}/a`, full]])
  })
})

describe('robots.txt in live fetches', () => {
  function gated(): ServerOptions {
    const fetcher = new Fetcher({ allowPrivate: true })
    closing.push(() => fetcher.close())
    const gate = new RobotsGate(fetcher, Date.now)
    return { live: () => ({ mayFetch: (url, signal) => gate.check(url, signal) }) }
  }
  const robots = { status: 200, body: 'User-agent: *\nDisallow: /private\n', headers: { 'Content-Type': 'text/plain' } }

  it('answers 422 robots_disallowed without fetching a page that the site disallows', async () => {
    const target = await site({ '/robots.txt': robots, '/private': page, '/open': page })
    const server = await start(gated())
    const refused = await ask(server, { url: `${target.url}/private`, live: true })
    expect([refused.status, refused.body.error]).toEqual([422, 'robots_disallowed'])
    expect(refused.body.message).toContain('robots.txt')
    expect((await ask(server, { url: `${target.url}/open`, live: true })).status).toBe(200)
    expect(target.asked).toEqual(['/robots.txt', '/open'])
  })

  it('is checked before each redirect', async () => {
    const target = await site({
      '/robots.txt': robots,
      '/open': { status: 302, headers: { Location: '/private' } },
      '/private': page,
    })
    const server = await start(gated())
    expect((await ask(server, { url: `${target.url}/open`, live: true })).body.error).toBe('robots_disallowed')
    expect(target.asked).not.toContain('/private')
  })

  it("answers 502 if the file can't be read, and fetches the page if there is no file", async () => {
    const broken = await site({ '/robots.txt': { status: 503 }, '/a': page })
    const none = await site({ '/a': page })
    const server = await start(gated())
    const answer = await ask(server, { url: `${broken.url}/a`, live: true })
    expect([answer.status, answer.body.error]).toEqual([502, 'target_unreachable'])
    expect(answer.body.message).toContain('robots.txt')
    expect((await ask(server, { url: `${none.url}/a`, live: true })).status).toBe(200)
  })

  it('is ignored by default', async () => {
    const target = await site({ '/robots.txt': robots, '/private': page })
    const server = await start({ fetchPage })
    expect((await ask(server, { url: `${target.url}/private`, live: true })).status).toBe(200)
    expect(target.asked).toEqual(['/private'])
  })
})

describe('a data folder', () => {
  it('adds live pages and obeys robots.txt as its settings say', async () => {
    const target = await site({
      '/robots.txt': { status: 200, body: 'User-agent: asof\nDisallow: /no\n' },
      '/yes': page,
      '/no': page,
    })
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-switches-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const common = { create: true, allowPrivate: true, share: false, now: Date.now, onNotice: () => {} }
    const off = await openDataFolder(dir, common)
    await off.readLive(`${target.url}/no`)
    expect((await off.engine.stats()).captures).toBe(0)
    await off.close()
    const on = await openDataFolder(dir, { ...common, storeLive: true, liveRobots: true })
    await expect(on.readLive(`${target.url}/no`)).rejects.toMatchObject({ code: 'ASOF_ROBOTS_DISALLOWED' })
    await on.readLive(`${target.url}/yes`, { zdr: true })
    expect((await on.engine.stats()).captures).toBe(0)
    await on.readLive(`${target.url}/yes`)
    expect((await on.engine.stats()).captures).toBe(1)
    await on.close()
  })
})
