import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRaw } from '../raw-answer.ts'
import { type RunningServer, startServer } from '../running-server.ts'

const odd = [
  '/:a(',
  '/:a(b',
  '/:a()',
  '/**',
  '/*',
  '*',
  '/a*b*',
  '/:',
  '/::',
  '/:a?',
  '/(',
  '/[',
  '/\\',
  '/v1/:x([',
  '/%00',
  '/%',
  '/%zz',
  '/%ff',
  '/%c0%ae',
  '//',
  '///',
  '//evil.example/',
  '/../../etc/passwd',
  '/..%2f..%2f',
  '/a/../v1',
  '/;',
  '/?',
  '/??',
  '/?%',
  '/#',
  '/ü',
  `/${'a'.repeat(14_000)}`,
  `/${'%61'.repeat(4_000)}`,
  `/${'/'.repeat(10_000)}`,
  `/:${':a('.repeat(2_000)}`,
  '/timegate/**',
  '/memento/:a(',
  '/timemap/%00',
  'evil',
  '',
  '/v1/search/public/**',
  '/v1/search/public/:a(',
  '/mcp/',
  '/mcp//',
  '/admin/**',
  '/__proto__',
  '/constructor',
]

describe('an odd path', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ accounts: true, http: { adminToken: 'token-of-the-operator' } })
  })
  afterAll(() => server.close())
  const ask = (method: string, path: string) =>
    askRaw(server.url, [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'X-Service-Title: t'])

  it.each(odd)('is a refusal and no failure: %.30s', async path => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      const { status } = await ask(method, path)
      expect([400, 404, 405], `${method} ${status}`).toContain(status)
    }
    expect(server.failures).toEqual([])
  })

  it('of any characters never causes a failure', async () => {
    const piece = fc.constantFrom(...':(*[]?/%#\\.{}$^|+&=@!~', '%00', '%2f', '..', 'v1', 'search', 'mcp', 'a')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async pieces => {
        expect((await ask('GET', `/${pieces.join('')}`)).status).not.toBe(500)
      }),
      { numRuns: 300 },
    )
    expect(server.failures).toEqual([])
  })
})

describe('the path of a route with a wildcard', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it.each(['/memento', '/timegate', '/timemap'])('is unknown without the slash: %s', async path => {
    expect((await fetch(server.url + path)).status).toBe(404)
  })

  it.each(['/memento/x', '/timegate/x', '/timemap/x'])('refuses another method: %s', async path => {
    expect((await fetch(server.url + path, { method: 'POST' })).status).toBe(405)
  })
})

describe('a path with a parameter', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ accounts: true })
  })
  afterAll(() => server.close())

  it.each(['GET', 'PUT', 'DELETE', 'HEAD'])('refuses %s, and names the method that it takes', async method => {
    for (const plan of ['pack-1000', 'no-such-plan', '%20', 'a:b']) {
      const answer = await fetch(`${server.url}/plans/${plan}/purchase?x=1`, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it.each(['/plans//purchase', '/plans/a/b/purchase', '/plans/a/purchase/', '/plans/a'])(
    'is unknown with other segments: %s',
    async path => {
      expect((await fetch(server.url + path)).status).toBe(404)
    },
  )
})
