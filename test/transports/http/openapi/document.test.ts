import { validate } from 'mppx/discovery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminActs } from '../../../../service/accounts/index.ts'
import { fetchRequest, historyRequest, searchRequest } from '../../../../service/index.ts'
import { get, type RunningServer, startServer } from '../running-server.ts'
import { documentOf, everything, type Offered } from './described-server.ts'
import { validationErrors } from './validation-errors.ts'

interface Operation {
  parameters?: { name?: string; in?: string; required?: boolean; schema?: { type?: string; maximum?: number } }[]
  requestBody?: unknown
  security?: unknown
  responses: Record<string, { description: string }>
}

interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes?: Record<string, object>
    schemas: Record<string, { properties?: object; additionalProperties?: boolean }>
  }
}

describe('/openapi.json', () => {
  let server: RunningServer
  let document: Document
  beforeAll(async () => {
    server = await startServer({ accounts: true, http: { baseUrl: 'https://search.example.com' } })
    document = (await get(`${server.url}/openapi.json`, {})).body as unknown as Document
  })
  afterAll(() => server.close())

  it('is valid OpenAPI 3.1', async () => {
    expect(await validationErrors(document)).toBeUndefined()
    expect(document.openapi).toBe('3.1.0')
  })

  it('describes exactly the fields that requests may have', () => {
    expect(Object.keys(document.components.schemas.SearchRequest!.properties!)).toEqual(
      Object.keys(searchRequest.shape),
    )
    expect(document.components.schemas.SearchRequest!.additionalProperties).toBe(false)
    const names = (path: string) =>
      document.paths[path]!.get!.parameters!.flatMap(parameter => (parameter.in === 'query' ? [parameter.name] : []))
    expect(names('/v1/search/public')).toEqual(Object.keys(searchRequest.shape))
    expect(names('/v1/fetch/public')).toEqual(Object.keys(fetchRequest.shape))
    expect(names('/v1/history')).toEqual(Object.keys(historyRequest.shape))
  })

  it('carries the limits of the schemas', () => {
    const parameter = document.paths['/v1/search/public']!.get!.parameters!.find(({ name }) => name === 'max_results')
    expect(parameter!.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 50, default: 10 })
  })

  it('describes wizards as off by default, with items of varying fields', () => {
    const parameter = document.paths['/v1/search/public']!.get!.parameters!.find(
      ({ name }) => name === 'enable_wizards',
    )
    expect(parameter!.schema).toMatchObject({ type: 'boolean', default: false })
    expect(document.components.schemas.SearchResponse!.properties).toMatchObject({
      wizards: { items: { required: ['wizard', 'url', 'acquired_at'], additionalProperties: {} } },
    })
  })

  it('writes lists with commas, and objects as JSON', () => {
    const { parameters } = document.paths['/v1/search/public']!.get! as unknown as { parameters: { name: string }[] }
    const named = (name: string) => parameters.find(parameter => parameter.name === name)
    for (const name of ['sites', 'exclude_sites', 'facets', 'include'])
      expect(named(name)).toMatchObject({ style: 'form', explode: false, schema: { type: 'array' } })
    for (const name of ['filter', 'weights']) {
      expect(named(name)).toMatchObject({ content: { 'application/json': { schema: { type: 'object' } } } })
      expect(named(name)).not.toHaveProperty('schema')
    }
  })

  it('has no default in a body, from which generators of clients make required fields', async () => {
    const { components, paths } = await documentOf(everything)
    const bodies = Object.values(paths).flatMap(methods => Object.values(methods).map(({ requestBody }) => requestBody))
    expect(JSON.stringify([bodies, components.schemas])).not.toContain('"default":')
    expect(components.schemas!.SearchRequest).toMatchObject({
      properties: {
        max_results: { description: 'Default: 10.' },
        mode: { description: expect.stringMatching(/ Default: pro\.$/) },
        weights: { properties: { title: { description: expect.stringMatching(/ Default: 3\.$/) } } },
      },
    })
  })

  it('says which routes private search closes', async () => {
    const closed = await startServer({
      accounts: true,
      http: { adminToken: 'token-of-the-operator', privateSearch: true },
    })
    try {
      const { paths } = (await get(`${closed.url}/openapi.json`, {})).body as unknown as Document
      for (const path of [
        '/v1/search/public',
        '/v1/fetch/public',
        '/v1/history/public',
        '/v1/page',
        '/v1/suggest',
        '/v1/captures',
        '/v1/fields',
      ]) {
        const { security, responses, description } = paths[path]!.get! as Operation & { description: string }
        expect([path, security]).toEqual([path, [{ AdminToken: [] }]])
        expect(responses['401']!.description).toBe('`unauthorized`')
        expect(description).toContain('Closed on this server')
      }
      expect(paths['/v1/search']!.get!.security).toEqual([{ ApiKey: [] }, { BearerKey: [] }])
      expect(paths['/mcp']!.post!.security).toEqual([{ ApiKey: [] }, { BearerKey: [] }])
      expect(JSON.stringify(document.paths)).not.toContain('Closed on this server')
    } finally {
      await closed.close()
    }
  })

  it('has no null in a query string', () => {
    expect(JSON.stringify(document.paths['/v1/search/public']!.get!.parameters)).not.toContain('null')
  })

  it('names every error of a status', () => {
    const { responses } = document.paths['/v1/fetch/public']!.get!
    expect(Object.keys(responses).sort()).toEqual([
      '200',
      '400',
      '404',
      '415',
      '422',
      '429',
      '500',
      '502',
      '503',
      '504',
    ])
    expect(responses['404']!.description).toContain('not_indexed')
    expect(responses['404']!.description).toContain('target_not_found')
  })

  it('describes the keys and refusals of keyed routes', () => {
    for (const path of ['/v1/search', '/v1/fetch']) {
      const { security, responses } = document.paths[path]!.get!
      expect(security).toEqual([{ ApiKey: [] }, { BearerKey: [] }])
      expect(responses['401']!.description).toBe('`unauthorized`')
      expect(responses['402']!.description).toBe('`insufficient_credits`')
      expect(responses['403']!.description).toBe('`forbidden`')
      expect(responses['400']!.description).not.toContain('Missing app identifier')
    }
    expect(document.paths['/v1/search']!.post!.responses['400']!.description).toContain('zdr_unsupported_profile')
    expect(document.components.securitySchemes!.ApiKey).toMatchObject({ in: 'header', name: 'X-API-Key' })
  })

  it('has no keyed routes without accounts', async () => {
    const keyless = await startServer()
    try {
      const { paths } = (await get(`${keyless.url}/openapi.json`, {})).body as unknown as Document
      expect(Object.keys(paths)).toEqual([
        '/v1/search/public',
        '/v1/passages/public',
        '/v1/map/public',
        '/v1/fetch/public',
        '/v1/verify/public',
        '/v1/extract/public',
        '/v1/history/public',
        '/v1/page',
        '/v1/captures',
        '/v1/fields',
        '/v1/suggest',
        '/retrieve',
        '/mcp',
        '/openapi.json',
        '/services',
        '/services/{slug}/openapi.json',
        '/manifest.json',
        '/healthz',
        '/readyz',
      ])
      expect((await get(`${keyless.url}/v1/search?query=a`)).status).toBe(404)
    } finally {
      await keyless.close()
    }
  })

  it('names the public address', () => {
    expect(document.servers).toEqual([{ url: 'https://search.example.com' }])
  })

  it('describes the answers to agents', async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const both = { Accept: 'application/json, text/event-stream' }
    const sent: [string, Record<string, string>, number][] = [
      [call, both, 200],
      ['{"jsonrpc":"2.0","method":"notifications/initialized"}', both, 202],
      ['{', both, 400],
      [call, { ...both, 'X-API-Key': 'asof_x' }, 401],
      [call, { Accept: 'text/html' }, 406],
      [`"${'a'.repeat(300_000)}"`, both, 413],
      [call, { ...both, 'Content-Type': 'text/plain' }, 415],
    ]
    const { responses } = document.paths['/mcp']!.post!
    for (const [body, headers, status] of sent) {
      const response = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      })
      await response.arrayBuffer()
      expect([response.status, Object.keys(responses)]).toEqual([status, expect.arrayContaining([String(status)])])
    }
  })

  it('describes only routes that exist', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const response = await fetch(`${server.url}${path.replace('{slug}', 'search')}`, { method })
        expect(response.status, `${method} ${path}`).not.toBe(404)
        expect(response.status, `${method} ${path}`).not.toBe(405)
        await response.arrayBuffer()
      }
    }
  })
})

