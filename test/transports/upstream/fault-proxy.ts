import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Answers one request in place of the target. `lost` forwards it and cuts the connection instead of the answer. */
export type Fault = ((response: ServerResponse) => void) | 'lost' | 'none'

/** A proxy on loopback that answers chosen requests wrongly. */
export interface FaultProxy {
  url: string
  /** The faults of the next requests, in order. Requests beyond them are forwarded. */
  faults: Fault[]
  /** Number of requests that arrived. */
  arrived(): number
  close(): Promise<void>
}

/** Answers with a status and the body of a refusal. */
export function refusal(status: number, error: string, headers: Record<string, string> = {}): Fault {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error, message: `the proxy says ${error}` }))
  }
}

/** Answers with a status and any body. */
export function answer(status: number, body: string, headers: Record<string, string> = {}): Fault {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }
}

/** Cuts the connection in the middle of the answer's body. */
export const cutBody: Fault = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"query":', () => response.destroy())
}

/** Never answers. */
export const silence: Fault = () => {}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const faults: Fault[] = []
  let arrived = 0
  async function forward(request: IncomingMessage, response: ServerResponse, isLost: boolean): Promise<void> {
    const body = await buffer(request)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const given = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      body: body.length > 0 ? new Uint8Array(body) : undefined,
    })
    if (isLost) {
      await given.arrayBuffer()
      response.destroy()
      return
    }
    const { 'content-encoding': ____, 'content-length': _____, ...rest } = Object.fromEntries(given.headers)
    delete rest['transfer-encoding']
    delete rest.connection
    response.writeHead(given.status, rest)
    response.end(new Uint8Array(await given.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    arrived += 1
    const fault = faults.shift() ?? 'none'
    if (typeof fault === 'function') return fault(response)
    forward(request, response, fault === 'lost').catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    arrived: () => arrived,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
