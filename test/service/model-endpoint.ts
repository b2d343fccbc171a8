import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A request to a model endpoint. */
export interface ModelRequest<Body> {
  path: string
  authorization: string | undefined
  body: Body
}

export interface ModelEndpoint<Body> {
  /** The base URL for the settings. */
  url: string
  requests: ModelRequest<Body>[]
  close(): Promise<void>
}

/** A loopback server that stands in for a model endpoint. */
export async function startModelEndpoint<Body>(
  answer: (request: ModelRequest<Body>, response: ServerResponse) => void,
): Promise<ModelEndpoint<Body>> {
  const requests: ModelRequest<Body>[] = []
  const server = createServer(async (incoming, response) => {
    const body = (await json(incoming)) as Body
    const request = { path: incoming.url!, authorization: incoming.headers.authorization, body }
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
