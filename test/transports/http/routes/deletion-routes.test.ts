import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../../../../transports/client/index.ts'
import { get, noLimits, post, type RunningServer, startServer } from '../running-server.ts'

const adminToken = 'a-token-of-some-length'
const admin = { Authorization: `Bearer ${adminToken}` }
const captures = ['a', 'b', 'old/c', 'old/d'].map((path, i) => ({
  url: `https://shop.example/${path}`,
  text: `lamp ${path}`,
  fields: { price: i * 10 },
  acquiredAt: '2025-01-01',
}))
let server: RunningServer | undefined

async function start(): Promise<RunningServer> {
  await server?.close()
  server = await startServer({ accounts: true, captures, http: { adminToken, keylessLimits: noLimits } })
  return server
}
afterAll(() => server?.close())

describe('the routes of administration for pages', () => {
  let url: string
  let running: RunningServer
  beforeEach(async () => {
    running = await start()
    url = running.url
  })
  const paths = async (query_time?: string) => {
    const { body } = await post(`${url}/v1/search/public`, { query: '*', query_time }, { 'X-Service-Title': 'tests' })
    return (body.results as { url: string }[]).map(result => new URL(result.url).pathname.slice(1)).sort()
  }
  const report = (pages: number, captures = 0) => ({ pages, captures, failed: 0, failures: [], finished: true })

  it('remove pages by prefix and filter, after a dry run that changes nothing', async () => {
    const body = { prefix: 'https://shop.example/old/', filter: { price: { gt: 20 } } }
    const trial = await post(`${url}/admin/pages/remove`, { ...body, dry_run: true }, admin)
    expect([trial.status, trial.body]).toEqual([200, report(1)])
    expect((await get(`${url}/admin/org/audit`, admin)).body).toEqual([])
    expect(await paths()).toHaveLength(4)
    expect((await post(`${url}/admin/pages/remove`, body, admin)).body).toEqual(report(1))
    expect(await paths()).toEqual(['a', 'b', 'old/c'])
    expect(await paths('2025-06-01')).toHaveLength(4)
    expect((await get(`${url}/admin/org/audit`, admin)).body).toEqual([
      {
        sequence: 1,
        at: expect.any(String),
        actor: 'admin token, from 127.0.0.1',
        act: 'pages.remove',
        target: 'https://shop.example/old/',
        facts: { filter: '{"price":{"gt":20}}' },
      },
    ])
  })

  it('purge pages of a list from all of time, and list wrong addresses', async () => {
    const urls = ['https://shop.example/a', 'nowhere', 'https://shop.example/a', 'https://none.example/']
    const { body } = await post(`${url}/admin/pages/purge`, { urls }, admin)
    const failures = [{ url: 'nowhere', message: expect.any(String), code: 'ASOF_INVALID_URL' }]
    expect(body).toEqual({
      ...report(1, 1),
      failed: 1,
      failures,
    })
    expect(await paths('2025-06-01')).toEqual(['b', 'old/c', 'old/d'])
    expect((await get(`${url}/admin/org/audit`, admin)).body).toMatchObject([{ act: 'pages.purge', target: '4 URLs' }])
  })

  it('take a list of 10,000 addresses, and a time', async () => {
    const urls = Array.from({ length: 10_000 }, (_, i) => `https://shop.example/${'long-'.repeat(10)}${i}`)
    expect(
      (await post(`${url}/admin/pages/remove`, { urls: [...urls.slice(1), captures[0]!.url] }, admin)).body,
    ).toEqual(report(1))
    const { status, body } = await post(`${url}/admin/pages/remove`, { urls: [...urls, 'https://a.example/'] }, admin)
    expect([status, body.details]).toMatchObject([400, [{ path: 'urls' }]])
    expect((await post(`${url}/admin/pages/remove`, { site: 'shop.example', at: '2025-03-01' }, admin)).body).toEqual(
      report(4),
    )
    expect([await paths('2025-02-01'), await paths('2025-04-01')]).toMatchObject([{ length: 4 }, { length: 0 }])
  })

  it.each([
    ['no selection', {}, ''],
    ['an empty site', { site: '', prefix: 'https://shop.example/' }, 'site'],
    ['a list with conditions', { urls: [], site: 'shop.example' }, 'urls'],
    ['a wrong prefix', { prefix: 'https://shop.example/?utm_source=x' }, 'prefix'],
    ['a filter without a condition', { filter: {} }, 'filter'],
    ['a value of another type', { filter: { price: 'cheap' } }, 'filter.price'],
    ['a time in the future', { site: 'shop.example', at: '2999-01-01' }, 'at'],
    ['an unknown field', { sites: ['shop.example'] }, 'sites'],
    ['a misspelled field under "not"', { filter: { not: { prcie: 10 } } }, 'filter.not.prcie'],
    ['a misspelled field that must not exist', { filter: { prcie: { exists: false } } }, 'filter.prcie'],
    ['an empty prefix of values', { filter: { price: 10, color: { prefix: '' } } }, 'filter.color.prefix'],
    ['a "not" that leaves no page', { filter: { not: { price: 11 } } }, 'filter'],
    ['a public suffix', { site: 'com' }, 'site'],
    ['everything with a condition', { all: true, site: 'shop.example' }, 'all'],
    ['all: false', { all: false }, 'all'],
    ['null', { site: null }, 'site'],
    ['null beside a condition', { site: null, prefix: 'https://shop.example/' }, 'site'],
  ])('refuse %s, delete nothing and record nothing', async (_, body, path) => {
    for (const op of ['remove', 'purge']) {
      const refused = await post(`${url}/admin/pages/${op}`, body, admin)
      expect([refused.status, refused.body.details]).toMatchObject([400, [{ path }]])
    }
    expect(await paths()).toHaveLength(4)
    expect((await get(`${url}/admin/org/audit`, admin)).body).toEqual([])
  })

  it('refuse a dry run that is asked for in the query string, which is no part of the request', async () => {
    const refused = await post(`${url}/admin/pages/purge?dry_run=true`, { site: 'shop.example' }, admin)
    expect([refused.status, refused.body.details]).toMatchObject([400, [{ path: 'dry_run' }]])
    expect(await paths()).toHaveLength(4)
  })

  it('name the nearest field, and delete everything only by all: true', async () => {
    const refused = await post(`${url}/admin/pages/purge`, { filter: { not: { prcie: 10 } } }, admin)
    expect(refused.body.details).toMatchObject([{ reason: expect.stringContaining('did you mean price?') }])
    const trial = await post(`${url}/admin/pages/purge`, { all: true, dry_run: true }, admin)
    expect([trial.body, await paths()]).toMatchObject([report(4, 4), { length: 4 }])
    expect((await post(`${url}/admin/pages/purge`, { all: true }, admin)).body).toEqual(report(4, 4))
    expect(await paths()).toEqual([])
    expect((await get(`${url}/admin/org/audit`, admin)).body).toMatchObject([{ target: 'all pages' }])
  })

  it('need the admin token', async () => {
    const body = { site: 'shop.example' }
    expect((await post(`${url}/admin/pages/purge`, body)).status).toBe(401)
    expect((await get(`${url}/admin/pages/purge`, admin)).status).toBe(405)
    expect(await paths()).toHaveLength(4)
    const documented = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/openapi.json?path=/admin/pages`, { headers })
      return Object.keys(((await response.json()) as { paths: object }).paths)
    }
    expect(await documented(admin)).toEqual(['/admin/pages/add', '/admin/pages/remove', '/admin/pages/purge'])
    expect(await documented({})).toEqual([])
  })

  it('are called by a client with the admin token', async () => {
    const client = createClient({ url, adminToken })
    expect(await client.removePages({ filter: { price: { lt: 20 } }, dry_run: true })).toEqual(report(2))
    expect(await client.removePages({ site: 'shop.example', filter: { price: 0 } })).toEqual(report(1))
    expect(await client.purgePages({ urls: ['https://shop.example/b'] })).toEqual(report(1, 1))
    await expect(client.purgePages({})).rejects.toMatchObject({ status: 400, error: 'invalid_request' })
    await expect(createClient({ url, title: 'tests' }).purgePages({ site: 'shop.example' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field: 'adminToken' },
    })
    expect(await paths()).toEqual(['old/c', 'old/d'])
  })
})
