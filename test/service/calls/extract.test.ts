import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import {
  calls,
  createService,
  LlmReader,
  parseRequest,
  type ResponseOf,
  type Service,
  type ServiceParts,
} from '../../../service/index.ts'
import { type ChatEndpoint, say, startChatEndpoint } from '../chat-endpoint.ts'

const url = 'https://shop.example/chair'
const absent = 'https://shop.example/none'
const properties = { price: { type: 'number' }, maker: { type: 'string' } }
const schema = { type: 'object', properties }

let engine: Engine
let service: Service
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([
    { url, markdown: 'Price: 12 €. It is by Jane.', acquiredAt: '2025-01-10' },
    { url, markdown: 'Price: 15 €\n\nIt is by **Jane Doe**.', acquiredAt: '2025-06-10' },
    { url: 'https://shop.example/table', markdown: 'Price: 99 €', acquiredAt: '2025-06-10' },
  ])
  service = serviceWith()
})
afterAll(() => engine.close())

const serviceWith = (parts: ServiceParts = {}) =>
  createService(engine, () => Promise.reject(new Error('nothing is fetched live')), parts)

type Results = ResponseOf<'extract'>['results']

async function ask(request: object, from: Service = service): Promise<Results> {
  const { body } = await from.answer('extract', parseRequest(calls.extract.request, { schema, ...request }))
  expect(calls.extract.response.parse(body)).toEqual(body)
  return body.results
}

describe('the extraction of values', () => {
  it('answers for each URL in the order of the request', async () => {
    const results = await ask({ urls: ['https://shop.example/table', absent, url] })
    expect(results.map(({ url, values, error }) => [url, values?.price, error])).toEqual([
      ['https://shop.example/table', 99, undefined],
      [absent, undefined, 'not_indexed'],
      [url, 15, undefined],
    ])
    expect(results[2]).toEqual({
      url,
      acquired_at: '2025-06-10T00:00:00.000Z',
      values: { price: 15, maker: null },
      from: [{ path: '/price', kind: 'label', name: 'Price', quote: '15 €', start: 7, end: 11 }],
      missing: [{ path: '/maker', reason: 'not_found' }],
    })
  })

  it('reads the version of query_time, or of the seal, and nothing later', async () => {
    const [then] = await ask({ urls: [url], query_time: '2025-03-01' })
    expect(then).toMatchObject({ acquired_at: '2025-01-10T00:00:00.000Z', values: { price: 12 } })
    const [sealed] = await ask({ urls: [url] }, service.sealed(Date.UTC(2025, 2, 1)))
    expect(sealed).toEqual(then)
    await expect(ask({ urls: [url], query_time: '2024-01-01' })).rejects.toMatchObject({ kind: 'not_indexed' })
    await expect(
      ask({ urls: [url], query_time: '2025-04-01' }, service.sealed(Date.UTC(2025, 2, 1))),
    ).rejects.toMatchObject({ kind: 'invalid_request', details: [{ path: 'query_time' }] })
  })

  it('is not_indexed if the index has none of the pages', async () => {
    await expect(ask({ urls: [absent, absent] })).rejects.toMatchObject({ kind: 'not_indexed' })
  })

  it.each<[object, string[]]>([
    [{ urls: [] }, ['urls']],
    [{ urls: Array(21).fill(url) }, ['urls']],
    [{ urls: ['no url'] }, ['urls[0]']],
    [{ urls: [url], schema: 'text' }, ['schema']],
    [{ urls: [url], query_time: 'yesterday' }, ['query_time']],
    [{ urls: [url], model: true }, ['model']],
    [
      {
        urls: [url, 'mailto:a@example.com'],
        schema: { type: 'object', properties: { a: { $ref: '#' } } },
        query_time: '2999',
      },
      ['urls[1]', 'schema.properties.a.$ref', 'query_time'],
    ],
  ])('refuses %j and names every invalid field', async (request, fields) => {
    await expect(ask(request)).rejects.toMatchObject({ kind: 'invalid_request' })
    const refused = await ask(request).catch(error => error.details.map(({ path }: { path: string }) => path))
    expect(refused).toEqual(fields)
  })
})

describe('the language model of a server', () => {
  let endpoint: ChatEndpoint
  afterEach(() => endpoint.close())

  const modelThatSays = async (text: string) => {
    endpoint = await startChatEndpoint((_, response) => say(response, text))
    return serviceWith({ reader: new LlmReader({ baseUrl: endpoint.url, model: 'test' }) })
  }

  it('chooses passages for what is missing', async () => {
    const own = await modelThatSays('```json\n{"/maker": "jane doe", "/price": "99"}\n```')
    const [result] = await ask({ urls: [url], model: true }, own)
    expect(result).toMatchObject({ values: { price: 15, maker: 'Jane Doe' }, missing: [] })
    expect(result?.from[1]).toEqual({
      path: '/maker',
      kind: 'model',
      name: 'llm',
      quote: 'Jane Doe',
      start: 24,
      end: 32,
    })
    const [{ body }] = endpoint.requests as [(typeof endpoint.requests)[number]]
    const question = body.messages.map(({ content }) => content).join('\n')
    expect(question).toContain('"/maker": string')
    expect(question).not.toContain('"/price"')
  })

  it.each(['no JSON', '{"/maker": "John Doe"}', '{"/maker": 7}', '[]', '{"/maker": ""}', '{"/maker": null}'])(
    'gives no value by the answer %j',
    async answer => {
      const [result] = await ask({ urls: [url], model: true }, await modelThatSays(answer))
      expect(result).toMatchObject({ values: { price: 15, maker: null } })
    },
  )

  it('is not asked unless the request says so', async () => {
    await ask({ urls: [url] }, await modelThatSays('{"/maker": "Jane Doe"}'))
    expect(endpoint.requests).toEqual([])
  })
})

