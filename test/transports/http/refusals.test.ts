import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorResponse } from '../../../service/index.ts'
import { type Answer, get, post, type RunningServer, sendRaw, startServer } from './running-server.ts'

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

describe('refusals', () => {
  let server: RunningServer
  let search: string
  beforeAll(async () => {
    server = await startServer({ captures: [{ url: 'https://example.com/', text: 'words' }] })
    search = `${server.url}/v1/search/public`
  })
  afterAll(() => server.close())

  const json = { 'Content-Type': 'application/json', 'X-Service-Title': 'tests' }
  const big = `{"query":"${'a'.repeat(300 * 1024)}"}`

  it.each([
    ['an unknown path', '/v1/nothing', { method: 'GET' }, 404, 'not_found'],
    [
      'an unknown path with a body',
      '/v1/nothing',
      { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: '<a/>' },
      404,
      'not_found',
    ],
    ['a wrong method', '/v1/search/public', { method: 'DELETE' }, 405, 'method_not_allowed'],
    [
      'a wrong method with a body',
      '/v1/fetch/public',
      { method: 'POST', headers: json, body: big },
      405,
      'method_not_allowed',
    ],
    ['OPTIONS', '/v1/search/public', { method: 'OPTIONS' }, 405, 'method_not_allowed'],
    ['a large body', '/v1/search/public', { method: 'POST', headers: json, body: big }, 413, 'payload_too_large'],
    [
      'a text body',
      '/v1/search/public',
      { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"query":"a"}' },
      415,
      'unsupported_media_type',
    ],
    [
      'a form',
      '/v1/search/public',
      { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'query=a' },
      415,
      'unsupported_media_type',
    ],
    [
      'an encoded body',
      '/v1/search/public',
      { method: 'POST', headers: { ...json, 'Content-Encoding': 'gzip' }, body: 'x' },
      415,
      'unsupported_media_type',
    ],
    ['a path that is no text', '/v1/%ff', { method: 'GET' }, 400, 'invalid_request'],
  ] as [string, string, RequestInit, number, string][])(
    'answers %s in the shape of spec 2.7',
    async (_, path, init, status, error) => {
      const answer = await send(`${server.url}${path}`, init)
      expect([answer.status, answer.body.error]).toEqual([status, error])
      expect(errorResponse.parse(answer.body)).toEqual(answer.body)
      expect(answer.headers.get('content-type')).toContain('application/json')
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  it('names the methods that a path accepts', async () => {
    expect((await send(search, { method: 'PUT' })).headers.get('allow')).toBe('GET, POST, HEAD')
  })

  it.each([
    ['garbage', 'HELLO\r\n\r\n', '400'],
    ['headers too large', `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(40_000)}\r\n\r\n`, '400'],
    ['a request without a Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', '400'],
    [
      'an unknown expectation, as if there were none,',
      'GET /v1/fetch/public HTTP/1.1\r\nHost: localhost\r\nX-Service-Title: t\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
      '400',
    ],
  ])('answers %s in the same shape', async (_, bytes, status) => {
    const answer = await sendRaw(server.url, bytes)
    const [head, body] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/)
    expect(errorResponse.parse(JSON.parse(body!)).error).toBe('invalid_request')
  })

  it('gives every answer a request id of its own', async () => {
    const ids = new Set<string | null>()
    for (let i = 0; i < 3; i += 1) ids.add((await post(search, { query: 'words' })).headers.get('x-request-id'))
    expect(ids.size).toBe(3)
  })

  describe('without an application name', () => {
    it('answers 400 Missing app identifier on every keyless route', async () => {
      const answers = [
        await post(search, { query: 'words' }, {}),
        await get(`${search}?query=words`, {}),
        await get(`${server.url}/v1/fetch/public?url=https://example.com/`, {}),
        await post(search, { query: 'words' }, { 'X-Service-Title': '  ' }),
      ]
      for (const { status, body } of answers) {
        expect(status).toBe(400)
        expect(body.error).toBe('Missing app identifier')
      }
    })

    it('answers so before it checks the parameters', async () => {
      expect((await post(search, '{"query":', {})).body.error).toBe('Missing app identifier')
      expect((await get(`${search}?colour=red`, {})).body.error).toBe('Missing app identifier')
    })

    it('accepts service_title in the query string instead', async () => {
      expect((await post(`${search}?service_title=tests`, { query: 'words' }, {})).status).toBe(200)
      expect((await get(`${search}?query=words&service_title=tests`, {})).status).toBe(200)
      const fetched = await get(`${server.url}/v1/fetch/public?url=https://example.com/&service_title=t`, {})
      expect(fetched.status).toBe(200)
    })

    it('accepts a name of more than 256 characters', async () => {
      expect((await post(search, { query: 'words' }, { 'X-Service-Title': 'x'.repeat(1_000) })).status).toBe(200)
    })
  })

  describe('modes that need a key', () => {
    it.each(['webql', 'realtime_content'])('answers 401 to mode %s', async mode => {
      for (const answer of [
        await post(search, { query: 'words', mode }),
        await get(`${search}?query=words&mode=${mode}`),
      ]) {
        expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
      }
    })

    it('answers 401 before any 400', async () => {
      expect((await post(search, { mode: 'webql', colour: 'red' }, {})).status).toBe(401)
    })
  })

  it('answers /healthz without an application name', async () => {
    expect((await get(`${server.url}/healthz`, {})).status).toBe(200)
  })

  it('completes requests in flight when it stops', async () => {
    const slow = await startServer({
      fetchPage: async url => {
        closing = slow.close()
        await new Promise(setImmediate)
        return { url, body: Buffer.from('<main><p>Slow words of a page.</p></main>'), contentType: 'text/html' }
      },
    })
    let closing: Promise<void> | undefined
    const { status } = await get(`${slow.url}/v1/fetch/public?url=https://example.com/&live=true`)
    await closing
    expect(status).toBe(200)
  })
})
