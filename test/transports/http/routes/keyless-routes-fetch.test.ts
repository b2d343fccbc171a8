import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CrawlError } from '../../../../crawler/errors.ts'
import { fetchResponse } from '../../../../service/index.ts'
import { addCustomer } from '../../../service/accounts/accounts.ts'
import { get, query, type RunningServer, startServer, startTarget } from '../running-server.ts'

const captures = [
  {
    url: 'https://example.com/page',
    title: 'Page',
    author: 'Ada',
    markdown: 'Ships 🚢 at sea',
    publishedAt: '2024-03-01',
  },
]

function ask(server: RunningServer, parameters: Record<string, unknown>) {
  return get(`${server.url}/v1/fetch/public?${query(parameters)}`)
}

describe('fetching from the index', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ captures })
  })
  afterAll(() => server.close())

  it('answers in the shape of spec 2.3, without further fields', async () => {
    const { status, body } = await ask(server, { url: 'https://example.com/page' })
    expect(status).toBe(200)
    expect(fetchResponse.parse(body)).toEqual(body)
    expect(body).toMatchObject({
      url: 'https://example.com/page',
      title: 'Page',
      author: 'Ada',
      description: '',
      published_at: '2024-03-01T00:00:00.000Z',
    })
    expect(body.content).toContain('Ships 🚢 at sea')
  })

  it('cuts content after max_chars code points', async () => {
    const content = async (max: number) =>
      (await ask(server, { url: 'https://example.com/page', max_chars: max })).body.content
    expect(await content(1)).toBe('S')
    expect(await content(7)).toBe('Ships 🚢')
    expect(await content(8)).toBe('Ships 🚢 ')
  })

  it('finds the page by another spelling of its URL', async () => {
    expect((await ask(server, { url: 'HTTPS://EXAMPLE.com:443/page#top' })).status).toBe(200)
  })

  it('answers a prompt from the page', async () => {
    const { status, body } = await ask(server, { url: 'https://example.com/page', prompt: 'Where are the ships?' })
    expect(status).toBe(200)
    expect(fetchResponse.parse(body)).toEqual(body)
    expect(body.content).toBe('Ships 🚢 at sea')
  })

  it('answers 404 not_indexed for a page that the index does not hold', async () => {
    const { status, body } = await ask(server, { url: 'https://example.com/other' })
    expect(status).toBe(404)
    expect(body.error).toBe('not_indexed')
  })

  it.each([
    [{}, 'url'],
    [{ url: 'example.com/page' }, 'url'],
    [{ url: 'https://user:secret@example.com/page' }, 'url'],
    [{ url: 'https://example.com/page', max_chars: 0 }, 'max_chars'],
    [{ url: 'https://example.com/page', max_chars: -1 }, 'max_chars'],
    [{ url: 'https://example.com/page', max_chars: 'all' }, 'max_chars'],
    [{ url: 'https://example.com/page', live: 'yes' }, 'live'],
    [{ url: 'https://example.com/page', prompt: 'x'.repeat(2_001) }, 'prompt'],
    [{ url: 'https://example.com/page', prompt: ' ' }, 'prompt'],
    [{ url: 'https://example.com/page', query_time: 'yesterday' }, 'query_time'],
    [{ url: 'https://example.com/page', query_time: '2999-01-01' }, 'query_time'],
    [{ url: 'ftp://example.com/page', live: true }, 'url'],
    [{ url: 'file:///etc/hosts', live: true }, 'url'],
  ])('refuses %j, naming %s', async (parameters, field) => {
    const { status, body } = await ask(server, parameters)
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
    expect(body.details!.map(problem => problem.path)).toEqual([field])
  })
})

