import { describe, expect, it } from 'vitest'
import { get, post, sendRaw, startServer } from '../running-server.ts'

describe('the keyless rate limit', () => {
  it('counts down in headers, then answers 429 with Retry-After', async () => {
    const server = await startServer({ http: { keylessLimits: { perSecond: 1_000, perHour: 3 } } })
    try {
      const search = `${server.url}/v1/search/public`
      const answers = []
      for (let i = 0; i < 4; i += 1) answers.push(await post(search, { query: 'words' }))
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 429])
      expect(answers.map(answer => answer.headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
      for (const { headers } of answers) {
        expect(headers.get('x-ratelimit-limit')).toBe('3')
        expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
      }
      expect(answers[3]!.body.error).toBe('rate_limited')
      expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await server.close()
    }
  })

  it('counts every request, whatever its status', async () => {
    const server = await startServer({ http: { keylessLimits: { perSecond: 1_000, perHour: 2 } } })
    try {
      await get(`${server.url}/v1/nothing`)
      await post(`${server.url}/v1/search/public`, '{')
      expect((await post(`${server.url}/v1/search/public`, { query: 'words' })).status).toBe(429)
    } finally {
      await server.close()
    }
  })

  it('counts a route in any spelling of its path', async () => {
    const server = await startServer({ http: { keylessLimits: { perSecond: 1_000, perHour: 2 } } })
    try {
      const { host } = new URL(server.url)
      const targets = ['/%761/search/public', `http://${host}/v1/search/public`, '/v1/%73earch/public?query=a']
      const answers = []
      for (const target of targets) {
        const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Service-Title: t\r\nConnection: close\r\n\r\n`
        answers.push((await sendRaw(server.url, request)).split(' ', 2)[1])
      }
      expect(answers).toEqual(['400', '400', '429'])
    } finally {
      await server.close()
    }
  })

  it('comes after 404, 405, 413, 415 and 401, and before 400', async () => {
    const server = await startServer({ http: { keylessLimits: { perSecond: 1_000, perHour: 1 } } })
    try {
      const search = `${server.url}/v1/search/public`
      await post(search, { query: 'words' })
      expect((await get(`${server.url}/v1/nothing`)).status).toBe(404)
      expect((await get(`${server.url}/v1/search`)).status).toBe(404)
      expect((await post(`${server.url}/v1/fetch/public`, {})).status).toBe(405)
      expect((await post(search, 'x'.repeat(300_000))).status).toBe(413)
      expect((await post(search, 'x', { 'Content-Type': 'text/plain' })).status).toBe(415)
      expect((await post(search, { query: 'words', mode: 'webql' })).status).toBe(401)
      expect((await post(search, '{', {})).status).toBe(429)
      expect((await get(`${server.url}/v1/fetch/public?colour=red`, {})).status).toBe(429)
    } finally {
      await server.close()
    }
  })

  it('shows the tighter of the two windows', async () => {
    const server = await startServer({ http: { keylessLimits: { perSecond: 5, perHour: 1_000 } } })
    try {
      const { headers } = await post(`${server.url}/v1/search/public`, { query: 'words' })
      expect(headers.get('x-ratelimit-limit')).toBe('5')
      expect(headers.get('x-ratelimit-reset')).toBe('1')
    } finally {
      await server.close()
    }
  })

  it('trusts X-Forwarded-For only behind a trusted proxy, and only its last hop', async () => {
    const remaining = async (trustProxy: boolean) => {
      const server = await startServer({
        http: { keylessLimits: { perSecond: 1_000, perHour: 10 }, trustProxy: trustProxy ? true : undefined },
      })
      try {
        const seen = []
        for (const forwarded of ['1.1.1.1', '2.2.2.2', '3.3.3.3, 2.2.2.2']) {
          const { headers } = await get(`${server.url}/v1/search/public`, { 'X-Forwarded-For': forwarded })
          seen.push(headers.get('x-ratelimit-remaining'))
        }
        return seen
      } finally {
        await server.close()
      }
    }
    expect(await remaining(false)).toEqual(['9', '8', '7'])
    expect(await remaining(true)).toEqual(['9', '9', '8'])
  })
})
