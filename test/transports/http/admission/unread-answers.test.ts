import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'
import { UnreadAnswers } from '../../../../transports/http/admission/unread-answers.ts'
import type { HttpSettings } from '../../../../transports/http/index.ts'
import { query, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://a.example/long'
/** A page of 3 MB on the wire, the longest possible answer. */
const path = `/v1/fetch/public?${query({ url, max_chars: 2 ** 40, service_title: 'tests' })}`
const MIB = 2 ** 20

/** The index of all servers, because the page takes long to analyze. */
let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([{ url, title: 'Long', markdown: '水'.repeat(1_200_000), acquiredAt: '2025-01-01' }])
})
afterAll(() => engine.close())

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(unreadAnswers: NonNullable<HttpSettings['unreadAnswers']>): Promise<RunningServer> {
  const server = await startServer({ http: { unreadAnswers }, engine })
  closing.push(() => server.close())
  return server
}

/** A connection that sends requests at once and never reads. */
async function unread(server: RunningServer, localAddress: string, requests: number, bytes = getBytes(path)) {
  const accepted = once(server.listener, 'connection') as Promise<[Socket]>
  const client = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', localAddress })
  client.on('error', () => {})
  closing.push(() => client.destroy())
  client.write(bytes.repeat(requests))
  const [socket] = await accepted
  const state = { client, isClosed: false }
  socket.once('close', () => {
    state.isClosed = true
  })
  return state
}

const getBytes = (target: string) => `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

/** The status of a request whose answer is read at once. */
async function read(server: RunningServer, localAddress: string, target = path): Promise<number> {
  const asked = request(`${server.url}${target}`, { localAddress, agent: false }).end()
  const [response] = await once(asked, 'response')
  await text(response)
  return response.statusCode
}

const small = '/v1/suggest?q=long'

describe('unread answers', () => {
  it('are cut off after their time, while those of others are not', async () => {
    const server = await start({ readMs: 100, readBytesPerSecond: 1e9 })
    const idle = await unread(server, '127.0.0.2', 8)
    await expect.poll(() => idle.isClosed).toBe(true)
    expect(await read(server, '127.0.0.3')).toBe(200)
  })

  it('are kept as long as a slow client needs for their bytes', async () => {
    const server = await start({ readMs: 1, readBytesPerSecond: 1_000 })
    const slow = await unread(server, '127.0.0.2', 4)
    expect(await read(server, '127.0.0.3')).toBe(200)
    expect(slow.isClosed).toBe(false)
  })

  it('make the server refuse new requests of their client only', async () => {
    const server = await start({ refusedFromBytes: 8 * MIB, clientBytes: 64 * MIB })
    const { client } = await unread(server, '127.0.0.2', 12)
    await expect.poll(() => read(server, '127.0.0.2', small)).toBe(503)
    expect(await read(server, '127.0.0.3', small)).toBe(200)
    expect(await read(server, '127.0.0.3')).toBe(200)
    client.destroy()
    await expect.poll(() => read(server, '127.0.0.2', small)).toBe(200)
  })

  it('are cut off, oldest first, if their client has too many bytes', async () => {
    const server = await start({ refusedFromBytes: 100 * MIB, clientBytes: 40 * MIB })
    const first = await unread(server, '127.0.0.2', 10)
    const second = await unread(server, '127.0.0.2', 10)
    await expect.poll(() => first.isClosed).toBe(true)
    expect(await read(server, '127.0.0.3')).toBe(200)
    expect(second.isClosed).toBe(false)
  })

  it('of the client with the most bytes are cut off if all clients together have too many', async () => {
    const server = await start({ refusedFromBytes: 100 * MIB, clientBytes: 100 * MIB, totalBytes: 40 * MIB })
    const most = await unread(server, '127.0.0.2', 16)
    const least = await unread(server, '127.0.0.3', 5)
    await expect.poll(() => most.isClosed).toBe(true)
    expect(await read(server, '127.0.0.4')).toBe(200)
    expect(least.isClosed).toBe(false)
  })

  it('of tools count too', async () => {
    const server = await start({ refusedFromBytes: 8 * MIB, clientBytes: 100 * MIB })
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fetch_page_content', arguments: { url, max_chars: 1_000_000 } },
    })
    const headers = [
      'POST /mcp HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(call)}`,
    ]
    await unread(server, '127.0.0.2', 8, `${headers.join('\r\n')}\r\n\r\n${call}`)
    await expect.poll(() => read(server, '127.0.0.2', small)).toBe(503)
    expect(await read(server, '127.0.0.3', small)).toBe(200)
  })

  it('do not count after they were read', async () => {
    const server = await start({ refusedFromBytes: 4 * MIB, clientBytes: 4 * MIB })
    for (let i = 0; i < 6; i++) expect(await read(server, '127.0.0.2')).toBe(200)
  })

  it('close a connection with more than 64 unfinished requests', async () => {
    const server = await start({ clientBytes: 1_000 * MIB, totalBytes: 1_000 * MIB, refusedFromBytes: 1_000 * MIB })
    const many = await unread(server, '127.0.0.2', 64)
    expect(await read(server, '127.0.0.3')).toBe(200)
    expect(many.isClosed).toBe(false)
    const tooMany = await unread(server, '127.0.0.2', 65)
    await expect.poll(() => tooMany.isClosed).toBe(true)
  })
})

describe('settings of unread answers', () => {
  it.each([{ readMs: 0 }, { totalBytes: Number.NaN }, { clientbytes: 1 }])('reject %j', limits => {
    expect(() => new UnreadAnswers(limits as object)).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_OPTION' }))
  })
})

describe('content of a page', () => {
  let server: RunningServer
  beforeAll(async () => {
    const captures = [{ url, title: 'Long', markdown: '🚢'.repeat(1_000_001), acquiredAt: '2025-01-01T00:00:00.000Z' }]
    server = await startServer({ captures })
  })
  afterAll(() => server.close())

  it('has at most 1,000,000 characters, even if max_chars allows more', async () => {
    const { content } = (await (await fetch(`${server.url}${path}`)).json()) as { content: string }
    expect(content.length).toBe(2_000_000)
  })

  it('has the same limit in a memento', async () => {
    const response = await fetch(`${server.url}/memento/20250101000000000/${url}`)
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBe(2_000_000)
  })
})
