import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCluster } from '../../cluster/index.ts'
import { openDataFolder } from '../../service/data-folder/index.ts'
import { createService } from '../../service/index.ts'
import { createServer, listen, shutDown } from '../../transports/http/index.ts'
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts'
import { newName, servers } from './test-cluster.ts'

const page = (n: number) => ({ url: `https://example.com/${n}`, text: `a lamp ${n}` })
/** A password, which no message may contain. */
const SECRET = 'open-sesame'

/** A real server, behind a port of its own at which nobody listens while the server is stopped. */
class Server {
  readonly #target: { host: string; port: number }
  #proxy: TcpProxy

  private constructor(target: { host: string; port: number }, proxy: TcpProxy) {
    this.#target = target
    this.#proxy = proxy
  }

  static async before(url: string): Promise<Server> {
    const { hostname: host, port } = new URL(url)
    const target = { host, port: Number(port) }
    return new Server(target, await startTcpProxy(target))
  }

  get port(): number {
    return this.#proxy.port
  }

  async start(): Promise<void> {
    this.#proxy = await startTcpProxy(this.#target, { port: this.port })
  }

  stop(): Promise<void> {
    return this.#proxy.close()
  }
}

describe.skipIf(!servers)('a cluster whose servers are lost for a while', () => {
  let search: Server
  let database: Server
  let name: string

  beforeAll(async () => {
    search = await Server.before([servers!.search].flat()[0]!)
    database = await Server.before(servers!.database)
    name = newName()
  })
  afterAll(async () => {
    await search.stop()
    await database.stop()
  })

  const setup = () => ({
    name,
    search: `http://reader:${SECRET}@127.0.0.1:${search.port}`,
    database: `postgres://asof:${SECRET}@127.0.0.1:${database.port}/postgres`,
  })

  it.each(['PostgreSQL', 'OpenSearch'] as const)(
    'fails with a code while %s is away, and answers when it is back',
    async server => {
      const relay = server === 'PostgreSQL' ? database : search
      const cluster = await openCluster(setup())
      try {
        await cluster.add([page(1)])
        await relay.stop()
        const unreachable = {
          statusCode: 503,
          retryable: true,
          details: expect.objectContaining({ server }),
          message: expect.stringContaining(`${server} cannot be reached`),
        }
        const failures = await Promise.all(
          [cluster.search('lamp'), cluster.add([page(2)]), cluster.stats(), cluster.search('lamp')].map(call =>
            call.then(
              () => undefined,
              (error: Error) => error,
            ),
          ),
        )
        for (const failure of failures) {
          expect(failure).toMatchObject(unreachable)
          expect(JSON.stringify([failure!.message, String(failure!.cause)])).not.toContain(SECRET)
        }
        await relay.start()
        const urls = async () => (await cluster.search('lamp')).results.map(({ url }) => url)
        await expect.poll(() => urls().catch(() => [])).toContain(page(1).url)
        // The change is in PostgreSQL, and nobody else writes.
        if (server === 'OpenSearch') await expect.poll(urls, { timeout: 20_000 }).toContain(page(2).url)
      } finally {
        await cluster.close()
      }
    },
  )

  it('answers requests over HTTP with 503 meanwhile', async () => {
    const cluster = await openCluster(setup())
    const failures: unknown[] = []
    const app = createServer(
      createService(cluster, async () => {
        throw new Error('nothing is fetched here')
      }),
      { engine: cluster, publicMetrics: true, onFailure: failure => failures.push(failure) },
    )
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    const ask = async (path: string) => {
      const response = await fetch(`${url}${path}`, { headers: { 'x-service-title': 'test' } })
      return { status: response.status, text: await response.text() }
    }
    const searched = '/v1/search/public?mode=realtime&query='
    try {
      await cluster.add([page(1)])
      expect(await ask(`${searched}lamp`)).toMatchObject({ status: 200 })
      expect(await ask('/readyz')).toMatchObject({ status: 200 })
      for (const lost of [database, search]) {
        await lost.stop()
        const failed = await ask(`${searched}lamp`)
        expect(failed).toMatchObject({ status: 503, text: expect.stringContaining('"overloaded"') })
        expect(failed.text).toContain('cannot be reached')
        expect(failed.text).not.toContain(SECRET)
        expect(await ask('/healthz')).toMatchObject({ status: 200 })
        if (lost === database) expect(await ask('/readyz')).toMatchObject({ status: 503 })
        expect((await ask('/metrics')).text).toContain('asof_engine_readable 0')
        await lost.start()
        await expect.poll(async () => (await ask(`${searched}lamp`)).status).toBe(200)
      }
      expect(failures).toEqual([])
    } finally {
      await shutDown(app)
      await cluster.close()
    }
  })

  it('makes a data folder wait until the cluster can be reached, with a notice', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'asof-lost-'))
    const notices: string[] = []
    try {
      for (const relay of [database, search]) {
        await relay.stop()
        const opening = openDataFolder(dir, {
          cluster: setup(),
          share: true,
          onNotice: line => {
            notices.push(line)
            if (line.startsWith('waiting')) void relay.start()
          },
        })
        const folder = await opening
        try {
          expect(notices.splice(0)).toEqual([
            expect.stringMatching(/^waiting for the cluster: (PostgreSQL|OpenSearch) cannot be reached/),
            'the cluster can be reached',
          ])
          await expect(openDataFolder(dir, { cluster: setup(), share: false })).rejects.toMatchObject({
            code: 'ASOF_STORE_LOCKED',
          })
        } finally {
          await folder.close()
        }
      }
      await database.stop()
      await expect(openDataFolder(dir, { cluster: setup(), share: false })).rejects.toMatchObject({
        code: 'ASOF_STORE_READ',
        statusCode: 503,
      })
      await database.start()
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })
})
