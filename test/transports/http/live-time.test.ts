import { afterEach, describe, expect, it } from 'vitest'
import { extract } from '../../../core/index.ts'
import { get, query, type RunningServer, type ServerOptions, startServer, startTarget } from './running-server.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: ServerOptions): Promise<RunningServer> {
  const server = await startServer({ allowPrivate: true, ...options })
  closing.push(() => server.close())
  return server
}

const live = (server: RunningServer, url: string) => get(`${server.url}/v1/fetch/public?${query({ url, live: true })}`)

describe('the time limit of a live fetch', () => {
  it('ends a body that arrives in small pieces forever (504)', async () => {
    const target = await startTarget((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' })
      response.write('<p>')
      const timer = setInterval(() => response.write('drip '), 20)
      request.socket.on('close', () => clearInterval(timer))
    })
    closing.push(() => target.close())
    const server = await start({ live: () => ({ timeoutMs: 400 }) })
    const { status, body } = await live(server, `${target.url}/`)
    expect([status, body.error]).toEqual([504, 'target_timeout'])
    expect(body.message).toContain('within 0.4 s')
  })

  it('ends a chain of quick redirects that takes too long (504)', async () => {
    const target = await startTarget((request, response) => {
      const next = Number(request.url!.slice(2) || 0) + 1
      setTimeout(() => response.writeHead(302, { Location: `/n${next}` }).end(), 60)
    })
    closing.push(() => target.close())
    const server = await start({ live: () => ({ timeoutMs: 300 }) })
    expect((await live(server, `${target.url}/n0`)).status).toBe(504)
  })

  it('includes robots.txt, the page and its extraction (504)', async () => {
    const never = () => new Promise<never>(() => {})
    const fetchPage = async (url: string) => ({ url, body: Buffer.from('<p>Words.</p>'), contentType: 'text/html' })
    const timeoutMs = 50
    const slow: ServerOptions['live'][] = [
      () => ({ timeoutMs, fetchPage, mayFetch: never }),
      () => ({ timeoutMs, fetchPage: never }),
      () => ({ timeoutMs, fetchPage, extract: never }),
    ]
    for (const each of slow) {
      const server = await start({ live: each! })
      const { status, body } = await live(server, 'https://example.com/')
      expect([status, body.error]).toEqual([504, 'target_timeout'])
    }
  })

  it('cancels the running fetch', async () => {
    let ended: unknown
    const server = await start({
      live: () => ({
        timeoutMs: 50,
        extract,
        fetchPage: (_url, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended = signal.reason
              reject(signal.reason)
            })
          }),
      }),
    })
    await live(server, 'https://example.com/')
    expect(ended).toMatchObject({ code: 'ASOF_FETCH_TIMEOUT' })
  })

  it('is 30 s by default', async () => {
    let given = 0
    const server = await start({
      fetchPage: async (url, { totalTimeoutMs }) => {
        given = totalTimeoutMs
        return { url, body: Buffer.from('<p>Words.</p>'), contentType: 'text/html' }
      },
    })
    expect((await live(server, 'https://example.com/')).status).toBe(200)
    expect(given).toBe(30_000)
  })
})
