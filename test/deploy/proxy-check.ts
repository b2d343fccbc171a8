import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Started } from './machine.ts'
import { ask, HOST, SERVER, until, untilReady } from './requests.ts'

export interface ProxyCheck {
  /** The certificate of the proxy, or of the authority that signed it. */
  ca: string
  /** Starts the server behind the proxy. */
  startServer: () => Started
  /** True if requests wait while the server restarts; false if they are answered 503 with Retry-After. */
  waits: boolean
}

const service = 'service_title=deploy'
const search = `/v1/search/public?query=lisbon&${service}`

/** Checks a proxy that listens at 80 and 443 and passes requests on to a server at 8787, also while the server restarts. */
export async function checkProxy({ ca, startServer, waits }: ProxyCheck): Promise<void> {
  let server = startServer()
  await untilReady(server)
  const get = (path: string, headers: Record<string, string> = {}) => ask({ ca, port: 443, path, headers })

  const { status, text, headers } = await get(search)
  assert.equal(status, 200, text)
  assert.equal(JSON.parse(text).results[0].title, 'Night trains')
  assert.match(String(headers['x-asof-receipt'] ?? ''), /\S/)
  assert.equal((await get('/readyz')).status, 200)
  assert.equal((await get('/metrics')).status, 404)
  const plain = await ask({ port: 80, path: '/healthz' })
  assert.match(`${plain.status}`, /^30[18]$/)
  assert.equal(plain.headers.location, `https://${HOST}/healthz`)

  // A request in progress is answered while the server stops.
  const site = await slowSite()
  const slow = get(`/v1/fetch/public?live=true&url=${encodeURIComponent(site.url)}&${service}`)
  const answer = await Promise.race([site.asked, slow.then(({ text }) => Promise.reject(new Error(text)))])
  server.process.kill('SIGTERM')
  await until('end of accepting', server, () =>
    ask({ port: SERVER, path: '/healthz' }).then(
      () => false,
      () => true,
    ),
  )
  answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Slow page</title><p>It took a while.')
  const fetched = await slow
  assert.equal(fetched.status, 200, fetched.text)
  assert.equal(JSON.parse(fetched.text).title, 'Slow page')
  assert.equal(await server.ended, 0, server.output())

  // A request finds no server, and the proxy waits for one or says when to try again.
  const asked = get(search)
  if (!waits) assert.deepEqual([(await asked).status, (await asked).headers['retry-after']], [503, '2'])
  server = startServer()
  await untilReady(server)
  assert.equal((await (waits ? asked : get(search))).status, 200)
  site.server.close()

  // The limit of 10 a second counts the address of the client, whatever the client claims.
  const claimed = await Promise.all(
    Array.from({ length: 30 }, (_, i) => get(search, { 'X-Forwarded-For': `198.51.100.${i}` })),
  )
  assert.ok(
    claimed.some(answer => answer.status === 429),
    'a client chooses its address by X-Forwarded-For',
  )

  server.process.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.output())
}

/** A site that keeps its only request waiting. */
async function slowSite(): Promise<{ server: Server; url: string; asked: Promise<ServerResponse> }> {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => resolve(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}
