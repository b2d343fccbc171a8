import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ClusterEngine } from '../../cluster/index.ts'
import { isAsofError } from '../../core/index.ts'
import { type ProxyMode, startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

const START_AT = Date.UTC(2024, 0, 1)
const answerOf = (status: string): ProxyMode => ({
  answer: `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
})
/** Longest time that a call may take that fails because a server does not answer, milliseconds. */
const BOUND_MS = 120_000

async function proxyOf(url: string): Promise<{ proxy: TcpProxy; url: string }> {
  const target = new URL(url)
  const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
  target.port = String(proxy.port)
  return { proxy, url: target.href.replace(/\/$/, '') }
}

/** The code of the error of a call. Fails if there is none, if the error has no code, or if it comes late. */
async function codeOf(call: () => Promise<unknown>): Promise<string> {
  const started = performance.now()
  const error = await call().then(
    answer => expect.unreachable(`answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!isAsofError(error)) throw error
  expect(performance.now() - started).toBeLessThan(BOUND_MS)
  return error.code
}

describe.skipIf(!servers)('a server of a cluster', () => {
  let clock: number
  let name: string
  /** A server that reaches everything. */
  let sound: ClusterEngine
  /** A server before whose OpenSearch and PostgreSQL there is a proxy each. */
  let cutOff: ClusterEngine
  let search: TcpProxy
  let database: TcpProxy

  beforeEach(async () => {
    clock = START_AT
    name = newName()
    const now = (): number => clock
    sound = await openTestCluster({ name, now })
    const [toSearch, toDatabase] = [await proxyOf(anyNode()), await proxyOf(servers!.database)]
    search = toSearch.proxy
    database = toDatabase.proxy
    cutOff = await openTestCluster({ name, now, search: toSearch.url, database: toDatabase.url })
  })

  afterEach(async () => {
    search.mode = 'cut'
    database.mode = 'cut'
    await Promise.all([sound.close(), cutOff.close(), search.close(), database.close()])
  })

  const page = (n: number, text = `river ${n}`) => ({ url: `https://example.com/${n}`, text })

  it.each<[string, ProxyMode]>([
    ['cuts connections', 'cut'],
    ['is too busy (429)', answerOf('429 Too Many Requests')],
    ['is unavailable (503)', answerOf('503 Service Unavailable')],
    ['answers nonsense', answerOf('200 OK')],
    ['never answers', 'stall'],
  ])('refuses in bounded time while OpenSearch %s, and loses nothing that it has decided', async (_, mode) => {
    await cutOff.add([page(1)])
    search.mode = mode
    const [searched, counted] = await Promise.all([
      codeOf(() => cutOff.search('river', { queryTime: START_AT })),
      codeOf(() => cutOff.stats()),
    ])
    expect(['ASOF_SEARCH_FAILED', 'ASOF_UNCERTAIN']).toContain(searched)
    expect(counted).toBe('ASOF_SEARCH_FAILED')
    // Pages are read without it.
    expect(await cutOff.page(page(1).url)).toMatchObject({ markdown: 'river 1' })
    clock += 10
    expect(await codeOf(() => cutOff.add([page(2)]))).toBe('ASOF_STORE_WRITE')
    search.mode = 'pass'
    const { results } = await cutOff.search('river', { queryTime: clock })
    expect(results.map(({ url }) => url).sort()).toEqual([page(1).url, page(2).url])
  })

  it.each<[string, ProxyMode]>([
    ['cuts connections', 'cut'],
    ['never answers', 'stall'],
  ])('refuses in bounded time while PostgreSQL %s, and works again later', async (_, mode) => {
    await cutOff.add([page(1)])
    database.mode = mode
    const calls: [string, () => Promise<unknown>][] = [
      ['ASOF_STORE_READ', () => cutOff.search('river')],
      ['ASOF_STORE_READ', () => cutOff.page(page(1).url)],
      ['ASOF_STORE_READ', () => cutOff.history(page(1).url)],
      ['ASOF_STORE_READ', () => cutOff.stats()],
      ['ASOF_STORE_READ', () => cutOff.add([page(2)])],
      ['ASOF_STORE_WRITE', () => cutOff.purge(page(1).url)],
      ['ASOF_STORE_WRITE', () => cutOff.markSeen(page(1).url)],
    ]
    const codes = await Promise.all(calls.map(([, call]) => codeOf(call)))
    expect(codes).toEqual(calls.map(([code]) => code))
    database.mode = 'pass'
    clock += 10
    expect(await cutOff.add([page(3)])).toMatchObject({ added: 1 })
    expect((await cutOff.search('river')).results).toHaveLength(2)
  })

  it('that is cut off in the middle of a change does not hold the others up for long', async () => {
    await sound.add([page(1)])
    // Whatever it has begun, it says no more.
    const calls = Array.from({ length: 20 }, (_, n) => cutOff.purge(page(n + 50).url).catch(() => {}))
    database.mode = 'stall'
    clock += 10
    const started = performance.now()
    expect(await sound.add([page(2)])).toMatchObject({ added: 1 })
    expect(performance.now() - started).toBeLessThan(BOUND_MS)
    expect((await sound.search('river')).results).toHaveLength(2)
    await Promise.all(calls)
  })

  it('sees what it added, also while a change of the same instant of another server is not finished', async () => {
    expect(await sound.add([page(1)])).toMatchObject({ added: 1 })
    search.mode = 'cut'
    expect(await codeOf(() => cutOff.add([page(2)]))).toBe('ASOF_STORE_WRITE')
    expect(await sound.page(page(1).url)).toMatchObject({ markdown: 'river 1' })
    expect((await sound.search('river 1')).results[0]).toMatchObject({ url: page(1).url })
  })

  it('sees new metadata that it added after another server left a change unfinished', async () => {
    await sound.add([{ ...page(1), title: 'before' }])
    search.mode = 'cut'
    clock += 10
    expect(await codeOf(() => cutOff.add([page(2)]))).toBe('ASOF_STORE_WRITE')
    clock += 10
    expect(await sound.add([{ ...page(1), title: 'before', author: 'Stone' }])).toMatchObject({ revised: 1 })
    expect(await sound.page(page(1).url)).toMatchObject({ author: 'Stone' })
  })
})
