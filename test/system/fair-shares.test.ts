import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../core/index.ts'
import { LiveReader } from '../../service/data-folder/live-reader.ts'
import { createService } from '../../service/index.ts'
import { createServer, listen } from '../../transports/http/index.ts'
import { noLimits, query, startTarget } from '../transports/http/running-server.ts'
import { slowDocument } from './slow-document.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Starts the server of `asof serve`. @param keylessLimits - default: no limits, as if the attacker had a key. */
async function start(captures: CaptureInput[], keylessLimits = noLimits): Promise<{ url: string; engine: Engine }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-fair-'))
  closing.push(() => rm(dir, { recursive: true, force: true }))
  const engine = await open(dir)
  closing.push(() => engine.close())
  await engine.add(captures)
  const live = new LiveReader({ engine, now: Date.now, allowPrivate: true, onNotice: () => {} })
  closing.push(() => live.close())
  const service = createService(engine, live.read, { checkLiveUrl: live.checkUrl })
  const app = createServer(service, { engine, keylessLimits })
  closing.push(() => app.close())
  return { url: await listen(app, { host: '127.0.0.1', port: 0 }), engine }
}

interface Timed {
  status: number
  ms: number
}

/** Sends a request from one of the loopback addresses, on a new connection. */
async function ask(url: string, localAddress: string, signal?: AbortSignal): Promise<Timed> {
  const began = performance.now()
  const asked = request(url, { localAddress, agent: false, headers: { 'X-Service-Title': 'tests' }, signal }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await json(response)
  return { status: response.statusCode!, ms: performance.now() - began }
}

/** Sends requests from its own address until the signal aborts or the attack ends. */
function attack(url: string, localAddress: string, signal: AbortSignal): Promise<void> {
  const again = async () => {
    while (!signal.aborted) await ask(url, localAddress, signal).catch(() => undefined)
  }
  return again()
}

const quantile = (times: readonly Timed[], share: number): number =>
  times.map(({ ms }) => ms).sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!

/** Time limit of a quick request on a busy machine. Without a defense, an attack makes it take far longer. */
const QUICK_MS = 8_000

it('eight documents of one client that never finish extraction do not delay live fetches of others', async () => {
  const target = await startTarget((asked, response) => {
    if (asked.url === '/slow.pdf') response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(slowDocument())
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Lamp</title><p>A lamp of brass.</p>')
  })
  closing.push(() => target.close())
  const { url } = await start([])
  const live = (page: string) => `${url}/v1/fetch/public?${query({ url: `${target.url}/${page}`, live: true })}`
  const ended = new AbortController()
  const attackers = Array.from({ length: 8 }, () => attack(live('slow.pdf'), '127.0.0.2', ended.signal))
  // The extraction of the first one has started.
  await new Promise(resolve => setTimeout(resolve, 2_000))
  const honest: Timed[] = []
  for (let i = 0; i < 12; i++) honest.push(await ask(live('page'), `127.0.0.${3 + (i % 4)}`))
  ended.abort()
  await Promise.all(attackers)
  expect(honest.map(({ status }) => status)).toEqual(honest.map(() => 200))
  console.log(`honest live fetches beside slow documents: ${times(honest)}`)
  expect(quantile(honest, 0.99)).toBeLessThan(QUICK_MS)
})

const times = (all: readonly Timed[]) =>
  `p50 ${Math.round(quantile(all, 0.5))} ms, p99 ${Math.round(quantile(all, 0.99))} ms`

const words = Array.from({ length: 400 }, (_, i) => `w${(i * 7919).toString(36)}`)

/** Creates pages that contain most of the words, so that a query of many words is expensive. */
function wordyPages(count: number): CaptureInput[] {
  return Array.from({ length: count }, (_, page) => ({
    url: `https://a.example/${page}`,
    title: `Page ${page}`,
    text: words.filter((_, word) => (word * 31 + page * 17) % 10 < 7).join(' '),
  }))
}

it('long queries of one client do not delay searches of others', async () => {
  const { url } = await start(wordyPages(4_000))
  const search = (text: string) => `${url}/v1/search/public?${query({ query: text, max_results: 5 })}`
  const ended = new AbortController()
  const heavy = Array.from({ length: 100 }, (_, i) =>
    search([...words.slice(i, 370), ...words.slice(0, i)].join(' ').slice(0, 2_000)),
  )
  const alone = await ask(heavy[0]!, '127.0.0.3')
  const attackers = heavy.map(each => attack(each, '127.0.0.2', ended.signal))
  await ask(heavy[1]!, '127.0.0.2')
  const greedy = ask(heavy[2]!, '127.0.0.2')
  const honest: Timed[] = []
  for (let i = 0; i < 40; i++) honest.push(await ask(search(words[i]!), `127.0.0.${3 + (i % 4)}`))
  const beside = await greedy
  ended.abort()
  await Promise.all(attackers)
  expect(honest.map(({ status }) => status)).toEqual(honest.map(() => 200))
  const waited = `the attacker waits ${Math.round(beside.ms)} ms for a query that takes ${Math.round(alone.ms)} ms alone`
  console.log(`honest searches beside long queries: ${times(honest)}; ${waited}`)
  expect(quantile(honest, 0.5)).toBeLessThan(beside.ms / 4)
  expect(quantile(honest, 0.99)).toBeLessThan(QUICK_MS)
})

/** In this time the attacker requests 2 GB of answers. */
const ATTACK_MS = 15_000
/** 64 MiB of answers, their copies in the kernel and the heap, and the memory for processing their pages. */
const MAX_GROWN_MIB = 500

it('answers that one client does not read stay within their memory limit and do not delay searches of others', async () => {
  const page = 'https://a.example/long'
  const limits = { perSecond: 50, perHour: 1_000_000 }
  const { url } = await start(
    [{ url: page, title: 'Long', markdown: '水'.repeat(1_200_000) }, ...wordyPages(100)],
    limits,
  )
  const long = `/v1/fetch/public?${query({ url: page, max_chars: 2 ** 40, service_title: 'tests' })}`
  const before = process.memoryUsage().rss
  let most = before
  const sockets = new Set<Socket>()
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  const leaveUnread = () => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: '127.0.0.2' })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.write(`GET ${long} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(5))
    sockets.add(socket)
  }
  const honest: Timed[] = []
  for (const began = performance.now(); performance.now() - began < ATTACK_MS; ) {
    for (let i = 0; i < 4; i++) leaveUnread()
    for (let i = 0; i < 5; i++) {
      const text = words[honest.length % words.length]
      honest.push(await ask(`${url}/v1/search/public?${query({ query: text })}`, `127.0.0.${3 + i}`))
    }
    most = Math.max(most, process.memoryUsage().rss)
    // Ten searches a second of each honest client, which is below the limit however fast the machine is.
    await pause(100)
  }
  expect(honest.filter(({ status }) => status !== 200)).toEqual([])
  const grown = Math.round((most - before) / 2 ** 20)
  console.log(`honest searches beside unread answers: ${times(honest)}; memory grew by ${grown} MiB`)
  expect(quantile(honest, 0.99)).toBeLessThan(QUICK_MS)
  expect(grown).toBeLessThan(MAX_GROWN_MIB)
})