describe('every value', () => {
  const words = fc.constantFrom(
    'Price',
    'Größe',
    'a',
    'C#',
    '**Jane**',
    '*x*',
    '[here](https://a.example/b)',
    '12 €',
    '1.299,00',
    '5 May 2024',
    '…',
    '|',
    '`z`',
    '日本',
    '½',
    '-3',
    '50%',
    'yes',
    '\\*',
    '"q"',
    '$5',
    'In Stock',
  )
  const line = fc.array(words, { minLength: 1, maxLength: 6 }).map(parts => parts.join(' '))
  const pair = fc.tuple(fc.constantFrom('Price', 'Size', '**Author**', 'Date', 'Tags', 'State', 'Open', 'Site'), line)
  const block = fc.oneof(
    line,
    pair.map(([label, text]) => `${label}: ${text}`),
    pair.map(([label, text]) => `- ${label}: ${text}`),
    pair.map(([label, text]) => `| ${label} | ${text.replaceAll('|', '/')} |\n| --- | --- |\n| Size | 3 |`),
    line.map(text => `# ${text}`),
    fc.constant('```\nPrice: 1\n```'),
  )
  const markdowns = fc.array(block, { minLength: 1, maxLength: 8 }).map(blocks => blocks.join('\n\n'))
  const scalar = fc.oneof(
    line,
    words,
    fc.constantFrom<unknown>(12, 1299, '2024-05-05', true, null, 'https://a.example/b', -3),
  )
  const data = fc.array(
    fc.record({
      '@type': fc.constantFrom('Product', 'Article', 'Organization'),
      name: scalar,
      author: fc.oneof(scalar, fc.array(fc.record({ '@type': fc.constant('Person'), name: scalar }), { maxLength: 3 })),
      offers: fc.record({ price: scalar, priceCurrency: fc.constantFrom('EUR', 'USD') }),
      datePublished: scalar,
      keywords: fc.array(scalar, { maxLength: 3 }),
    }),
    { maxLength: 3 },
  )
  const leaf = fc.oneof(
    fc.constantFrom<object>({ type: 'string' }, { type: 'number' }, { type: 'integer' }, { type: 'boolean' }),
    fc.constantFrom('date', 'date-time', 'uri').map(format => ({ type: 'string', format })),
    fc.constant({ type: 'string', enum: ['in_stock', 'jane'] }),
  )
  const schemas = fc.record({
    name: leaf,
    price: leaf,
    currency: leaf,
    date: leaf,
    size: leaf,
    state: leaf,
    site: leaf,
    tags: fc.record({ type: fc.constant('array'), items: leaf }),
    author: fc.oneof(leaf, fc.record({ type: fc.constant('object'), properties: fc.record({ name: leaf }) })),
    authors: fc.record({
      type: fc.constant('array'),
      items: fc.record({ type: fc.constant('object'), properties: fc.record({ name: leaf, size: leaf }) }),
    }),
  })

  it('has a quote that is on the page and that verify finds verbatim, and every other place is missing', async () => {
    let at = 0
    let count = 0
    const property = fc.asyncProperty(markdowns, data, schemas, async (markdown, items, properties) => {
      const address = `https://random.example/${at++}`
      const kept = items.map(item => ({ ...item }))
      await engine.add([{ url: address, markdown, data: kept, acquiredAt: '2025-06-10' }])
      const [result] = await ask({ urls: [address], schema: { type: 'object', properties } })
      const page = await engine.page(address)
      const { values, from = [], missing = [] } = result ?? {}
      const known = leaves(values ?? null)
      expect(from.map(({ path }) => path).sort()).toEqual(known.map(([path]) => path).sort())
      for (const { path } of missing) expect(known.some(([other]) => `${other}/`.startsWith(`${path}/`))).toBe(false)
      for (const [path] of known) for (const name of path.split('/')) expect(name).not.toBe('undefined')
      for (const { quote, start, end } of from) expect(page?.markdown.slice(start, end)).toBe(quote)
      const quotes = from.map(({ quote }) => ({ url: address, quote }))
      for (let i = 0; i < quotes.length; i += 100)
        for (const verdict of await engine.verifyAll(quotes.slice(i, i + 100)))
          expect([verdict.verdict, quotes[i]]).toEqual(['verbatim', quotes[i]])
      count += from.length
    })
    await fc.assert(property, { numRuns: 150 })
    expect(count).toBeGreaterThan(25)
  })
})

/** The values that are not null, with their JSON Pointers. */
function leaves(value: unknown, path = ''): [path: string, value: unknown][] {
  if (value === null) return []
  if (typeof value !== 'object') return [[path, value]]
  return Object.entries(value as object).flatMap(([name, inner]) => leaves(inner, `${path}/${name}`))
}
