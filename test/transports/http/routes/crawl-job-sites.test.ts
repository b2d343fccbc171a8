import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../../core/index.ts'
import { storeFetched } from '../../../../crawler/index.ts'
import { page, type Route, redirect, SiteServer } from '../../../crawler/site-server.ts'
import { addCustomer, type Customer, type UsageReport, usageOf } from '../../../service/accounts/accounts.ts'
import { type RunningServer, type ServerOptions, startServer } from '../running-server.ts'
import { JobClient } from './crawl-jobs.ts'

/** A page that is answered when the test says so. */
function heldPage(title: string): { route: Route; release: () => void } {
  const gate = Promise.withResolvers<void>()
  const route: Route = (_request, response) => {
    void gate.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page(title)))
  }
  return { route, release: gate.resolve }
}

describe('crawl jobs of a site', () => {
  let dir: string
  let site: SiteServer
  let server: RunningServer
  let customer: Customer
  let client: JobClient

  async function serve(options: ServerOptions = {}): Promise<void> {
    server = await startServer({ accounts: true, allowPrivate: true, dir, ...options })
    customer = await addCustomer(server.access, { credits: 1_000, allowance: 0, rate_limit: 100_000 })
    client = new JobClient(server.url, customer.key)
  }
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-jobs-'))
    site = await SiteServer.start({
      '/': page('Home', ['/docs', '/about']),
      '/about': page('About'),
      '/docs': page('Docs', ['/docs/tea', '/docs/coffee?sort=up#top', '/about', '/docs/gone']),
      '/docs/tea': page('Tea', ['/docs', '/docs/tea/green']),
      '/docs/coffee?sort=up': page('Coffee'),
      '/docs/tea/green': page('Green tea'),
    })
  })
  afterEach(async () => {
    await server.close()
    await site.close()
    await rm(dir, { recursive: true, force: true })
  })

  const usage = (): Promise<UsageReport> => usageOf(server.access, customer.org)
  const pathsOf = ({ pages }: { pages: readonly { url: string }[] }) =>
    pages.map(({ url }) => url.replace(site.origin, ''))

  it('delivers the pages below a URL, breadth first, and charges each', async () => {
    await serve()
    const job = await client.run({ url: `${site.origin}/docs` })
    expect(job).toMatchObject({ state: 'completed', source: 'site', delivered: 4, failed: 1 })
    expect(pathsOf(job)).toEqual(['/docs', '/docs/tea', '/docs/coffee?sort=up', '/docs/tea/green'])
    expect(job.pages[1]).toMatchObject({ title: 'Tea', content: expect.stringContaining('page of its own') })
    const { errors } = (await client.errors(job.id)).body
    expect(errors).toMatchObject([{ url: `${site.origin}/docs/gone`, error: 'target_not_found' }])
    expect(await usage()).toMatchObject({ calls: { 'fetch.live': 4 }, balance: 996 })
    // The credits that the job did not need are free again.
    expect(await client.run({ url: `${site.origin}/about`, limit: 996 })).toMatchObject({ delivered: 1 })
    // Nothing is in the index that all callers search.
    expect((await server.engine.stats()).captures).toBe(0)
  })

  it('keeps to the whole host, the depth, the patterns and the limit that it was given', async () => {
    await serve()
    const paths = async (asked: object) => pathsOf(await client.run({ url: `${site.origin}/docs`, ...asked }))
    expect(await paths({ entire_host: true, max_depth: 1 })).toEqual([
      '/docs',
      '/docs/tea',
      '/docs/coffee?sort=up',
      '/about',
    ])
    expect(await paths({ max_depth: 0 })).toEqual(['/docs'])
    expect(await paths({ limit: 2 })).toEqual(['/docs', '/docs/tea'])
    expect(await paths({ exclude: ['/docs/tea/', '/*?'] })).toEqual(['/docs', '/docs/tea'])
    // The crawl starts at /docs and follows its links, but `include` does not match /docs itself.
    expect(await paths({ include: ['/docs/tea'] })).toEqual(['/docs/tea', '/docs/tea/green'])
  })

  it('reads a list of pages in its order, and follows no links', async () => {
    await serve()
    const other = await SiteServer.start({ '/': page('Other', ['/more']) })
    const urls = [`${site.origin}/about`, `${other.origin}/`, `${site.origin}/gone`]
    const job = await client.run({ urls })
    await other.close()
    expect(job).toMatchObject({ state: 'completed', delivered: 2, failed: 1 })
    expect(job.pages.map(({ url }) => url)).toEqual(urls.slice(0, 2))
    expect(other.asked()).toEqual(['/'])
  })

  it('obeys robots.txt, and links that must not be followed', async () => {
    site.routes.set('/robots.txt', 'User-agent: *\nDisallow: /docs/tea\n')
    site.routes.set('/about', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'nofollow' }).end(page('About', ['/more']))
    })
    await serve()
    const job = await client.run({ url: `${site.origin}/` })
    expect(pathsOf(job)).toEqual(['/', '/docs', '/about', '/docs/coffee?sort=up'])
    expect((await client.errors(job.id)).body.errors.map(({ error }) => error)).toContain('robots_disallowed')
    expect(site.asked('/docs/tea')).toEqual([])
    expect(site.asked('/more')).toEqual([])
  })

  it('reads no page twice, whatever redirects to it', async () => {
    site.routes.set('/old', redirect('/about'))
    site.routes.set('/', page('Home', ['/old', '/about']))
    await serve()
    expect(pathsOf(await client.run({ url: `${site.origin}/` }))).toEqual(['/', '/about'])
  })

  it('tries again when a site is busy', async () => {
    let tries = 0
    const busy: Route = (_request, response) => {
      tries += 1
      if (tries < 3) response.writeHead(429, { 'retry-after': '0' }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page('Busy'))
    }
    site.routes.set('/busy', busy)
    await serve()
    expect(await client.run({ url: `${site.origin}/busy` })).toMatchObject({ delivered: 1, failed: 0 })
  })

  it('adds pages to the index only if the server stores live fetches', async () => {
    const engine = await open(':memory:')
    await serve({ engine, site: { store: (fetched, extracted) => storeFetched(engine, fetched, extracted) } })
    await client.run({ url: `${site.origin}/about` })
    expect((await engine.search('about')).results.map(({ url }) => url)).toEqual([`${site.origin}/about`])
    await server.close()
    await engine.close()
    await serve()
  })

  it('can be cancelled in the middle: what it delivered stays, and the rest of its credits is free', async () => {
    const held = heldPage('Tea')
    site.routes.set('/docs/tea', held.route)
    await serve()
    const { id } = (await client.start({ url: `${site.origin}/docs`, limit: 1_000 })).body
    await expect.poll(() => site.asked('/docs/tea').length).toBe(1)
    expect((await client.read(id)).body).toMatchObject({ state: 'running', delivered: 1, next: '1' })
    expect(await client.start({ url: `${site.origin}/about`, limit: 1 })).toMatchObject({ status: 402 })
    expect((await client.cancel(id)).body).toMatchObject({ state: 'cancelled', delivered: 1 })
    held.release()
    expect((await client.cancel(id)).body).toMatchObject({ state: 'cancelled', delivered: 1 })
    const job = await client.all(id)
    expect(pathsOf(job)).toEqual(['/docs'])
    expect(job.next).toBeUndefined()
    expect(await usage()).toMatchObject({ calls: { 'fetch.live': 1 }, balance: 999 })
    expect(await client.run({ url: `${site.origin}/about`, limit: 999 })).toMatchObject({ delivered: 1 })
  })

  it.each(['is stopped', 'is killed'])(
    'ends as failed when its server %s, with its pages and without a second charge',
    async how => {
      const held = heldPage('Tea')
      site.routes.set('/docs/tea', held.route)
      await serve()
      const { id } = (await client.start({ url: `${site.origin}/docs`, limit: 1_000 })).body
      await expect.poll(() => site.asked('/docs/tea').length).toBe(1)
      let continued = dir
      if (how === 'is killed') {
        // What a killed process leaves is what is on disk now.
        continued = `${dir}-killed`
        await cp(dir, continued, { recursive: true, filter: file => path.basename(file) !== 'LOCK' })
      }
      await server.close()
      held.release()
      server = await startServer({ accounts: true, allowPrivate: true, dir: continued })
      client = new JobClient(server.url, customer.key)
      const job = await client.all(id)
      expect(job).toMatchObject({ state: 'failed', failure: expect.stringContaining('stopped'), delivered: 1 })
      expect(pathsOf(job)).toEqual(['/docs'])
      expect(await usage()).toMatchObject({ calls: { 'fetch.live': 1 }, balance: 999 })
      const asked = site.asked().length
      expect(await client.run({ url: `${site.origin}/about`, limit: 999 })).toMatchObject({ delivered: 1 })
      expect(site.asked().length).toBe(asked + 1)
      if (continued !== dir) {
        await server.close()
        await rm(continued, { recursive: true, force: true })
        await serve()
      }
    },
  )
})
