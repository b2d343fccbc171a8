/**
 * The web servers of the synthetic web, one port per host, in a process of their own. The process sends its observations to its
 * parent.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SyntheticWeb, type WebShape } from './crawl-web.ts'

/** What the web servers observed during one crawl. */
export interface OriginFigures {
  requests: number
  /** Number of different pages that were served with status 200. */
  served: number
  /** Number of requests for traps, which a crawler does not need. */
  trapped: number
  /** Maximum number of concurrent requests to one host. */
  mostAtOnce: number
  /** Pauses between two requests to a host in ms: the minimum, then the 1st, 10th and 50th percentile. */
  pausesMs: number[]
}

const web = new SyntheticWeb(JSON.parse(process.argv[2]!) as WebShape)
const origins: string[] = []
const origin = (host: number) => origins[host]!
let figures = { requests: 0, trapped: 0, mostAtOnce: 0 }
let served = new Set<number>()
let failed = new Set<number>()
let pauses: number[] = []
const lastEndMs: number[] = []
const inFlight: number[] = []

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
    const concurrent = (inFlight[host] ?? 0) + 1
    inFlight[host] = concurrent
    figures.mostAtOnce = Math.max(figures.mostAtOnce, concurrent)
    const endedMs = lastEndMs[host]
    if (endedMs !== undefined) pauses.push(nowMs - endedMs)
    response.once('close', () => {
      inFlight[host]!--
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
