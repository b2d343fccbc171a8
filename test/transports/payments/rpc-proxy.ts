import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RpcProxy {
  url: string
  /** Answers 503 to every call of these methods from now on; to all with `*`. Nothing of them reaches the node. */
  block(...methods: string[]): void
  /** Lets calls of these methods through and answers 503 all the same: their answers are lost. */
  loseAnswers(...methods: string[]): void
  /** Everything passes again. */
  restore(): void
  close(): Promise<void>
}

/** Stands in front of a node and fails as it is told. */
export async function startRpcProxy(rpcUrl: string): Promise<RpcProxy> {
  let blocked = new Set<string>()
  let lossy = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { method } = JSON.parse(body) as { method: string }
    if (blocked.has(method) || blocked.has('*')) return void response.writeHead(503).end()
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answered = await answer.text()
    if (lossy.has(method)) return void response.writeHead(503).end()
    response.setHeader('content-type', 'application/json').end(answered)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    block: (...methods) => {
      blocked = new Set(methods)
    },
    loseAnswers: (...methods) => {
      lossy = new Set(methods)
    },
    restore: () => {
      blocked = new Set()
      lossy = new Set()
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
