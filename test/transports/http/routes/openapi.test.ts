import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchRequest, historyRequest, searchRequest } from '../../../../transports/service/index.ts'
import { get, type RunningServer, startServer } from '../running-server.ts'

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
    const validator = new Validator()
    const { valid, errors } = await validator.validate({ ...structuredClone(document) })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
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
        '/v1/fetch/public',
        '/v1/history/public',
        '/v1/suggest',
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

  it('describes only routes that exist', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const response = await fetch(`${server.url}${path}`, { method })
        expect(response.status, `${method} ${path}`).not.toBe(404)
        expect(response.status, `${method} ${path}`).not.toBe(405)
        await response.arrayBuffer()
      }
    }
  })
})
