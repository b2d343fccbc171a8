import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RpcProxy {
  url: string
  /** From now on answers calls of these methods (`*`: all) with 503, without passing them to the node. */
  block(...methods: string[]): void
  /** Passes calls of these methods to the node but answers with 503, as if the answers were lost. */
  loseAnswers(...methods: string[]): void
  /** Passes calls of these methods to the node but answers with an internal error of JSON-RPC. */
  garble(...methods: string[]): void
  /** Delays calls of these methods until each of the methods has been called. */
  bringTogether(...methods: string[]): void
  /** Answers every call of a method with a given result. */
  lie(method: string, result: unknown): void
  /** Passes on all calls again. */
  restore(): void
  close(): Promise<void>
}

/** A proxy in front of a node that fails in the ways that a test sets. */
export async function startRpcProxy(rpcUrl: string): Promise<RpcProxy> {
  let blocked = new Set<string>()
  let lossy = new Set<string>()
  let garbled = new Set<string>()
  let awaited = new Set<string>()
  let together = Promise.withResolvers<void>()
  const lies = new Map<string, unknown>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    if (blocked.has(method) || blocked.has('*')) return void response.writeHead(503).end()
    if (lies.has(method)) return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: lies.get(method) }))
    if (awaited.delete(method)) {
      if (awaited.size === 0) together.resolve()
      await together.promise
    }
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answered = await answer.text()
    if (lossy.has(method)) return void response.writeHead(503).end()
    response.setHeader('content-type', 'application/json')
    const error = { code: -32603, message: 'internal error' }
    response.end(garbled.has(method) ? JSON.stringify({ jsonrpc: '2.0', id, error }) : answered)
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
    garble: (...methods) => {
      garbled = new Set(methods)
    },
    bringTogether: (...methods) => {
      awaited = new Set(methods)
      together = Promise.withResolvers()
    },
    lie: (method, result) => void lies.set(method, result),
    restore: () => {
      blocked = new Set()
      lossy = new Set()
      garbled = new Set()
      lies.clear()
      awaited = new Set()
      together.resolve()
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
