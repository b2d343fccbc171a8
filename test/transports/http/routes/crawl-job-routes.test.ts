import { afterEach, describe, expect, it } from 'vitest'
import type { CaptureInput } from '../../../../core/index.ts'
import { addCustomer, type Customer, usageOf } from '../../../service/accounts/accounts.ts'
import { get, query, type RunningServer, type ServerOptions, startServer } from '../running-server.ts'
import { JobClient } from './crawl-jobs.ts'

const march = '2025-03-01T00:00:00.000Z'

/** A page with a version of January and one of June. */
function versions(url: string, name: string): CaptureInput[] {
  return [
    { url, title: `${name} of January`, text: `${name} in its winter version.`, acquiredAt: '2025-01-10' },
    { url, title: `${name} of June`, text: `${name} in its summer version.`, acquiredAt: '2025-06-10' },
  ]
}

const pageUrl = (number: number) => `https://site.example/docs/page-${number}`

function pages(count: number): CaptureInput[] {
  return Array.from({ length: count }, (_, i) => versions(pageUrl(i), `Page ${i}`)).flat()
}

describe('crawl jobs of the index', () => {
  let server: RunningServer
  let customer: Customer
  let client: JobClient

  async function serve(options: ServerOptions, credits = 1_000): Promise<void> {
    server = await startServer({ accounts: true, ...options })
    customer = await addCustomer(server.access, { credits, allowance: 0, rate_limit: 100_000 })
    client = new JobClient(server.url, customer.key)
  }
  afterEach(() => server.close())

  const charged = async () => (await usageOf(server.access, customer.org)).calls

  it.each([0, 1, 10, 11, 150])('delivers %d pages as the native route has them at the instant', async count => {
    await serve({ captures: [...pages(count), ...versions('https://other.example/docs/x', 'Other')] })
    const job = await client.run({ url: 'https://site.example/docs', limit: 200, query_time: '2025-03-01' })
    expect(job).toMatchObject({ state: 'completed', source: 'index', query_time: march, delivered: count, failed: 0 })
    expect(job.pages.map(({ url }) => url).sort()).toEqual(Array.from({ length: count }, (_, i) => pageUrl(i)).sort())
    for (const page of job.pages) {
      const parameters = { url: page.url, query_time: march, include: 'metadata' }
      const { body } = await get(`${server.url}/v1/fetch?${query(parameters)}`, { 'X-API-Key': customer.key })
      const { content, title, acquired_at } = body as unknown as Record<string, unknown>
      expect(page).toMatchObject({ content, title, acquired_at, truncated: false })
      expect(page.content).not.toContain('summer')
    }
    // The native fetches above cost a credit each too.
    expect(await charged()).toMatchObject({ fetch: 2 * count, 'fetch.live': 0, 'search.realtime': 0 })
  })

  it('has the instant of its making for a relative time', async () => {
    let now = Date.parse('2025-03-08')
    await serve({ captures: pages(1), now: () => now })
    const job = await client.run({ url: 'https://site.example/docs', query_time: '7d' })
    now += 3_600_000
    expect((await client.read(job.id)).body.query_time).toBe(march)
  })

  it.each(['key', 'path', 'sealed key'])('is of the instant of a %s', async carrier => {
    await serve({ captures: pages(3) })
    const sealed = { workspace: customer.workspace, sealed_at: march }
    const { key } = (await server.access.administer('key.create', sealed, 'tests')) as { key: string }
    const carried = {
      key: new JobClient(server.url, `${customer.key}@2025-03-01`),
      path: new JobClient(`${server.url}/at/2025-03-01`, customer.key),
      'sealed key': new JobClient(server.url, key),
    }[carrier]!
    const job = await carried.run({ url: 'https://site.example/docs' })
    expect(job).toMatchObject({ source: 'index', query_time: march, delivered: 3 })
    const later = { url: 'https://site.example/docs', query_time: '2025-07-01' }
    expect(await carried.start(later)).toMatchObject({ status: 400 })
    // Who sees no later than March must not read what another key of the organization asked for as of July.
    const summer = await client.run(later)
    expect(summer.pages[0]?.content).toContain('summer')
    expect(await carried.read(summer.id)).toMatchObject({ status: 404 })
    expect((await carried.list()).body.crawls.map(({ id }) => id)).toEqual([job.id])
    expect((await client.list()).body.crawls.map(({ id }) => id)).toEqual([summer.id, job.id])
  })

  it('keeps to the part of the site, the depth, the patterns and the limit that it was given', async () => {
    const urls = ['/', '/docs', '/docs/a', '/docs/a/b', '/docs/a/b/c', '/docs/x', '/docsearch', '/news/a']
    await serve({ captures: urls.flatMap(path => versions(`https://site.example${path}`, path)) })
    const paths = async (asked: object) => {
      const job = await client.run({ url: 'https://site.example/docs', query_time: '2025-03-01', ...asked })
      return job.pages.map(({ url }) => new URL(url).pathname).sort()
    }
    const docs = urls.filter(path => path === '/docs' || path.startsWith('/docs/'))
    expect(await paths({})).toEqual(docs)
    expect(await paths({ entire_host: true })).toEqual([...urls].sort())
    expect(await paths({ max_depth: 0 })).toEqual(['/docs'])
    expect(await paths({ max_depth: 1 })).toEqual(['/docs', '/docs/a', '/docs/x'])
    expect(await paths({ include: ['/docs/a'] })).toEqual(['/docs/a', '/docs/a/b', '/docs/a/b/c'])
    expect(await paths({ include: ['/docs/*/b'], exclude: ['/*c$'] })).toEqual(['/docs/a/b'])
    expect(await paths({ limit: 1 })).toEqual(['/docs'])
  })

  it('reads a list of pages, and lists those that the index does not have as errors', async () => {
    await serve({ captures: pages(2) })
    const urls = [pageUrl(1), 'https://gone.example/', pageUrl(0)]
    const job = await client.run({ urls, query_time: '2025-03-01' })
    expect(job).toMatchObject({ state: 'completed', limit: 3, delivered: 2, failed: 1 })
    expect(job.pages.map(({ url }) => url)).toEqual([pageUrl(1), pageUrl(0)])
    const { errors } = (await client.errors(job.id)).body
    expect(errors).toMatchObject([{ url: 'https://gone.example/', error: 'not_indexed' }])
    expect(await charged()).toMatchObject({ fetch: 2 })
  })

  it('is refused for invalid fields by their names, and costs nothing', async () => {
    await serve({ captures: pages(1), jobs: { pages: 50 } })
    const url = 'https://site.example/'
    const refused: [object, string][] = [
      [{}, 'url'],
      [{ url, urls: [url] }, 'url'],
      [{ url, limit: 51 }, 'limit'],
      [{ url, include: ['docs'] }, 'include[0]'],
      [{ url, query_time: 'soon' }, 'query_time'],
      [{ url, query_time: '2999-01-01' }, 'query_time'],
      [{ url, depth: 1 }, 'depth'],
      [{ urls: [url, 'https://me:secret@site.example/'], query_time: '2025-03-01' }, 'urls[1]'],
      [{ url: 'urn:isbn:1', query_time: '2025-03-01' }, 'url'],
    ]
    for (const [body, path] of refused) {
      const answer = await client.start(body)
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(answer.body.details?.map(problem => problem.path)).toContain(path)
    }
    expect((await client.list()).body.crawls).toEqual([])
  })

  it('needs a key', async () => {
    await serve({})
    expect(await new JobClient(server.url, '').start({ url: pageUrl(0) })).toMatchObject({ status: 401 })
    expect(await new JobClient(server.url, 'asof_wrong').list()).toMatchObject({ status: 401 })
  })

  it('is gone when it expires, with its pages', async () => {
    let now = Date.parse('2025-07-01')
    await serve({ captures: pages(3), now: () => now })
    const { id } = await client.run({ url: 'https://site.example/docs', query_time: '2025-03-01' })
    now += 24 * 3_600_000 - 1
    expect((await client.read(id)).body.pages).toHaveLength(3)
    now += 1
    expect(await client.read(id)).toMatchObject({ status: 404 })
    expect((await client.list()).body.crawls).toEqual([])
    await server.crawlJobs.sweep()
    now -= 1
    expect(await client.read(id)).toMatchObject({ status: 404 })
  })

  it('is refused without enough credits, and under zero data retention', async () => {
    await serve({ captures: pages(1) }, 9)
    const job = { url: 'https://site.example/docs', query_time: '2025-03-01' }
    const poor = await client.start({ ...job, limit: 10 })
    expect(poor).toMatchObject({ status: 402, body: { error: 'insufficient_credits' } })
    expect(poor.body.message).toContain('10 pages')
    expect(await client.run({ ...job, limit: 9 })).toMatchObject({ delivered: 1 })
    const silent = await addCustomer(server.access, { credits: 100, zdr: true })
    expect(await new JobClient(server.url, silent.key).start(job)).toMatchObject({
      status: 400,
      body: { error: 'zdr_unsupported_profile' },
    })
  })
})
