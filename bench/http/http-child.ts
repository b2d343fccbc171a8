/** The measured process of the suite `http`: an engine and the whole HTTP server. */
import { createServer as createBareServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { open, type SearchResult } from '@asof/core'
import { Access, type Plan } from '../../service/accounts/index.ts'
import { createService } from '../../service/index.ts'
import { store } from '../../store/index.ts'
import { createServer, listen, shutDown } from '../../transports/http/index.ts'
import { optionsOf, textOf } from '../engines/asof-question.ts'
import type { Question } from '../questions/question.ts'

export type ServerRequest =
  | { do: 'start' }
  | { do: 'bare' }
  | { do: 'socket' }
  | { do: 'customer'; rateLimit: number }
  | { do: 'agent' }
  | { do: 'ask'; question: Question }
  | { do: 'charged'; org: string }
  | { do: 'memory' }
  | { do: 'cpu' }
  | { do: 'stop' }

/** CPU time since the process began, in microseconds. */
export interface CpuTimes {
  process: number
  /** The share of the main thread, which handles requests; under load, searches run on other threads. */
  mainThread: number
}

export type ServerReply = { result: unknown } | { error: string }

const PLENTY = 1_000_000_000

const [, , folder = '', accessFolder = ''] = process.argv
const engine = await open(folder)
const access = await Access.open(accessFolder, { now: Date.now })
const service = createService(engine, () => Promise.reject(new Error('the bench fetches nothing live')))
const app = createServer(service, {
  access,
  engine,
  compression: false,
  keylessLimits: { perSecond: PLENTY, perHour: PLENTY },
  ways: store(),
})
const url = await listen(app, { host: '127.0.0.1', port: 0 })

async function act<Result>(name: Parameters<Access['administer']>[0], input: object): Promise<Result> {
  return (await access.administer(name, input, 'bench')) as Result
}

async function customer(rateLimit: number): Promise<{ org: string; key: string }> {
  const { id: org } = await act<{ id: string }>('org.create', {
    name: 'bench',
    rate_limit: rateLimit,
    allowance: PLENTY,
  })
  const { id: workspace } = await act<{ id: string }>('workspace.create', { name: 'bench', org })
  const { key } = await act<{ key: string }>('key.create', { workspace })
  return { org, key }
}

/** Registers an agent with a plan, and returns its token. */
async function agent(): Promise<string> {
  const registered = await access.registerAgent()
  const plan: Plan = {
    id: 'bench',
    title: 'bench',
    units: PLENTY,
    price_usd: '1.00',
    rate_per_second: PLENTY,
    kind: 'pack',
    services: ['search'],
  }
  await access.grantPlan('bench', registered.agent, plan, { method: 'operator', reference: 'bench' })
  return registered.token
}

/** Typical size of a result with a snippet in asof's JSON. */
const BYTES_PER_RESULT = 640

async function searchAt(path: string): Promise<SearchResult[]> {
  const { searchParams } = new URL(path, 'http://bare')
  const maxResults = Number(searchParams.get('max_results'))
  return (await engine.search(searchParams.get('query') ?? '', { mode: 'realtime', maxResults })).results
}

function listening(server: SocketServer): Promise<string> {
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

let socket: SocketServer | undefined

/** Serves the same search over a plain socket, without HTTP parsing or JSON: the cost of the system and the client alone. */
function listenSocket(): Promise<string> {
  socket = createSocketServer(connection => {
    connection.setNoDelay(true).on('data', async chunk => {
      const results = await searchAt(chunk.toString('latin1').split(' ', 2)[1]!)
      const body = 'x'.repeat(results.length * BYTES_PER_RESULT)
      connection.write(`HTTP/1.1 200 \r\ncontent-length: ${body.length}\r\n\r\n${body}`, 'latin1')
    })
  })
  return listening(socket)
}

let bare: Server | undefined

/** Serves the same search with Node's HTTP server in the same process: the least that an HTTP server costs. */
function listenBare(): Promise<string> {
  bare = createBareServer(async (request, response) => {
    const body = JSON.stringify(await searchAt(request.url ?? ''))
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(200, headers).end(body)
  })
  return listening(bare)
}

/** Returns the nanoseconds of one search. The process waits for the message as it waits for a request. */
async function ask(question: Question): Promise<number> {
  const startedMs = performance.now()
  await engine.search(textOf(question), optionsOf(question))
  return (performance.now() - startedMs) * 1e6
}

function cpuTimes(): CpuTimes {
  const sum = ({ user, system }: NodeJS.CpuUsage) => user + system
  return { process: sum(process.cpuUsage()), mainThread: sum(process.threadCpuUsage()) }
}

async function serve(request: ServerRequest): Promise<unknown> {
  switch (request.do) {
    case 'start':
      return { url }
    case 'bare':
      return { url: await listenBare() }
    case 'socket':
      return { url: await listenSocket() }
    case 'customer':
      return await customer(request.rateLimit)
    case 'agent':
      return await agent()
    case 'ask':
      return await ask(request.question)
    case 'charged':
      return (await act<{ credits_charged: number }>('usage.show', { org: request.org })).credits_charged
    case 'memory':
      return process.memoryUsage.rss()
    case 'cpu':
      return cpuTimes()
    case 'stop':
      bare?.close()
      socket?.close()
      await shutDown(app)
      await access.close()
      await engine.close()
      process.disconnect?.()
      return null
  }
}

process.on('message', async (request: ServerRequest) => {
  const reply: ServerReply = await serve(request).then(
    result => ({ result }),
    (error: Error) => ({ error: String(error.stack) }),
  )
  if (process.connected) process.send!(reply)
})
// The parent has ended.
process.once('disconnect', () => process.exit())
