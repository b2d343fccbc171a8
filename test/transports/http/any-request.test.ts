import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorResponse, searchResponse } from '../../../service/index.ts'
import { post, type RunningServer, startServer } from './running-server.ts'

const words = fc.constantFrom(
  'ships',
  '"ships at"',
  '-ships',
  'boats',
  '漢字',
  '🚢',
  '"',
  '""',
  '-',
  '-"a b"',
  '*',
  '\u0000',
  '\ud800',
  '\u0301',
  'site:a.example',
  'site:',
  'site:co.uk',
  'site:[::1]',
  'SITE:A.EXAMPLE',
  'https://a.example/',
  'x'.repeat(1_500),
)
const time = fc.constantFrom('2024-02-29', '0d', '7d', '90min', '999999y', '999999mo', '0001-01-01', '9999-12-31', '')
const cut = fc.oneof(time, fc.constantFrom('0', '1700000000.5', '99999999999', '1700000000000', '3w'))
const anyRequest = fc.record(
  {
    query: fc.array(words, { minLength: 1, maxLength: 6 }).map(list => list.join(' ')),
    mode: fc.constantFrom('pro', 'realtime'),
    site: fc.constantFrom('a.example', 'example', '', 'co.uk', 'é.example', '[::1]', '127.0.0.1'),
    acquired_after: time,
    acquired_before: time,
    published_after: time,
    published_before: time,
    query_time: cut,
    max_results: fc.integer({ min: 1, max: 50 }),
    snippet_max_length: fc.integer({ min: 180, max: 10_000 }),
  },
  { requiredKeys: ['query'] },
)

let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    captures: [
      {
        url: 'https://a.example/',
        text: 'ships at sea '.repeat(300),
        publishedAt: '2024-01-01',
        acquiredAt: '2024-02-01',
      },
      { url: 'https://b.example/', title: 'Ships', text: 'boats 漢字 テスト' },
    ],
  })
})
afterAll(() => server.close())

it('answers or refuses any search request in the shapes of the contract, never with a 500', async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, async request => {
      const { status, body } = await post(`${server.url}/v1/search/public`, request)
      expect(server.failures).toEqual([])
      if (status === 400) {
        errorResponse.parse(body)
        return
      }
      expect(status).toBe(200)
      const { query, results } = searchResponse.parse(body)
      expect(query).toBe(request.query)
      expect(results.length).toBeLessThanOrEqual(request.max_results ?? 10)
      for (const { snippet = '' } of results) {
        expect([...snippet.replaceAll('**', '')].length).toBeLessThanOrEqual(request.snippet_max_length ?? 600)
      }
    }),
    { numRuns: 1_000 },
  )
})
