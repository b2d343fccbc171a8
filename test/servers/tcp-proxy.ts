import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * What a proxy does with its connections: pass them on; close them, and all new ones; keep them open and pass nothing on; or answer all
 * that arrives with a text.
 */
export type ProxyMode = 'pass' | 'cut' | 'stall' | { answer: string }

/** A proxy on loopback before a real server, which makes the network between a client and the server fail. */
export interface TcpProxy {
  port: number
  mode: ProxyMode
  close(): Promise<void>
}

/**
 * @param target - the address of the server.
 * @param own - where the proxy listens. Default: a free port of loopback.
 */
export async function startTcpProxy(
  target: { host: string; port: number },
  { host = '127.0.0.1', port: ownPort = 0 }: { host?: string; port?: number } = {},
): Promise<TcpProxy> {
  let mode: ProxyMode = 'pass'
  const sockets = new Set<Socket>()
  const passed = (from: Socket, to: Socket, isRequest: boolean): void => {
    from.on('data', data => {
      if (mode === 'pass') to.write(data)
      else if (typeof mode === 'object' && isRequest) from.end(mode.answer)
    })
    from.on('close', () => to.destroy())
    // The other side hears of it by the end of its connection.
    from.on('error', () => {})
  }
  const server = createServer(client => {
    if (mode === 'cut') {
      client.destroy()
      return
    }
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    passed(client, upstream, true)
    passed(upstream, client, false)
  }).listen(ownPort, host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    get mode() {
      return mode
    },
    set mode(next) {
      mode = next
      if (next === 'cut') cut()
    },
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
