import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRaw } from '../raw-answer.ts'
import { type RunningServer, startServer } from '../running-server.ts'

const SECRET = 'a page that only the person at this machine may read'
const captures = [{ url: 'https://intranet.example/', text: SECRET, acquiredAt: '2025-01-10' }]
const title = 'X-Service-Title: t'

/** Every route to data of the index, the accounts or the process, as a request line and a body. */
const routes: [string, string?][] = [
  ['GET /v1/search/public?query=page'],
  ['POST /v1/search/public', '{"query":"page"}'],
  ['GET /v1/fetch/public?url=https://intranet.example/'],
  ['GET /v1/history/public?url=https://intranet.example/'],
  ['GET /v1/suggest?query=pa'],
  ['GET /v1/search?query=page'],
  ['POST /v1/feedback', '{}'],
  ['GET /timegate/https://intranet.example/'],
  ['GET /timemap/https://intranet.example/'],
  ['GET /memento/20250110000000000/https://intranet.example/'],
  ['GET /v1/x402/search?query=page'],
  ['POST /admin/org/create', '{"name":"x"}'],
  ['POST /mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ['GET /metrics'],
  ['GET /openapi.json'],
  ['GET /no/such/path'],
]

describe('the check of Host and Origin', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({
      captures,
      accounts: true,
      http: {
        baseUrl: 'https://search.example',
        hosts: ['asof', 'other.example'],
        corsOrigins: ['https://app.example'],
        adminToken: 'token-of-the-operator',
        publicMetrics: true,
        trustProxy: ['127.0.0.1'],
      },
    })
  })
  afterAll(() => server.close())

  function ask(line: string, headers: string[], body = '') {
    const type = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]
    return askRaw(server.url, [`${line} HTTP/1.1`, ...headers, ...type, title], body)
  }

  for (const [line, body] of routes) {
    it(`refuses a rebound name on ${line} before it reads any data`, async () => {
      const answer = await ask(line, ['Host: evil.example'], body)
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([403, 'forbidden'])
      expect(answer.body).not.toContain('only the person')
    })

    it(`refuses a web page of another origin on ${line}`, async () => {
      for (const origin of ['https://evil.example', 'null', 'http://search.example', 'file://localhost', 'garbage']) {
        expect((await ask(line, ['Host: 127.0.0.1', `Origin: ${origin}`], body)).status, origin).toBe(403)
      }
    })
  }

  const read = 'GET /v1/fetch/public?url=https://intranet.example/'

  it.each([
    'localhost',
    'LOCALHOST:8787',
    '127.0.0.1:8787',
    '[::1]:1',
    '192.168.1.5',
    '0.0.0.0:8787',
    'search.example',
    'search.example:443',
    'SEARCH.example',
    'asof:8787',
    'other.example',
  ])('serves the Host %s', async host => {
    expect((await ask(read, [`Host: ${host}`])).body).toContain('only the person')
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    'asof.evil.example',
    '127.0.0.1.evil.example',
    'xasof',
    'asof.',
    'evil@localhost',
    'localhost@evil.example',
    'localhost/evil',
    'localhost#.evil',
    'evil.example:80:localhost',
    '127.0.0.1.example',
    'a,localhost',
    '%6cocalhost',
    'localhost,evil.example',
    '',
    '[::1',
    'l\u00F6calhost',
  ])('refuses the Host %j', async host => {
    expect([400, 403]).toContain((await ask(read, [`Host: ${host}`])).status)
  })

  it('refuses two Host headers in any order', async () => {
    expect((await ask(read, ['Host: localhost', 'Host: evil.example'])).status).toBe(400)
    expect((await ask(read, ['Host: evil.example', 'Host: localhost'])).status).toBe(400)
  })

  it('also checks the host of a request target in absolute form', async () => {
    const target = (host: string) => `GET http://${host}/v1/fetch/public?url=https://intranet.example/`
    expect((await ask(target('evil.example'), ['Host: localhost'])).status).toBe(403)
    expect((await ask(target('localhost'), ['Host: evil.example'])).status).toBe(403)
    expect((await ask(target('localhost'), ['Host: localhost'])).status).toBe(200)
  })

  it('ignores X-Forwarded-Host, even from a trusted proxy', async () => {
    const forwarded = ['X-Forwarded-Host: search.example', 'Forwarded: host=search.example', 'X-Host: localhost']
    expect((await ask(read, ['Host: evil.example', ...forwarded])).status).toBe(403)
    const plain = await startServer({ captures, http: { trustProxy: true } })
    try {
      const gate = 'GET /timegate/https://intranet.example/ HTTP/1.1'
      const { head } = await askRaw(plain.url, [gate, 'Host: 127.0.0.1:1', 'X-Forwarded-Host: evil.example'])
      expect(head).toContain('location: http://127.0.0.1:1/memento/')
      expect(head).not.toContain('evil.example')
    } finally {
      await plain.close()
    }
  })

  it('serves an HTTP/1.0 client without Host, because no browser is one', async () => {
    const answer = await askRaw(server.url, ['GET /v1/fetch/public?url=https://intranet.example/ HTTP/1.0', title])
    expect(answer.status).toBe(200)
    expect((await askRaw(server.url, [`${read} HTTP/1.0`, 'Host: evil.example', title])).status).toBe(403)
  })

  it('lets load balancers probe with any Host', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await ask(`GET ${path}`, ['Host: probe.internal.example'])).status).toBe(200)
    }
  })

  it('serves pages of its own origin, of localhost and of origins that the operator lists', async () => {
    const origins = ['https://search.example', 'https://app.example', 'http://localhost:3000', 'http://127.0.0.1']
    for (const origin of origins) expect((await ask(read, ['Host: localhost', `Origin: ${origin}`])).status).toBe(200)
    expect((await ask(read, ['Host: 192.168.1.5:87', 'Origin: http://192.168.1.5:87'])).status).toBe(200)
    expect((await ask(read, ['Host: 192.168.1.5:87', 'Origin: http://192.168.1.5:88'])).status).toBe(403)
  })

  it('refuses cross-site loads of a page without CORS, and serves a link that a person follows', async () => {
    const site = 'Sec-Fetch-Site: cross-site'
    for (const [mode, dest] of [
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['navigate', 'iframe'],
      ['navigate', 'object'],
    ]) {
      const headers = ['Host: localhost', site, `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${dest}`]
      expect((await ask(read, headers)).status, dest).toBe(403)
    }
    const visit = ['Host: localhost', site, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
    expect((await ask(read, visit)).status).toBe(200)
    expect((await ask(read, ['Host: localhost', 'Sec-Fetch-Site: none'])).status).toBe(200)
  })

  it('has no effect for a form or simple request of another site', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const body = '{"query":"page"}'
      const lines = ['POST /v1/search/public HTTP/1.1', 'Host: localhost', `Content-Type: ${type}`, title]
      const length = `Content-Length: ${body.length}`
      expect((await askRaw(server.url, [...lines, length, 'Origin: https://evil.example'], body)).status).toBe(403)
      expect((await askRaw(server.url, [...lines, length], body)).status).toBe(415)
    }
  })

  it('refuses a preflight of an origin that is not listed', async () => {
    const wants = 'Access-Control-Request-Method: POST'
    const preflight = (origin: string) =>
      ask('OPTIONS /v1/search/public', ['Host: localhost', `Origin: ${origin}`, wants])
    const refused = await preflight('https://evil.example')
    expect([refused.status, refused.head.includes('access-control-allow')]).toEqual([403, false])
    expect((await preflight('https://app.example')).head).toContain('access-control-allow-origin: https://app.example')
  })

  it('accepts any origin if the operator allows it, but no rebound name', async () => {
    const open = await startServer({ captures, http: { corsOrigins: ['*'] } })
    try {
      const status = async (host: string) =>
        (await askRaw(open.url, [`${read} HTTP/1.1`, `Host: ${host}`, 'Origin: https://any.example', title])).status
      expect([await status('localhost'), await status('evil.example')]).toEqual([200, 403])
    } finally {
      await open.close()
    }
  })
})
