import type { LookupAddress } from 'node:dns'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { page, type Route, redirect, SiteServer } from '../../../crawler/site-server.ts'
import { addCustomer, type Customer, usageOf } from '../../../service/accounts/accounts.ts'
import { type RunningServer, type ServerOptions, startServer } from '../running-server.ts'
import { JobClient } from './crawl-jobs.ts'

const html = { 'content-type': 'text/html' }

describe('attacks by crawl jobs', () => {
  /** A server that no job may reach. */
  let inner: SiteServer
  let site: SiteServer
  let server: RunningServer
  let customer: Customer
  let client: JobClient

  async function serve(options: ServerOptions = {}): Promise<void> {
    server = await startServer({ accounts: true, allowPrivate: true, ...options })
    customer = await addCustomer(server.access, { credits: 10_000, allowance: 0, rate_limit: 100_000 })
    client = new JobClient(server.url, customer.key)
  }
  beforeEach(async () => {
    inner = await SiteServer.start({ '/': page('Secret'), '/secret': page('Secret') })
    site = await SiteServer.start({ '/': page('Home', ['/a', '/b']), '/a': page('A'), '/b': page('B') })
  })
  afterEach(async () => {
    await server.close()
    expect(server.failures).toEqual([])
    await site.close()
    await inner.close()
  })

  const usage = () => usageOf(server.access, customer.org)

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/',
    'http://db.internal/',
    'http://example.com:22/',
    'ftp://example.com/',
    'http://me:secret@example.com/',
  ])('a start at %s is refused before anything is reserved', async url => {
    await serve({ allowPrivate: false })
    for (const asked of [{ url }, { urls: ['https://example.com/', url] }]) {
      const answer = await client.start({ ...asked, limit: 10 })
      expect(answer.status).toBe(400)
      expect(['address_refused', 'invalid_request']).toContain(answer.body.error)
    }
    expect(await usage()).toMatchObject({ balance: 10_000 })
    expect((await client.list()).body.crawls).toEqual([])
  })

  it('a name that leads to a private address, also at times, is not asked', async () => {
    const port = Number(new URL(inner.origin).port)
    const publicAddress: LookupAddress = { address: '192.0.2.1', family: 4 }
    const privateAddress: LookupAddress = { address: '127.0.0.1', family: 4 }
    let lookups = 0
    const answers: Record<string, () => LookupAddress[]> = {
      'private.example': () => [privateAddress],
      'both.example': () => [{ address: '8.8.8.8', family: 4 }, privateAddress],
      'changing.example': () => {
        lookups += 1
        return [lookups % 2 === 1 ? publicAddress : privateAddress]
      },
    }
    const fetcher = {
      resolve: async (host: string) => answers[host]?.() ?? [],
      connectTimeoutMs: 100,
      totalTimeoutMs: 500,
    }
    await serve({
      allowPrivate: false,
      site: { polite: { fetcher, politeness: { delayMs: 0, adaptiveFactor: 0, backOffMs: 1 } } },
    })
    const urls = Object.keys(answers).flatMap(host => [`http://${host}:${port}/`, `http://${host}:${port}/secret`])
    const job = await client.run({ urls })
    expect(job).toMatchObject({ delivered: 0, failed: urls.length })
    for (const url of urls) expect(await client.run({ url, limit: 1 })).toMatchObject({ delivered: 0, failed: 1 })
    expect(inner.requests).toEqual([])
    expect(await usage()).toMatchObject({ balance: 10_000 })
  })

  it('redirects and links lead off the host of the job nowhere', async () => {
    site.routes.set(
      '/',
      page('Home', ['/away', '/scheme', '/login', `${inner.origin}/secret`, '//169.254.169.254/', '/a']),
    )
    site.routes.set('/away', redirect(`${inner.origin}/secret`))
    site.routes.set('/scheme', redirect('file:///etc/passwd'))
    site.routes.set('/login', redirect(site.origin.replace('http://', 'http://me:secret@')))
    await serve()
    const job = await client.run({ url: `${site.origin}/` })
    expect(job.pages.map(({ url }) => url)).toEqual([`${site.origin}/`, `${site.origin}/a`])
    const { errors } = (await client.errors(job.id)).body
    expect(errors.map(({ error }) => error)).toEqual(['target_unreachable', 'address_refused', 'address_refused'])
    const start = await client.run({ url: `${site.origin}/away` })
    expect(start).toMatchObject({ delivered: 0, failed: 1 })
    expect(inner.requests).toEqual([])
  })

  it('a flood of jobs of one organization runs two, which ask a host for one page at a time together with those of others', async () => {
    let [now, most] = [0, 0]
    const route: Route = (_request, response) => {
      now += 1
      most = Math.max(most, now)
      setImmediate(() => {
        now -= 1
        response.writeHead(200, html).end(page('A'))
      })
    }
    const names = Array.from({ length: 20 }, (_, i) => `/page-${i}`)
    for (const name of names) site.routes.set(name, route)
    const gate = Promise.withResolvers<void>()
    site.routes.set('/', (_request, response) => {
      void gate.promise.then(() => response.writeHead(200, html).end(page('Home', names)))
    })
    await serve()
    const other = new JobClient(server.url, (await addCustomer(server.access, { credits: 50 })).key)
    const started = await Promise.all(names.map(() => client.start({ url: `${site.origin}/`, limit: 25 })))
    const theirs = await other.start({ url: `${site.origin}/`, limit: 25 })
    expect(theirs.status).toBe(200)
    const second = await other.start({ url: `${site.origin}/`, limit: 25 })
    // A third job is refused before its credits are reserved, of which none is left.
    expect(await other.start({ url: `${site.origin}/`, limit: 25 })).toMatchObject({ status: 429 })
    await other.cancel(second.body.id)
    const refused = started.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(18)
    for (const { status, headers } of refused) {
      expect(status).toBe(429)
      expect(headers.get('retry-after')).toBe('5')
    }
    gate.resolve()
    for (const { status, body } of started)
      if (status === 200) expect(await client.all(body.id)).toMatchObject({ delivered: 21 })
    expect(await other.all(theirs.body.id)).toMatchObject({ delivered: 21 })
    expect(most).toBe(1)
    expect(await usage()).toMatchObject({ balance: 10_000 - 42 })
  })

  it('the jobs of another organization look like jobs that do not exist', async () => {
    await serve()
    const { id } = await client.run({ url: `${site.origin}/` })
    const other = new JobClient(server.url, (await addCustomer(server.access, { credits: 100 })).key)
    const missing = 'b3c1a0de-0000-4000-8000-000000000000'
    for (const asked of ['read', 'errors', 'cancel'] as const) {
      const theirs = await other[asked](id)
      const none = await other[asked](missing)
      expect(theirs.status).toBe(404)
      expect(theirs.body).toEqual(none.body)
    }
    expect((await other.list()).body.crawls).toEqual([])
    for (const odd of ['..%2F..', '%00', 'x'.repeat(5_000), '%F0%9F%92%A9', '__proto__'])
      expect((await client.read(odd)).status).toBeGreaterThanOrEqual(400)
    expect((await client.read(id)).body).toMatchObject({ state: 'completed', delivered: 3 })
  })

  it('a site without end ends with the limit of the job, also if none of its pages can be read', async () => {
    let made = 0
    site.answer = (request, response) => {
      site.requests.push({ path: request.url ?? '', headers: {} })
      const links = Array.from({ length: 50 }, () => `/more/${made++}`)
      const isGone = request.url?.startsWith('/more/dead')
      response.writeHead(isGone || request.url === '/robots.txt' ? 404 : 200, html).end(page('Endless', links))
    }
    await serve()
    expect(await client.run({ url: `${site.origin}/`, limit: 30 })).toMatchObject({ state: 'completed', delivered: 30 })
    expect(site.asked()).toHaveLength(30)
    site.answer = (request, response) => {
      site.requests.push({ path: request.url ?? '', headers: {} })
      const links = Array.from({ length: 1_000 }, () => `/dead/${made++}`)
      response.writeHead(request.url === '/dead' ? 200 : 404, html).end(page('Dead', links))
    }
    const job = await client.run({ url: `${site.origin}/dead`, limit: 30 })
    expect(job).toMatchObject({ state: 'completed', delivered: 1, failed: 119 })
  })

  it('a page of 50 MB, and one that never ends, are not read to their ends', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a ')
    let sent = 0
    const large: Route = (_request, response) => {
      response.writeHead(200, html)
      const write = () => {
        while (!response.destroyed && sent < 50) {
          sent += 1
          if (!response.write(chunk)) return response.once('drain', write)
        }
        return response.end()
      }
      write()
    }
    site.routes.set('/large', large)
    site.routes.set('/', page('Home', ['/large', '/a']))
    await serve()
    const job = await client.run({ url: `${site.origin}/` })
    expect(job).toMatchObject({ state: 'completed', delivered: 2, failed: 1 })
    expect((await client.errors(job.id)).body.errors).toMatchObject([{ error: 'unprocessable' }])
    expect(sent).toBeLessThan(50)
  })

  it('a site that does not answer holds up nobody but its own job, which can be cancelled', async () => {
    site.routes.set('/', () => {})
    await serve()
    const { id } = (await client.start({ url: `${site.origin}/` })).body
    await expect.poll(() => site.asked('/').length).toBe(1)
    const free = await SiteServer.start({ '/': page('Free') })
    expect(await client.run({ url: `${free.origin}/` })).toMatchObject({ delivered: 1 })
    await free.close()
    // A second job of the slow host waits for its turn, and need not have it to be cancelled.
    const waiting = await client.start({ url: `${site.origin}/a` })
    expect((await client.cancel(waiting.body.id)).body).toMatchObject({ state: 'cancelled', delivered: 0 })
    expect((await client.cancel(id)).body).toMatchObject({ state: 'cancelled', delivered: 0 })
    expect(await client.run({ url: `${site.origin}/a` })).toMatchObject({ delivered: 1 })
  })

  it('the pages of a day are limited over all jobs of an organization, by those that they tried to read', async () => {
    let now = Date.parse('2025-03-01T12:00:00Z')
    await serve({ jobs: { pagesPerDay: 10 }, now: () => now })
    expect(await client.run({ url: `${site.origin}/`, limit: 10 })).toMatchObject({ delivered: 3 })
    expect(await client.start({ url: `${site.origin}/`, limit: 8 })).toMatchObject({ status: 429 })
    expect(await client.run({ url: `${site.origin}/`, limit: 7 })).toMatchObject({ delivered: 3 })
    expect(await client.start({ url: `${site.origin}/`, limit: 5 })).toMatchObject({ status: 429 })
    now += 24 * 3_600_000
    expect(await client.run({ url: `${site.origin}/`, limit: 10 })).toMatchObject({ delivered: 3 })
    expect(await usage()).toMatchObject({ balance: 10_000 - 9 })
  })
})
