import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of loopback that is free now. Another process may take it before it is used, which is rare. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('a server on loopback has a port')
  return address.port
}
