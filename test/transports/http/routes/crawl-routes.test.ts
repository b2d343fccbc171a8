import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CrawlActName, crawlAnswers } from '../../../../service/crawls/index.ts'
import { page, type Route, SiteServer } from '../../../crawler/site-server.ts'
import { type CrawlingServer, startCrawlingServer } from '../crawling-server.ts'

const token = 'a-token-of-some-length'
const admin = { authorization: `Bearer ${token}` }

interface Shown {
  name: string
  state: string
  can_resume: boolean
  failure: string | null
  report: {
    stored: number
    fetched: number
    statuses: Record<string, number>
    failures: { url: string; found_on: string | null }[]
  } | null
}

describe('crawls of a server', () => {
  let dir: string
  let site: SiteServer
  let server: CrawlingServer
  let url: string

  const serve = async (allowPrivate = true) => {
    server = await startCrawlingServer(dir, token, allowPrivate)
    url = server.url
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-crawls-'))
    site = await SiteServer.start({
      '/': page('Home', ['/tea', '/gone']),
      '/tea': page('Tea'),
    })
    await serve()
  })
  afterEach(async () => {
    await server.close()
    await site.close()
    await rm(dir, { recursive: true })
  })

  /** Returns an answer, which must have the form that the schema of its act describes. */
  const answerOf = async (response: Response) => {
    const body = (await response.json()) as Record<string, unknown>
    const act = new URL(response.url).pathname.split('/').at(-1) as CrawlActName
    if (response.status === 200) expect(() => crawlAnswers[act].parse(body)).not.toThrow()
    return { status: response.status, body }
  }
  const read = async (path: string) => answerOf(await fetch(`${url}/admin/crawls/${path}`, { headers: admin }))
  const act = async (path: string, body: object) => {
    const headers = { ...admin, 'content-type': 'application/json' }
    return answerOf(await fetch(`${url}/admin/crawls/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
  }
  const list = async () => (await read('list')).body.crawls as Shown[]
  const stateOf = async (name: unknown) => (await list()).find(crawl => crawl.name === name)?.state
  /** A page that is answered when the test says so, so that a crawl is still running. */
  const slowPage = () => {
    const gate = Promise.withResolvers<void>()
    const route: Route = (_request, response) => {
      void gate.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page('Slow')))
    }
    site.routes.set('/slow', route)
    return gate
  }
  const quick = { delay_ms: 0 }

  it('runs a crawl in the background, and lists its report with statuses and failures', async () => {
    const started = await act('start', { urls: [`${site.origin}/`], ...quick })
    expect(started.status).toBe(200)
    await expect.poll(() => stateOf(started.body.name)).toBe('finished')
    const [crawl] = await list()
    expect(crawl).toMatchObject({
      can_resume: true,
      failure: null,
      report: { stored: 2, fetched: 2, statuses: { 200: 2, 404: 1 }, failures: [{ found_on: `${site.origin}/` }] },
    })
    expect((await server.folder.engine.search('tea')).results[0]?.title).toBe('Tea')
    const { failures } = (await read(`failures?name=${started.body.name}`)).body
    expect(failures).toMatchObject([
      { url: `${site.origin}/gone`, code: 'ASOF_FETCH_STATUS', found_on: `${site.origin}/` },
    ])
  })

  it('shows what a crawl would fetch, and stores nothing', async () => {
    const { body } = await act('preview', { urls: [`${site.origin}/`] })
    expect(body).toMatchObject({
      complete: true,
      pages: 3,
      seeds: [{ url: `${site.origin}/`, verdict: 'fetched', links: 2, in_scope: 3 }],
    })
    expect((await server.folder.engine.stats()).captures).toBe(0)
    expect(await list()).toEqual([])
  })

  it('stops a crawl, and resumes it where it was, also after a restart', async () => {
    const gate = slowPage()
    const corpus = { name: 'slow', seeds: [`${site.origin}/tea`, `${site.origin}/slow`] }
    expect((await act('start', { corpus, ...quick })).body).toEqual({ name: 'slow' })
    await expect.poll(() => site.asked('/slow').length).toBe(1)
    expect(await stateOf('slow')).toBe('running')
    expect((await read('due?name=slow')).body).toMatchObject({ hour: 0, day: 0, later: 0, complete: true })
    expect((await act('start', { corpus })).body.message).toContain('is running')
    expect((await act('stop', { name: 'slow' })).status).toBe(200)
    expect(await stateOf('slow')).toBe('stopping')
    gate.resolve()
    await expect.poll(() => stateOf('slow')).toBe('stopped')
    expect((await act('stop', { name: 'slow' })).status).toBe(404)
    expect((await read('due?name=slow')).status).toBe(404)
    await server.close()
    await serve()
    expect(await list()).toMatchObject([{ name: 'slow', state: 'stopped', can_resume: true }])
    site.routes.set('/slow', page('Slow'))
    expect((await act('resume', { name: 'slow' })).status).toBe(200)
    await expect.poll(() => stateOf('slow')).toBe('finished')
    expect((await server.folder.engine.stats()).urls).toBe(2)
    expect((await act('resume', { name: 'other' })).status).toBe(404)
    const audit = await fetch(`${url}/admin/org/audit`, { headers: admin })
    expect(await audit.json()).toMatchObject(
      ['resume', 'stop', 'start'].map(name => ({
        act: `crawls.${name}`,
        target: 'slow',
        actor: 'admin token, from 127.0.0.1',
      })),
    )
  })

  it('stops its crawls when the folder closes, once their captures are stored', async () => {
    const gate = slowPage()
    await act('start', { corpus: { name: 'slow', seeds: [`${site.origin}/slow`] }, ...quick })
    await expect.poll(() => site.asked('/slow').length).toBe(1)
    const closed = server.close()
    gate.resolve()
    await closed
    await serve()
    expect(await list()).toMatchObject([{ name: 'slow', state: 'stopped' }])
  })

  it('keeps definitions with secret headers from other users, and copies them into a backup', async () => {
    const corpus = { name: 'tea', seeds: [`${site.origin}/tea`], headers: { authorization: 'Bearer secret' } }
    await act('start', { corpus, ...quick })
    await expect.poll(() => stateOf('tea')).toBe('finished')
    expect(JSON.stringify(await list())).not.toContain('secret')
    await server.folder.backup(join(dir, 'copy'), {})
    expect(existsSync(join(dir, 'copy/crawl/tea.definition.json'))).toBe(true)
  })

  it('sends the progress of running crawls as events, until the server closes', async () => {
    const gate = slowPage()
    const stream = await fetch(`${url}/admin/crawls/events`, { headers: admin })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    await act('start', { corpus: { name: 'slow', seeds: [`${site.origin}/tea`, `${site.origin}/slow`] }, ...quick })
    let text = ''
    const decoder = new TextDecoder()
    const reader = stream.body!.getReader()
    while (!text.includes('"fetched":1')) text += decoder.decode((await reader.read()).value, { stream: true })
    expect(text).toMatch(/^event: running\ndata: \{"running":\[\]\}\n\n/)
    const last = text.trim().split('\n\n').at(-1)!.replace('event: running\ndata: ', '')
    expect(JSON.parse(last)).toMatchObject({
      running: [{ name: 'slow', state: 'running', report: { statuses: { 200: 1 } } }],
    })
    const closed = server.close()
    gate.resolve()
    while (!(await reader.read()).done);
    await closed
    await serve()
  })

  it('ends a stream of events when its browser has gone, so that others can be opened', async () => {
    for (let round = 0; round < 2; round++) {
      const gone = new AbortController()
      // An administrator has a limit of requests per second.
      const open = async (): Promise<Response> => {
        const stream = await fetch(`${url}/admin/crawls/events`, { headers: admin, signal: gone.signal })
        if (stream.status !== 429) return stream
        await setTimeout(1000 * Number(stream.headers.get('retry-after')))
        return await open()
      }
      const streams = await Promise.all(Array.from({ length: 32 }, open))
      expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
      expect((await open()).status).toBe(503)
      gone.abort()
      await expect
        .poll(async () => {
          const again = await fetch(`${url}/admin/crawls/events`, { headers: admin })
          await again.body?.cancel()
          return again.status
        })
        .toBe(200)
    }
  })

  it('ends a stream of events with the session of its browser', async () => {
    const headers = { 'content-type': 'application/json', origin: url }
    const signedIn = await fetch(`${url}/admin/session`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!
    const stream = await fetch(`${url}/admin/crawls/events`, { headers: { cookie } })
    const reader = stream.body!.getReader()
    expect((await reader.read()).done).toBe(false)
    await fetch(`${url}/admin/session`, { method: 'DELETE', headers: { cookie, origin: url } })
    while (!(await reader.read()).done);
    expect((await fetch(`${url}/admin/crawls/events`, { headers: { cookie } })).status).toBe(401)
  })

  it.each(['failures?name=nobody', 'due?name=nobody'])(
    'answers 404 for a crawl that it does not know: %s',
    async path => {
      const { status, body } = await read(path)
      expect([status, body.error]).toEqual([404, 'not_found'])
      expect(body.message).toContain('nobody')
    },
  )

  it('names each bad field of a definition, and refuses private addresses and callers without the token', async () => {
    const bad = await act('start', { corpus: { name: 'Bad Name', seeds: ['ftp://a'] } })
    expect(bad.status).toBe(400)
    expect((bad.body.details as { path: string }[]).map(({ path }) => path)).toEqual(['corpus.name', 'corpus.seeds[0]'])
    expect((await act('start', {})).body.message).toContain('either urls or a corpus')
    expect((await act('stop', { name: '../x' })).status).toBe(400)
    expect((await fetch(`${url}/admin/crawls/list`)).status).toBe(401)
    expect((await fetch(`${url}/admin/crawls/events`)).status).toBe(401)
    await server.close()
    await serve(false)
    const refused = await act('start', { urls: ['http://127.0.0.1:9/'] })
    expect([refused.status, refused.body.error]).toEqual([400, 'address_refused'])
    expect(refused.body.details).toMatchObject([{ path: 'urls[0]' }])
    const seeds = ['https://a.example/', 'http://127.0.0.1:9/']
    const second = await act('start', { corpus: { name: 'x', seeds } })
    expect(second.body.details).toMatchObject([{ path: 'corpus.seeds[1]' }])
    expect(await list()).toEqual([])
  })

  it('lists a crawl as interrupted if its process was killed', async () => {
    const { recordCrawl } = await import('../../../../crawler/crawl/crawl-journal.ts')
    await recordCrawl(join(dir, 'data/crawl'), { name: 'lost', watch: false, startedAt: 1 })
    expect(await list()).toMatchObject([{ name: 'lost', state: 'interrupted', can_resume: false, report: null }])
  })
})