describe('fetching a page of the past', () => {
  let server: RunningServer
  const url = 'https://example.com/price'
  beforeAll(async () => {
    server = await startServer({
      accounts: true,
      captures: [
        { url, title: 'Price', markdown: 'It costs 20.', acquiredAt: '2025-01-10', publishedAt: '2025-01-09' },
        { url, title: 'Price', markdown: 'It costs 25.', acquiredAt: '2025-06-10T12:00:00.250Z' },
      ],
    })
  })
  afterAll(() => server.close())

  it('returns the page as of query_time, with the times between which it was current', async () => {
    const { status, body } = await ask(server, { url, query_time: '2025-03-01' })
    expect(status).toBe(200)
    expect(fetchResponse.parse(body)).toEqual(body)
    expect(body).toEqual({
      url,
      title: 'Price',
      content: 'It costs 20.',
      description: '',
      published_at: '2025-01-09T00:00:00.000Z',
      acquired_at: '2025-01-10T00:00:00.000Z',
      superseded_at: '2025-06-10T12:00:00.250Z',
    })
  })

  it.each(['2025-06-10T12:00:00.250Z', '2025-06-10T14:00:00.250+02:00', '1749556800.250', '0d'])(
    'reads query_time %s as a search does, and a current version has no superseded_at',
    async query_time => {
      const { body } = await ask(server, { url, query_time })
      expect(body).toMatchObject({ content: 'It costs 25.', acquired_at: '2025-06-10T12:00:00.250Z' })
      expect(body).not.toHaveProperty('superseded_at')
    },
  )

  it('ignores an empty query_time', async () => {
    expect((await ask(server, { url, query_time: '' })).body).toEqual((await ask(server, { url })).body)
  })

  it('answers 404 not_indexed with the instant if the index had no such page yet', async () => {
    const { status, body } = await ask(server, { url, query_time: '2025-01-09' })
    expect([status, body.error]).toEqual([404, 'not_indexed'])
    expect(body.message).toContain('2025-01-09T00:00:00.000Z')
  })

  it('answers a prompt from the page of that time', async () => {
    const { body } = await ask(server, { url, query_time: '2025-03-01', prompt: 'What does it cost?' })
    expect(body.content).toBe('It costs 20.')
  })

  it('refuses query_time with live, naming both fields', async () => {
    const { status, body } = await ask(server, { url, live: true, query_time: '2025-03-01' })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect(body.details!.map(({ path }) => path)).toEqual(['live', 'query_time'])
    expect((await ask(server, { url, live: false, query_time: '2025-03-01' })).status).toBe(200)
  })

  it('refuses a bad query_time before it checks credits', async () => {
    const { key } = await addCustomer(server.access, { allowance: 0 })
    const answer = await get(`${server.url}/v1/fetch?${query({ url, query_time: 'x' })}`, { 'X-API-Key': key })
    expect([answer.status, answer.body.details!.map(({ path }) => path)]).toEqual([400, ['query_time']])
    const poor = await get(`${server.url}/v1/fetch?${query({ url, query_time: '7d' })}`, { 'X-API-Key': key })
    expect(poor.status).toBe(402)
  })
})

