/** The origin of the synthetic web, a process of its own: one port a host. Tells its parent what it saw. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SyntheticWeb, type WebShape } from './crawl-web.ts'

export interface OriginFigures {
  requests: number
  /** Pages that were served with their content, each once. */
  served: number
  /** Requests for traps: what no crawler need ask for. */
  trapped: number
  /** The most requests that one host had under way at a time. */
  mostAtOnce: number
  /** Pauses between two requests to a host, ms, at the quantiles 0, 1, 10 and 50 %. */
  pausesMs: number[]
}

const web = new SyntheticWeb(JSON.parse(process.argv[2]) as WebShape)
const origins: string[] = []
const origin = (host: number) => origins[host]
let figures = { requests: 0, trapped: 0, mostAtOnce: 0 }
let served = new Set<number>()
let failed = new Set<number>()
let pauses: number[] = []
const lastEndMs: number[] = []
const under: number[] = []

function answer(host: number, path: string, response: ServerResponse): void {
  const page = /^\/page\/(\d+)/.exec(path)?.[1]
  if (path === '/robots.txt') {
    response.writeHead(404).end()
    return
  }
  if (page === undefined || path.includes('?')) figures.trapped++
  const number = Number(page ?? host)
  if (page !== undefined && web.failsOnce(number) && !failed.has(number)) {
    failed.add(number)
    response.writeHead(503, { 'retry-after': '0' }).end()
  } else if (page !== undefined && (number >= web.shape.pages || web.isLost(number))) response.writeHead(404).end()
  else {
    if (page !== undefined) served.add(number)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(web.html(number, origin))
  }
}

for (let host = 0; host < web.shape.hosts; host++) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const nowMs = performance.now()
    const path = request.url ?? '/'
    figures.requests++
    under[host] = (under[host] ?? 0) + 1
    figures.mostAtOnce = Math.max(figures.mostAtOnce, under[host])
    if (lastEndMs[host] !== undefined) pauses.push(nowMs - lastEndMs[host])
    response.once('close', () => {
      under[host]--
      lastEndMs[host] = performance.now()
    })
    const delayMs = web.delayMs(Number(/\d+$/.exec(path)?.[0] ?? 0))
    if (delayMs > 0) setTimeout(() => answer(host, path, response), delayMs)
    else answer(host, path, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
process.send!({ origins })

process.on('message', () => {
  const sorted = pauses.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const seen: OriginFigures = { ...figures, served: served.size, pausesMs: [0, 0.01, 0.1, 0.5].map(at) }
  process.send!(seen)
  figures = { requests: 0, trapped: 0, mostAtOnce: 0 }
  served = new Set()
  failed = new Set()
  pauses = []
  lastEndMs.length = 0
})
process.once('disconnect', () => process.exit())
