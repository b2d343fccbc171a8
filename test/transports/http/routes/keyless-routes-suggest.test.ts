import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SuggestResponse } from '../../../../service/index.ts'
import { get, type RunningServer, startServer } from '../running-server.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    captures: [{ url: 'https://harbour.example/1', title: 'The harbour', text: 'ships' }],
  })
})
afterAll(() => server.close())

async function suggested(query: string): Promise<SuggestResponse['suggestions']> {
  const { status, body } = await get(`${server.url}/v1/suggest?${query}`)
  expect(status).toBe(200)
  return (body as unknown as SuggestResponse).suggestions
}

describe('GET /v1/suggest', () => {
  it('completes the beginning of a query, without a key', async () => {
    const suggestions = await suggested('q=harb')
    expect(suggestions).toHaveLength(2)
    expect(suggestions).toContainEqual({ kind: 'title', text: 'The harbour', url: 'https://harbour.example/1' })
    expect(suggestions).toContainEqual({ kind: 'site', text: 'harbour.example' })
    expect(await suggested('q=harb&limit=1')).toHaveLength(1)
    expect(await suggested('q=')).toEqual([])
  })

  it('completes it as of an instant', async () => {
    expect(await suggested('q=harb&query_time=2020-01-01')).toEqual([])
    expect(await suggested(`q=harb&query_time=${new Date().toISOString()}`)).toHaveLength(2)
  })

  it.each([
    ['', 'q'],
    [`?q=${'x'.repeat(201)}`, 'q'],
    ['?q=a&limit=0', 'limit'],
    ['?q=a&other=1', 'other'],
    ['?q=a&query_time=soon', 'query_time'],
    ['?q=a&query_time=2999-01-01', 'query_time'],
  ])('refuses %j, naming the field', async (query, path) => {
    const { status, body } = await get(`${server.url}/v1/suggest${query}`)
    expect(status).toBe(400)
    expect(body.details?.[0]?.path).toBe(path)
  })
})