describe('fetching live', () => {
  let server: RunningServer
  let target: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    server = await startServer({ allowPrivate: true })
    target = await startTarget((request, response) => {
      const url = new URL(request.url!, 'http://target')
      const status = Number(url.searchParams.get('status') ?? 200)
      const type = url.searchParams.get('type') ?? 'text/html; charset=utf-8'
      if (url.pathname === '/moved') {
        response.writeHead(302, { Location: '/page' }).end()
        return
      }
      if (url.pathname === '/loop') {
        response.writeHead(302, { Location: `/loop?n=${Number(url.searchParams.get('n') ?? 0) + 1}` }).end()
        return
      }
      const retry = url.searchParams.get('retry')
      if (retry !== null) response.setHeader('Retry-After', retry)
      response.writeHead(status, { 'Content-Type': type })
      if (url.pathname === '/blank') response.end('<html><body></body></html>')
      else if (url.pathname === '/image')
        response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]))
      else response.end('<title>Live</title><main><h1>Live</h1><p>Words that are there right now.</p></main>')
    })
  })
  afterAll(async () => {
    await server.close()
    await target.close()
  })
  const live = (path: string) => ask(server, { url: `${target.url}${path}`, live: true })

  it('reads the page from its source', async () => {
    const { status, body } = await live('/page')
    expect(status).toBe(200)
    expect(fetchResponse.parse(body)).toEqual(body)
    expect(body).toMatchObject({ title: 'Live', url: `${target.url}/page` })
    expect(body.content).toContain('Words that are there right now.')
    expect(body).not.toHaveProperty('acquired_at')
  })

  it('does not add it to the index', async () => {
    await live('/page')
    expect((await ask(server, { url: `${target.url}/page` })).body.error).toBe('not_indexed')
  })

  it('names the URL that answered after redirects', async () => {
    expect((await live('/moved')).body.url).toBe(`${target.url}/page`)
  })

  it.each([
    ['/page?status=404', 404, 'target_not_found'],
    ['/page?status=410', 404, 'target_not_found'],
    ['/page?status=401', 422, 'unprocessable'],
    ['/page?status=403', 422, 'unprocessable'],
    ['/page?status=400', 422, 'unprocessable'],
    ['/page?status=402', 422, 'unprocessable'],
    ['/page?status=418', 422, 'unprocessable'],
    ['/page?status=500', 502, 'target_unreachable'],
    ['/page?status=503', 502, 'target_unreachable'],
    ['/page?status=429', 429, 'target_rate_limited'],
    ['/loop', 502, 'target_unreachable'],
    ['/blank', 422, 'unprocessable'],
    ['/image?type=image/png', 422, 'unprocessable'],
  ])('maps %s to %i %s', async (path, status, error) => {
    const answer = await live(path)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toBe(error)
    expect(answer.body.message).not.toBe('')
  })

  it('says which status the target answered', async () => {
    expect((await live('/page?status=403')).body.message).toContain('403')
  })

  it("passes on the target's Retry-After, or sets one if there is none", async () => {
    expect((await live('/page?status=429&retry=17')).headers.get('retry-after')).toBe('17')
    expect(Number((await live('/page?status=429')).headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('answers 502 if the target does not accept connections', async () => {
    const gone = await startTarget(() => {})
    await gone.close()
    const { status, body } = await ask(server, { url: gone.url, live: true })
    expect([status, body.error]).toEqual([502, 'target_unreachable'])
  })
})

describe('fetching live from forbidden addresses', () => {
  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/'])(
    'refuses the address of %s',
    async url => {
      const server = await startServer()
      try {
        const { status, body } = await ask(server, { url, live: true })
        expect([status, body.error]).toEqual([400, 'address_refused'])
      } finally {
        await server.close()
      }
    },
  )

  it.each([
    ['ASOF_FETCH_TIMEOUT', 504, 'target_timeout'],
    ['ASOF_FETCH_TOO_LARGE', 422, 'unprocessable'],
  ] as const)('maps %s to %i %s', async (code, status, error) => {
    const server = await startServer({ fetchPage: () => Promise.reject(new CrawlError(code, 'no page')) })
    try {
      const answer = await ask(server, { url: 'https://example.com/', live: true })
      expect([answer.status, answer.body.error]).toEqual([status, error])
    } finally {
      await server.close()
    }
  })

  it('answers an internal failure with 500 and a request id, and reports the reason to the operator', async () => {
    const failure = new Error('secret path /etc/asof')
    const server = await startServer({ fetchPage: () => Promise.reject(failure) })
    try {
      const { status, headers, body } = await ask(server, { url: 'https://example.com/', live: true })
      expect([status, body.error]).toEqual([500, 'internal_error'])
      expect(JSON.stringify(body)).not.toContain('secret')
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(server.failures).toEqual([failure])
    } finally {
      await server.close()
    }
  })
})