async function idsOf(offered: Offered): Promise<string[]> {
  return Object.values((await documentOf(offered)).paths)
    .flatMap(methods => Object.values(methods))
    .map(({ operationId }) => operationId)
}

describe('the OpenAPI document', () => {
  const parts = Object.entries(everything).filter(([, value]) => value === true)

  it.each([
    ['nothing but the keyless routes', {}],
    ['everything', everything],
    ['everything, at a public address', { ...everything, baseUrl: 'https://search.example.com' }],
    ...parts.map(([name, value]): [string, Offered] => [`only ${name}`, { [name]: value }]),
    ['purchases without a price in tokens', { methods: ['x402', 'mpp', 'card'] as const }],
    ['no plan for sale', { methods: ['card'] as const, plans: [] }],
  ])('is valid with %s', async (_name, offered: Offered) => {
    expect(await validationErrors(await documentOf(offered))).toBeUndefined()
  })

  it('has an operation id for each operation', async () => {
    const ids = await idsOf(everything)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes the storefront, the purchase of plans and the advisor only if they are served', async () => {
    const storefront = ['storefront_search_post', 'storefront_search_get', 'storefront_fetch_get']
    const guide = ['storefront_agents_post', 'storefront_guide_get', 'storefront_guide_post']
    expect(await idsOf({ accounts: true })).toEqual(expect.arrayContaining([...storefront, ...guide]))
    expect(await idsOf({ methods: ['x402', 'mpp', 'card'] })).toContain('plan_purchase_post')
    expect(await idsOf({ quotes: true })).toContain('storefront_quote_post')
    expect((await idsOf({})).filter(id => /storefront|plan/.test(id))).toEqual([])
  })

  it('describes the refusals of the storefront', async () => {
    const { paths, components } = await documentOf({ accounts: true })
    const search = paths['/v1/storefront/search']?.post
    expect(search?.security).toEqual([{ AgentToken: [] }])
    expect(Object.keys(search?.responses ?? {}).map(Number)).toEqual(
      expect.arrayContaining([200, 400, 401, 403, 422, 429, 500, 503, 529]),
    )
    expect(search?.responses['401']?.description).toBe('`bearer_required`')
    expect(search?.responses['403']?.description).toBe('`plan_required`, `forbidden`')
    expect(Object.keys(search?.responses['529']?.headers ?? {})).toContain('Retry-After')
    const fetched = paths['/v1/storefront/fetch']?.get
    expect(Object.keys(fetched?.responses ?? {}).map(Number)).toEqual(
      expect.arrayContaining([200, 400, 401, 403, 404, 422, 429, 500, 502, 503, 504]),
    )
    expect(components.securitySchemes).toMatchObject({ AgentToken: { scheme: 'bearer' } })
  })

  it('describes every administrative act with the schema of its input', async () => {
    const { paths } = await documentOf({ admin: true })
    for (const [act, { method, input }] of Object.entries(adminActs)) {
      const operation = paths[`/admin/${act.replace('.', '/')}`]?.[method.toLowerCase()]
      const described = JSON.stringify(operation)
      for (const field of Object.keys(input.shape)) expect(described, act).toContain(`"${field}"`)
    }
  })

  it('has the prices of payable operations, in the smallest unit of the token', async () => {
    const { paths } = await documentOf(everything)
    const offer = { intent: 'charge', method: 'evm', currency: everything.price?.currency }
    const card = { intent: 'charge', method: 'stripe', currency: 'usd' }
    expect(paths['/v1/x402/search']?.get).toMatchObject({
      'x-payment-info': { offers: [{ ...offer, amount: '10000' }] },
    })
    expect(paths['/plans/{planId}/purchase']?.post).toMatchObject({
      'x-payment-info': {
        offers: [
          { ...offer, amount: '4000000' },
          { ...card, amount: '400' },
          { ...offer, amount: '40000000' },
          { ...card, amount: '4000' },
        ],
      },
      responses: { '402': expect.anything() },
    })
    expect(paths['/v1/search/public']?.get).not.toHaveProperty('x-payment-info')
  })

  it('is accepted by the validator of MPP discovery', async () => {
    expect(validate(await documentOf(everything)).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('has only components that its operations refer to', async () => {
    for (const offered of [{}, everything]) {
      const { components, paths } = await documentOf(offered)
      const text = JSON.stringify({ paths, components })
      for (const [kind, members] of Object.entries(components)) {
        for (const name of Object.keys(members)) {
          const use = kind === 'securitySchemes' ? `{"${name}":[]}` : `#/components/${kind}/${name}"`
          expect(text.includes(use), `${kind}/${name}`).toBe(true)
        }
      }
    }
  })
})
