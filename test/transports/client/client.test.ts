import type { IncomingMessage, RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../service/accounts/accounts.ts'
import { type ServerOptions, startServer, startTarget } from '../http/running-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(options: ServerOptions = {}) {
  const captures = [{ url: 'https://example.com/a b', title: 'Ships', text: 'ships & grain at sea' }]
  const server = await startServer({ accounts: true, captures, ...options })
  open.push(server)
  return server
}

/** A server with prepared answers, one for each request. */
async function stand(listener: RequestListener) {
  const server = await startTarget(listener)
  open.push(server)
  return server
}

async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ClientError)
  return failure as ClientError
}

describe('a client of a real server', () => {
  it('searches and fetches without a key, with an application name', async () => {
    const { url } = await start()
    const client = createClient({ url: `${url}/`, title: 'tests' })
    const { results, mode } = await client.search({ query: 'ships & grain', mode: 'realtime', max_results: 3 })
    expect([mode, results.map(({ title }) => title)]).toEqual(['realtime', ['Ships']])
    const page = await client.fetch({ url: 'https://example.com/a b', max_chars: 5, live: false })
    expect([page.title, page.content]).toEqual(['Ships', 'ships'])
  })

  it('crawls a site as of an instant, reads its pages and errors, and cancels and lists crawls', async () => {
    const url = 'https://site.example/docs'
    const server = await start({ captures: [{ url, title: 'Docs', text: 'a page of docs', acquiredAt: '2025-01-10' }] })
    const { key } = await addCustomer(server.access, { credits: 100 })
    const client = createClient({ url: server.url, key })
    const { id, state } = await client.startCrawlJob({ urls: [url, 'https://gone.example/'], query_time: '2025-03-01' })
    expect(state).toBe('running')
    await expect.poll(async () => (await client.crawlJob(id)).state).toBe('completed')
    const { pages, next } = await client.crawlJob(id)
    expect([pages.map(({ content }) => content), next]).toEqual([['a page of docs'], undefined])
    expect((await client.crawlJob(id, '1')).pages).toEqual([])
    expect((await client.crawlJobErrors(id)).errors).toMatchObject([{ error: 'not_indexed' }])
    expect(await client.cancelCrawlJob(id)).toMatchObject({ state: 'completed' })
    expect(await client.crawlJobs()).toMatchObject([{ id, delivered: 1 }])
    expect(await failureOf(client.crawlJob('../search'))).toMatchObject({ status: 404 })
  })

  it('reads a page as it was, and lists its versions', async () => {
    const url = 'https://example.com/price'
    const versions = [
      { url, title: 'Price', text: 'twenty', acquiredAt: '2025-01-10' },
      { url, title: 'Price', text: 'thirty', acquiredAt: '2025-06-10' },
    ]
    const server = await start({ captures: versions })
    const client = createClient({ url: server.url, title: 'tests' })
    const { content, acquired_at, superseded_at } = await client.fetch({ url, query_time: '2025-03-01' })
    expect([content, acquired_at, superseded_at]).toEqual([
      'twenty',
      '2025-01-10T00:00:00.000Z',
      '2025-06-10T00:00:00.000Z',
    ])
    const history = await client.history({ url })
    expect(history.versions.map(({ changed }) => changed)).toEqual([[], ['text']])
  })

  it('is charged for calls with a key', async () => {
    const { url, access } = await start()
    const { key, org } = await addCustomer(access)
    const client = createClient({ url, key })
    await client.search({ query: 'ships' })
    await client.fetch({ url: 'https://example.com/a b' })
    expect((await usageOf(access, org)).credits_charged).toBe(2)
  })

  it('reports the charge of each charged call', async () => {
    const { url, access } = await start()
    const { key } = await addCustomer(access)
    const told: unknown[] = []
    const onUsage = (usage: unknown) => told.push(usage)
    await createClient({ url, key }).search({ query: 'ships', mode: 'realtime' }, { onUsage })
    await createClient({ url, key }).fetch({ url: 'https://example.com/a b' }, { onUsage })
    await createClient({ url, title: 'tests' }).search({ query: 'ships' }, { onUsage })
    const usage = { amount: 1, credits: 1, paid: false }
    expect(told).toEqual([
      { sku: 'search.realtime', ...usage },
      { sku: 'fetch', ...usage },
    ])
  })

  it('reports the receipt of a search', async () => {
    const { url } = await start()
    const receipts: unknown[] = []
    const onReceipt = (receipt: unknown) => receipts.push(receipt)
    await createClient({ url, title: 'tests' }).search({ query: 'ships', query_time: '2020-01-01' }, { onReceipt })
    expect(receipts).toEqual([expect.objectContaining({ instant: Date.UTC(2020, 0, 1), captures: 0, profile: 'pro' })])
  })

  it('throws a refusal with its status, details and request id', async () => {
    const { url } = await start()
    const client = createClient({ url, title: 'tests' })
    const bad = await failureOf(client.search({ query: 'a', max_results: 0 }))
    expect(bad).toMatchObject({
      status: 400,
      error: 'invalid_request',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(bad.details).toEqual([{ path: 'max_results', reason: expect.any(String) }])
    expect(bad.message).toContain('max_results')
    const missing = await failureOf(client.fetch({ url: 'https://none.example/' }))
    expect([missing.status, missing.error]).toEqual([404, 'not_indexed'])
    const keyed = await failureOf(createClient({ url, key: 'wrong' }).search({ query: 'a' }))
    expect([keyed.status, keyed.error]).toEqual([401, 'unauthorized'])
  })

  it('waits as long as a rate limit requires, then continues', async () => {
    const { url, access } = await start()
    const { key } = await addCustomer(access, { rate_limit: 1 })
    const client = createClient({ url, key })
    // On a slow machine the two calls may fall into different seconds.
    for (let limited = false; !limited; ) {
      const two = await Promise.all([1, 2].map(() => fetch(`${url}/v1/search`, { headers: { 'X-API-Key': key } })))
      limited = two.some(({ status }) => status === 429)
    }
    expect((await client.search({ query: 'ships' })).results).toHaveLength(1)
  })
})

describe('retries', () => {
  const ok = { query: 'a', mode: 'pro', results: [] }

  function scripted(steps: [status: number, headers: Record<string, string>][]): {
    listener: RequestListener
    asked: IncomingMessage[]
  } {
    const asked: IncomingMessage[] = []
    const listener: RequestListener = (request, response) => {
      const [status, headers] = steps[Math.min(asked.length, steps.length - 1)]!
      asked.push(request)
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify(status === 200 ? ok : { error: 'later', message: 'Later.' }))
    }
    return { listener, asked }
  }

  async function run(
    steps: [number, Record<string, string>][],
    options: { maxTries?: number; timeoutMs?: number } = {},
  ) {
    const { listener, asked } = scripted(steps)
    const { url } = await stand(listener)
    const waits: number[] = []
    const client = createClient({ url, title: 'tests', ...options, wait: async ms => void waits.push(ms) })
    const outcome = await client.search({ query: 'a' }).catch((error: unknown) => error)
    return { outcome, waits, tries: asked.length }
  }

  it.each([429, 503, 529])('follow a %i after its Retry-After', async status => {
    const { outcome, waits, tries } = await run([
      [status, { 'Retry-After': '7' }],
      [200, {}],
    ])
    expect([outcome, waits, tries]).toEqual([ok, [7_000], 2])
  })

  it('wait longer each time without a Retry-After', async () => {
    const { waits } = await run([[503, {}]], { maxTries: 4 })
    expect(waits).toEqual([1_000, 2_000, 4_000])
  })

  it('accept a Retry-After with a date', async () => {
    const { waits } = await run([
      [503, { 'Retry-After': new Date(Date.now() + 55_000).toUTCString() }],
      [200, {}],
    ])
    expect(waits[0]).toBeGreaterThan(20_000)
    expect(waits[0]).toBeLessThanOrEqual(56_000)
  })

  it.each([
    ['0.5', 500],
    ['1.', 1_000],
    ['0', 0],
    [' 2 ', 2_000],
    ['-1', 1_000],
    ['-0.5', 1_000],
    ['+3', 1_000],
    ['1e2', 1_000],
    ['2026', 2_026_000],
    ['soon', 1_000],
    ['Infinity', 1_000],
    ['', 1_000],
    ['12/25/2020', 1_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
  ])('wait after a Retry-After of %j for %i ms', async (value, waitMs) => {
    const steps: [number, Record<string, string>][] = [
      [503, { 'Retry-After': value }],
      [200, {}],
    ]
    expect(await run(steps, { timeoutMs: 10_000_000 })).toEqual({ outcome: ok, waits: [waitMs], tries: 2 })
  })

  it('end with the refusal after three tries', async () => {
    const { outcome, tries } = await run([[429, { 'Retry-After': '1' }]])
    expect(tries).toBe(3)
    expect(outcome).toMatchObject({ status: 429, error: 'later', retryAfterSeconds: 1 })
  })

  it('do not begin after the time-out', async () => {
    const { outcome, waits, tries } = await run([[429, { 'Retry-After': '3600' }]])
    expect([waits, tries]).toEqual([[], 1])
    expect(outcome).toMatchObject({ status: 429, retryAfterSeconds: 3_600 })
  })

  it.each([400, 401, 402, 403, 404, 422, 500, 502, 504])('do not follow a %i', async status => {
    const { outcome, tries } = await run([[status, { 'Retry-After': '1' }]])
    expect(tries).toBe(1)
    expect(outcome).toMatchObject({ status })
  })
})

describe('without an answer', () => {
  it('a call fails with connection_failed', async () => {
    const gone = await startTarget(() => {})
    await gone.close()
    const failure = await failureOf(createClient({ url: gone.url, title: 'tests' }).search({ query: 'a' }))
    expect([failure.status, failure.error]).toEqual([undefined, 'connection_failed'])
    expect(failure.cause).toBeInstanceOf(Error)
  })

  it('a call ends at its time-out', async () => {
    const { url } = await stand(() => {})
    const failure = await failureOf(createClient({ url, title: 'tests', timeoutMs: 50 }).search({ query: 'a' }))
    expect(failure.error).toBe('timed_out')
  })

  it('a call ends when its signal aborts, also while it waits for a retry', async () => {
    const reason = new Error('enough')
    const { url } = await stand((_, response) => {
      response.writeHead(503, { 'Retry-After': '30' }).end('{"error":"overloaded"}')
    })
    const controller = new AbortController()
    const waiting = createClient({
      url,
      title: 'tests',
      wait: async (_, signal) => {
        controller.abort(reason)
        signal.throwIfAborted()
      },
    }).search({ query: 'a' }, { signal: controller.signal })
    await expect(waiting).rejects.toBe(reason)
    await expect(
      createClient({ url, title: 'tests' }).search({ query: 'a' }, { signal: controller.signal }),
    ).rejects.toBe(reason)
  })

  it.each([
    [200, 'text/html', '<p>hello'],
    [502, 'text/html', '<h1>Bad gateway'],
    [500, 'application/json', '[]'],
  ])('a %i of %s that is not from the API is reported as such', async (status, type, body) => {
    const { url } = await stand((_, response) => void response.writeHead(status, { 'Content-Type': type }).end(body))
    const failure = await failureOf(createClient({ url, title: 'tests' }).search({ query: 'a' }))
    expect([failure.status, failure.error]).toEqual([status, 'not_an_answer'])
  })

  it('a key does not follow a redirect', async () => {
    const asked: string[] = []
    const other = await stand((request, response) => {
      asked.push(request.url!)
      response.end('{}')
    })
    const { url } = await stand((_, response) => void response.writeHead(307, { Location: other.url }).end())
    await failureOf(createClient({ url, key: 'asof_secret' }).search({ query: 'a' }))
    expect(asked).toEqual([])
  })

  it.each([301, 302, 303, 307, 308])('a redirect (%i) is an error that says where it leads', async status => {
    const Location = `https://user:secret@search.example/v1/${'x'.repeat(300)}`
    const { url } = await stand((_, response) => void response.writeHead(status, { Location }).end())
    const failure = await failureOf(createClient({ url, title: 'tests' }).search({ query: 'a' }))
    expect(failure).toMatchObject({ error: 'redirected', status })
    expect(failure.message).toContain(`${url} redirects to "https://…@search.example/v1/xxx`)
    expect(failure.message).not.toMatch(/secret|x{80}/)
  })

  it.each([
    'https://user:secret@search.example/',
    'https://:secret@search.example/',
    'https//user:secret@search.example',
    'ftp://user:secret@search.example/',
    'https://user:secret@search.example/?a=1',
  ])('a URL with a password is refused without repeating it: %#', url => {
    const create = () => createClient({ url, title: 'tests' })
    expect(create).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_OPTION' }))
    expect(create).not.toThrow(/secret/)
  })
})

describe('feedback', () => {
  it('is posted with the key and the field names of spec 2.6', async () => {
    const seen: unknown[] = []
    const { url } = await stand(async (request, response) => {
      seen.push(request.method, request.url, request.headers['x-api-key'], await json(request))
      response.end('{"message":"Thank you."}')
    })
    const request = { query: 'ships', feedback: { 'https://example.com/': 5 }, feedback_text: 'good' } as const
    expect(await createClient({ url, key: 'asof_k' }).feedback(request)).toEqual({ message: 'Thank you.' })
    expect(seen).toEqual(['POST', '/v1/feedback', 'asof_k', request])
  })
})

it.each([
  [{ url: 'nowhere', title: 'a' }, 'url'],
  [{ url: 'ftp://a.example', title: 'a' }, 'url'],
  [{ url: 'http://a.example/?x', title: 'a' }, 'url'],
  [{ url: 'http://a.example' }, 'key'],
  [{ url: 'http://a.example', key: 'a\nb' }, 'key'],
  [{ url: 'http://a.example', title: 'Größe' }, 'title'],
])('rejects a client with the options %j', (options, named) => {
  expect(() => createClient(options as Parameters<typeof createClient>[0])).toThrow(named)
})
