import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultPlans, type Plan, shownPlan } from '../../../service/accounts/index.ts'
import { manifest, serviceList } from '../../../store/catalog/catalog-schemas.ts'
import { askCatalog, type Offered } from '../../transports/http/openapi/described-server.ts'
import { validationErrors } from '../../transports/http/openapi/validation-errors.ts'
import { get, type RunningServer, startServer } from '../../transports/http/running-server.ts'

const searchPack: Plan = {
  id: 'search-only',
  title: '10 searches',
  kind: 'pack',
  services: ['search'],
  units: 10,
  price_usd: '0.10',
  rate_per_second: 1,
}

/** The answer of the catalog of a server that serves the storefront. */
function ask(path: string, given: Offered = {}): Promise<Record<string, unknown>> {
  return askCatalog(path, { accounts: true, methods: [], ...given })
}

describe('the catalog of a storefront', () => {
  it('lists the services with their routes and plans', async () => {
    const { services } = serviceList.parse(await ask('/services', { plans: [...defaultPlans, searchPack] }))
    expect(services).toMatchObject([
      {
        slug: 'search',
        meter: { name: 'requests', unit: 1_000, price_usd: '4.00', free_units: 0 },
        routes: [
          { method: 'POST', path: '/v1/storefront/search', operation_id: 'storefront_search_post' },
          { method: 'GET', path: '/v1/storefront/search', operation_id: 'storefront_search_get' },
        ],
        plans: ['pack-1000', 'monthly-10000', 'search-only'],
        openapi: '/services/search/openapi.json',
      },
      {
        slug: 'fetch',
        meter: { price_usd: '4.00' },
        routes: [{ method: 'GET', path: '/v1/storefront/fetch', operation_id: 'storefront_fetch_get' }],
        plans: ['pack-1000', 'monthly-10000'],
        openapi: '/services/fetch/openapi.json',
      },
    ])
  })

  it('has meters whose prices follow the plans', async () => {
    const cheap: Plan = { ...searchPack, id: 'cheap', units: 5_000, price_usd: '18.00' }
    const read = manifest.parse(await ask('/manifest.json', { plans: [searchPack, cheap] }))
    const shared = { name: 'requests', unit: 1_000, free_units: 0 }
    expect(read.meters).toEqual([
      { service: 'search', ...shared, price_usd: '3.60' },
      { service: 'fetch', ...shared },
    ])
    expect(read.services.map(({ meter }) => meter)).toEqual(read.meters.map(({ service: _, ...meter }) => meter))
  })

  it('describes one service in a document of its own', async () => {
    const document = await ask('/services/fetch/openapi.json')
    expect(Object.keys(document.paths as object)).toEqual(['/v1/storefront/fetch'])
    expect(await validationErrors(document)).toBeUndefined()
  })

  it('describes the server in a manifest', async () => {
    const read = manifest.parse(await ask('/manifest.json'))
    expect(read).toMatchObject({
      name: 'asof',
      version: '1.0.0',
      payment_methods: [],
      plans: defaultPlans.map(shownPlan),
      authentication: { scheme: 'bearer', registration: { method: 'POST', url: '/storefront/agents' } },
      links: { openapi: '/openapi.json', services: '/services' },
    })
    expect(read).not.toHaveProperty('base_url')
  })

  it('names how plans are paid for', async () => {
    const price = { amount: '10000', currency: '0x1' }
    expect(await ask('/manifest.json', { price })).toMatchObject({ payment_methods: ['x402'] })
    const methods = ['x402', 'mpp', 'card'] as const
    expect(await ask('/manifest.json', { price, methods })).toMatchObject({ payment_methods: methods })
  })

  it('has absolute links if the server has a public address', async () => {
    const read = manifest.parse(await ask('/manifest.json', { baseUrl: 'https://search.example.com/' }))
    expect(read).toMatchObject({
      base_url: 'https://search.example.com',
      authentication: { registration: { url: 'https://search.example.com/storefront/agents' } },
      links: { openapi: 'https://search.example.com/openapi.json' },
    })
    expect(read.services[0]?.openapi).toBe('https://search.example.com/services/search/openapi.json')
  })
})

