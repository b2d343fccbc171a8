import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpSettings } from '../../../../transports/http/index.ts'
import { type RunningServer, startServer } from '../running-server.ts'

describe('the limit of connections of an address', () => {
  const open: Socket[] = []
  let server: RunningServer
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy()
    await server.close()
  })

  async function start(http: HttpSettings): Promise<void> {
    server = await startServer({ http })
  }

  /** The status of /healthz over a connection that stays open, or 0 if the server closed it. */
  async function ask(localAddress: string): Promise<number> {
    const { hostname, port } = new URL(server.url)
    const socket = connect({ port: Number(port), host: hostname, localAddress })
    open.push(socket)
    socket.on('error', () => {})
    const answered = once(socket, 'data').then(
      ([data]) => Number(String(data).slice(9, 12)),
      () => 0,
    )
    const closed = new Promise<number>(resolve => socket.once('close', () => resolve(0)))
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return Promise.race([answered, closed])
  }

  it('closes further connections of the address, and serves others', async () => {
    await start({ maxConnectionsPerAddress: 3 })
    const asked = []
    for (let i = 0; i < 5; i += 1) asked.push(await ask('127.0.0.66'))
    expect(asked).toEqual([200, 200, 200, 0, 0])
    expect(await ask('127.0.0.7')).toBe(200)
    open[0]!.destroy()
    await expect.poll(() => ask('127.0.0.66')).toBe(200)
  })

  it('is 256 by default', async () => {
    await start({})
    const asked = await Promise.all(Array.from({ length: 260 }, () => ask('127.0.0.66')))
    expect(asked.filter(status => status === 0)).toHaveLength(4)
    expect(await ask('127.0.0.7')).toBe(200)
  })

  it.each([[true], [['127.0.0.66']], [['127.0.0.0/24']], [['loopback']]] as [true | string[]][])(
    'does not hold for a trusted proxy (%j)',
    async trustProxy => {
      await start({ maxConnectionsPerAddress: 1, trustProxy })
      expect([await ask('127.0.0.66'), await ask('127.0.0.66')]).toEqual([200, 200])
    },
  )

  it('applies to peers that are not trusted proxies', async () => {
    await start({ maxConnectionsPerAddress: 1, trustProxy: ['10.0.0.0/8', '::1'] })
    expect([await ask('127.0.0.66'), await ask('127.0.0.66')]).toEqual([200, 0])
  })
})
