import { describe, expect, it } from 'vitest'
import { narrowedDocument, operationsOf } from '../../../../transports/http/openapi/narrowed-document.ts'
import { documentOf, everything } from './described-server.ts'
import { validationErrors } from './validation-errors.ts'

const document = await documentOf({ ...everything, price: undefined })
const total = operationsOf(document).length

function idsWith(filters: Parameters<typeof narrowedDocument>[1]): string[] {
  return operationsOf(narrowedDocument(document, filters)).map(({ operation }) => operation.operationId)
}

describe('narrowedDocument', () => {
  it('returns the whole document without filters', () => {
    expect(narrowedDocument(document, {})).toBe(document)
  })

  it('finds words of the path, operation id, summary and description in any case', () => {
    expect(idsWith({ q: '/SUGGEST' })).toEqual(['suggest'])
    expect(idsWith({ q: 'Storefront_Fetch_get' })).toEqual(['storefront_fetch_get'])
    expect(idsWith({ q: 'RATE relevance' })).toEqual(['feedback'])
    expect(idsWith({ q: 'buys nothing' })).toEqual(['storefront_agents_post'])
    expect(idsWith({ q: 'rate nosuchword' })).toEqual([])
  })

  it('selects a path or the beginning of paths', () => {
    expect(idsWith({ path: '/services/{slug}/openapi.json' })).toEqual(['catalog_service_openapi'])
    expect(idsWith({ path: '/v1/storefront/' })).toEqual([
      'storefront_search_post',
      'storefront_search_get',
      'storefront_passages_post',
      'storefront_passages_get',
      'storefront_map_post',
      'storefront_map_get',
      'storefront_fetch_get',
      'storefront_verify_post',
      'storefront_extract_post',
    ])
  })

  it('combines filters', () => {
    expect(idsWith({ path: '/v1/storefront', method: 'get', q: 'markdown' })).toEqual(['storefront_fetch_get'])
  })

  it('has pages of 50 operations', () => {
    const first = idsWith({ page: 1 })
    const second = idsWith({ page: 2 })
    expect([first.length, second.length]).toEqual([Math.min(50, total), Math.max(0, total - 50)])
    expect(narrowedDocument(document, { page: 3 })).toMatchObject({ openapi: '3.1.0', paths: {}, components: {} })
  })

  it('has only the components that its operations refer to', () => {
    const { components } = narrowedDocument(document, { path: '/v1/suggest' })
    expect(components).toEqual({ schemas: { SuggestResponse: expect.anything(), Error: expect.anything() } })
    const keyed = narrowedDocument(document, { path: '/v1/feedback' })
    expect(Object.keys(keyed.components.securitySchemes ?? {})).toEqual(['ApiKey', 'BearerKey'])
  })

  it.each([
    { q: 'search' },
    { path: '/admin' },
    { method: 'post' },
    { page: 1 },
    { page: 9 },
    { q: 'nosuchword' },
  ] as const)('stays valid with %o', async filters => {
    expect(await validationErrors(narrowedDocument(document, filters))).toBeUndefined()
  })
})