describe('the catalog of a server', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ accounts: true, http: { adminToken: 'token-of-the-operator' } })
  })
  afterAll(() => server.close())

  async function document(query: string): Promise<{ paths: Record<string, object> }> {
    const { status, body } = await get(`${server.url}/openapi.json${query}`)
    expect(status).toBe(200)
    expect(await validationErrors(body)).toBeUndefined()
    return body as unknown as { paths: Record<string, object> }
  }

  it('narrows the document', async () => {
    expect(Object.keys((await document('?path=/v1/search&method=POST')).paths)).toEqual([
      '/v1/search/public',
      '/v1/search',
    ])
    expect(Object.keys((await document('?q=completions+titles')).paths)).toEqual([])
    expect(Object.keys((await document('?q=suggest')).paths)).toEqual(['/v1/suggest'])
    expect(Object.keys((await document('?page=1000')).paths)).toEqual([])
  })

  it('describes administration only to who has the admin token', async () => {
    const admin = { authorization: 'Bearer token-of-the-operator' }
    const shown = await get(`${server.url}/openapi.json?path=/admin/org/create&method=POST`, admin)
    expect(Object.keys((shown.body as unknown as { paths: object }).paths)).toEqual(['/admin/org/create'])
    expect([shown.headers.get('vary'), shown.headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^authorization\b/),
      'no-store',
    ])
    const whole = await get(`${server.url}/openapi.json`, admin)
    expect(await validationErrors(whole.body)).toBeUndefined()
    expect(JSON.stringify(whole.body)).toContain('/admin/')
    const { token } = await server.access.registerAgent()
    for (const authorization of ['', 'Bearer token-of-the-operato', `Bearer ${token}`, 'Basic token-of-the-operator']) {
      const { status, headers, body } = await get(`${server.url}/openapi.json`, { authorization })
      expect([status, headers.get('vary')]).toEqual([200, expect.stringContaining('authorization')])
      expect(JSON.stringify(body)).not.toMatch(/\/admin\/|AdminToken/)
    }
  })

  it('describes administration only if it is on', async () => {
    const plain = await startServer()
    try {
      const { body } = await get(`${plain.url}/openapi.json`)
      expect(JSON.stringify(body)).not.toContain('/admin/')
    } finally {
      await plain.close()
    }
  })

  it.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['method=fetch', 'method'],
    ['path=v1', 'path'],
    ['q=', 'q'],
    ['q=a&q=b', 'q'],
    ['limit=1', 'limit'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await get(`${server.url}/openapi.json?${query}`)
    expect([status, body.error, body.details?.map(({ path }) => path)]).toEqual([400, 'invalid_request', [field]])
  })

  it.each(['/services', '/services/search/openapi.json', '/manifest.json'])('refuses parameters of %s', async path => {
    const { status, body } = await get(`${server.url}${path}?q=a`)
    expect([status, body.details]).toEqual([400, [{ path: 'q', reason: 'unknown field' }]])
  })

  it('answers 404 for a service that does not exist, and 405 for another method', async () => {
    const { status, body } = await get(`${server.url}/services/wizards/openapi.json`)
    expect([status, body.error]).toEqual([404, 'not_found'])
    expect((await fetch(`${server.url}/services/search/openapi.json`, { method: 'POST' })).status).toBe(405)
  })

  it('shows no plans and no registration while the storefront is not served', async () => {
    const plain = await startServer()
    const { body } = await get(`${plain.url}/manifest.json`)
    await plain.close()
    const read = manifest.parse(body)
    expect(read.plans).toEqual([])
    expect(read).not.toHaveProperty('authentication')
    expect(read.services.map(({ slug, routes, plans }) => [slug, routes, plans])).toEqual([
      ['search', [], []],
      ['fetch', [], []],
    ])
  })

  it('shows no plan, price or purchase of a server without payments', async () => {
    for (const path of ['/manifest.json', '/services', '/openapi.json', '/services/search/openapi.json']) {
      const text = JSON.stringify((await get(`${server.url}${path}`)).body)
      expect(text, path).not.toMatch(/pack-1000|monthly-10000|\/plans\/|"price_usd":"[1-9]/)
    }
    const read = manifest.parse((await get(`${server.url}/manifest.json`)).body)
    expect([read.plans, read.payment_methods]).toEqual([[], []])
    for (const meter of [...read.meters, ...read.services.map(service => service.meter)])
      expect(meter).not.toHaveProperty('price_usd')
  })

  it('shows the routes and the registration of a server with accounts', async () => {
    const read = manifest.parse((await get(`${server.url}/manifest.json`)).body)
    expect(read.authentication?.registration).toMatchObject({ method: 'POST', price_usd: '0' })
    expect(read.services.map(({ slug, routes }) => [slug, routes.map(({ operation_id }) => operation_id)])).toEqual([
      ['search', ['storefront_search_post', 'storefront_search_get']],
      ['fetch', ['storefront_fetch_get']],
    ])
  })

  it('counts every request of an address towards its limit', async () => {
    const limited = await startServer({ http: { keylessLimits: { perSecond: 4, perHour: 4 } } })
    try {
      for (const path of ['/openapi.json', '/services', '/services/fetch/openapi.json', '/manifest.json']) {
        expect((await get(`${limited.url}${path}`)).status).toBe(200)
      }
      const { status, headers } = await get(`${limited.url}/manifest.json`)
      expect(status).toBe(429)
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    } finally {
      await limited.close()
    }
  })

  it('describes its own answers', async () => {
    expect(serviceList.safeParse((await get(`${server.url}/services`)).body).success).toBe(true)
  })
})
