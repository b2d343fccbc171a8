import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, type RunningServer, startServer } from '../transports/http/running-server.ts'

const post =
  'POST /v1/search/public HTTP/1.1\r\nHost: localhost\r\nX-Service-Title: t\r\nContent-Type: application/json\r\n'

/** Requests that arrive byte by byte and never end. */
const drips = {
  'a body': `${post}Content-Length: 200000\r\n\r\n`,
  'a body in chunks': `${post}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n5000\r\n`,
  headers: `${post}X-Slow: `,
  'a body for a path that is not there': 'POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n',
  'a body over the limit': `${post}Content-Length: 2000000\r\n\r\n`,
  'a body for agents': `${post.replace('/v1/search/public', '/mcp')}Content-Length: 200000\r\n\r\n`,
}

describe('a request that arrives slowly', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it('ends after 15 s with 408, and its connection is closed while the client is still sending', async () => {
    const { hostname, port } = new URL(server.url)
    const ended = await Promise.all(
      Object.entries(drips).map(async ([name, head]) => {
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
        let answer = ''
        socket.on('data', data => {
          answer += String(data)
        })
        socket.on('error', () => {})
        socket.write(head)
        const began = performance.now()
        const drip = setInterval(() => socket.write('a'), 250)
        await new Promise(resolve => {
          socket.once('close', resolve)
        })
        clearInterval(drip)
        const seconds = (performance.now() - began) / 1_000
        return { name, statuses: [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(match => match[1]), seconds }
      }),
    )
    for (const { name, statuses, seconds } of ended) {
      expect(seconds, name).toBeLessThan(20)
      if (!/not there|over the limit/.test(name)) {
        expect(statuses, name).toEqual(['408'])
        expect(seconds, name).toBeGreaterThan(14)
      }
    }
    await expect.poll(() => new Promise(resolve => server.listener.getConnections((_, open) => resolve(open)))).toBe(0)
    expect((await get(`${server.url}/healthz`)).status).toBe(200)
  })
})
