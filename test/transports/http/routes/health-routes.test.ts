import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClusterEngine, openCluster } from '../../../../cluster/index.ts'
import { createService } from '../../../../service/index.ts'
import { createServer as createHttpServer, listen, shutDown } from '../../../../transports/http/index.ts'
import { startTcpProxy, type TcpProxy } from '../../../servers/tcp-proxy.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'

/** Time that a search may take, and by which a call that it ends has ended, ms. */
const LIMIT_MS = 400
const BOUND_MS = 5_000

/** A stand-in for an OpenSearch with an index without pages, which can stop answering, or lose a shard. */
class StandIn {
  mode: 'answers' | 'hangs' | 'lacks a shard' = 'answers'
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const lines = (await request.toArray()).join('').split('\n').length - 1
      // It accepts the request, and never answers.
      if (this.mode === 'hangs') return
      const answer = { hits: { total: { value: 0 }, hits: [] }, _shards: { failed: this.mode === 'answers' ? 0 : 1 } }
      const responses = Array.from({ length: lines / 2 }, () => ({ ...answer, status: 200 }))
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ responses }))
    })
  }

  static async start(): Promise<StandIn> {
    const standIn = new StandIn()
    await once(standIn.#server.listen(0, '127.0.0.1'), 'listening')
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

describe.skipIf(noDatabase)('a server whose index is in a cluster', () => {
  let database: TestDatabase
  let toDatabase: TcpProxy
  let search: StandIn
  let cluster: ClusterEngine
  let url: string
  let stop: () => Promise<void>

  beforeEach(async () => {
    database = await createTestDatabase()
    search = await StandIn.start()
    const place = new URL(database.url)
    toDatabase = await startTcpProxy({ host: place.hostname, port: Number(place.port) })
    place.port = String(toDatabase.port)
    cluster = await openCluster({ search: search.url, database: place.href, name: 'probed', searchTimeoutMs: LIMIT_MS })
    const service = createService(cluster, () => Promise.reject(new Error('no live pages')))
    const app = createHttpServer(service, { engine: cluster, cluster })
    url = await listen(app, { host: '127.0.0.1', port: 0 })
    stop = () => shutDown(app)
  })
  afterEach(async () => {
    await stop()
    search.mode = 'answers'
    await search.close()
    toDatabase.mode = 'cut'
    await cluster.close()
    await toDatabase.close()
    await database.stop()
  })

  async function asked<T>(call: () => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    const result = await call()
    expect(performance.now() - startedMs).toBeLessThan(BOUND_MS)
    return result
  }
  const ready = () => asked(async () => (await fetch(`${url}/readyz`)).status)
  const failure = (call: Promise<unknown>) => asked(() => call.then(() => undefined).catch(error => error))

  it('is ready while OpenSearch and PostgreSQL answer', async () => {
    expect(await ready()).toBe(200)
    await expect(cluster.expectServers()).resolves.toBeUndefined()
  })

  it('is not ready while OpenSearch hangs, and says within the time of a search that it does', async () => {
    search.mode = 'hangs'
    expect(await ready()).toBe(503)
    expect(await failure(cluster.expectServers())).toMatchObject({
      code: 'ASOF_SEARCH_TIMEOUT',
      statusCode: 503,
      message: expect.stringContaining('OpenSearch did not answer within 0.4 s'),
    })
    search.mode = 'answers'
    expect(await ready()).toBe(200)
  })

  it('is not ready while PostgreSQL hangs', async () => {
    toDatabase.mode = 'stall'
    expect(await ready()).toBe(503)
    expect(await failure(cluster.expectServers())).toMatchObject({
      code: 'ASOF_SEARCH_TIMEOUT',
      message: expect.stringContaining('PostgreSQL did not answer'),
    })
  })

  it('is not ready while OpenSearch lacks a shard', async () => {
    search.mode = 'lacks a shard'
    expect(await ready()).toBe(503)
    expect(await failure(cluster.expectServers())).toMatchObject({ code: 'ASOF_SEARCH_FAILED', statusCode: 503 })
  })

  it('ends a search within its time while a server hangs, with 503', async () => {
    search.mode = 'hangs'
    const request = { method: 'POST', headers: { 'X-Service-Title': 'a', 'Content-Type': 'application/json' } }
    const search503 = () => fetch(`${url}/v1/search/public`, { ...request, body: JSON.stringify({ query: 'river' }) })
    const answer = await asked(search503)
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'overloaded' }])
    expect(await failure(cluster.search('river'))).toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT', retryable: true })
    search.mode = 'answers'
    toDatabase.mode = 'stall'
    for (const call of [cluster.search('river'), cluster.suggest('riv')])
      expect(await failure(call)).toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT' })
  })
})
