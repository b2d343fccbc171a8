import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClusterEngine, openCluster } from '../../../../cluster/index.ts'
import { createService } from '../../../../service/index.ts'
import { createServer, listen, shutDown } from '../../../../transports/http/index.ts'
import { startTcpProxy, type TcpProxy } from '../../../servers/tcp-proxy.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'
import { startTarget } from '../running-server.ts'

/** Time limit of a search, ms. */
const LIMIT_MS = 400
/** Time within which every call ends, although a server hangs, ms. */
const BOUND_MS = 30_000

/** What the stand-in for OpenSearch does: it answers, accepts requests and never answers, or lacks a shard. */
let mode: 'answers' | 'hangs' | 'lacks a shard'

/** Answers as an OpenSearch whose index has no page. */
const answerAsOpenSearch: RequestListener = async (request, response) => {
  const lines = (await text(request)).split('\n').length - 1
  if (mode === 'hangs') return
  const answer = { hits: { total: { value: 0 }, hits: [] }, _shards: { failed: mode === 'answers' ? 0 : 1 } }
  const responses = Array.from({ length: lines / 2 }, () => ({ ...answer, status: 200 }))
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ responses }))
}

describe.skipIf(noDatabase)('a server whose index is in a cluster', () => {
  let database: TestDatabase
  let toDatabase: TcpProxy
  let search: Awaited<ReturnType<typeof startTarget>>
  let cluster: ClusterEngine
  let url: string
  let stop: () => Promise<void>

  beforeEach(async () => {
    database = await createTestDatabase()
    mode = 'answers'
    search = await startTarget(answerAsOpenSearch)
    const place = new URL(database.url)
    toDatabase = await startTcpProxy({ host: place.hostname, port: Number(place.port) })
    place.port = String(toDatabase.port)
    cluster = await openCluster({ search: search.url, database: place.href, name: 'probed', searchTimeoutMs: LIMIT_MS })
    const service = createService(cluster, () => Promise.reject(new Error('no live pages')))
    const app = createServer(service, { engine: cluster, cluster })
    url = await listen(app, { host: '127.0.0.1', port: 0 })
    stop = () => shutDown(app)
  })
  afterEach(async () => {
    await stop()
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
    mode = 'hangs'
    expect(await ready()).toBe(503)
    expect(await failure(cluster.expectServers())).toMatchObject({
      code: 'ASOF_SEARCH_TIMEOUT',
      statusCode: 503,
      message: expect.stringContaining('OpenSearch did not answer within 0.4 s'),
    })
    mode = 'answers'
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
    mode = 'lacks a shard'
    expect(await ready()).toBe(503)
    expect(await failure(cluster.expectServers())).toMatchObject({ code: 'ASOF_SEARCH_FAILED', statusCode: 503 })
  })

  it('ends a search within its time while a server hangs, with 503', async () => {
    mode = 'hangs'
    const request = { method: 'POST', headers: { 'X-Service-Title': 'a', 'Content-Type': 'application/json' } }
    const post = () => fetch(`${url}/v1/search/public`, { ...request, body: JSON.stringify({ query: 'river' }) })
    const answer = await asked(post)
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'overloaded' }])
    expect(await failure(cluster.search('river'))).toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT', retryable: true })
    mode = 'answers'
    toDatabase.mode = 'stall'
    for (const call of [cluster.search('river'), cluster.suggest('riv')])
      expect(await failure(call)).toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT' })
  })
})
