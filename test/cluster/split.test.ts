import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ClusterEngine, openCluster } from '../../cluster/index.ts'
import { type Engine, isAsofError, open } from '../../core/index.ts'
import { canSplitNetworks, makeNetwork, type Network } from '../servers/network.ts'
import { type OpenSearchNodes, startOpenSearchNodes } from '../servers/opensearch.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startTcpProxy } from '../servers/tcp-proxy.ts'

/** `npm run test:cluster:split` sets this. It needs root, iproute2 and three nodes of OpenSearch. */
const isAsked = process.env.ASOF_TEST_SPLIT === '1'
const canSplit = isAsked && canSplitNetworks()
if (isAsked && !canSplit)
  console.warn('test/cluster: skipped: no namespaces here (needs root, and Debian\'s "iproute2")')

/** Longest time in which a server that is cut off must refuse, milliseconds. */
const BOUND_MS = 120_000
const START_AT = Date.UTC(2024, 0, 1)
const page = (n: number, text = `river ${n}`) => ({ url: `https://example.com/${n}`, text })

/** What became of a call of a server in another namespace. */
interface Became {
  answer?: { results?: { url: string }[]; added?: number }
  code?: string
  message?: string
  ms: number
}

/** Starts a server of the cluster in a namespace. */
async function startServer(
  command: readonly string[],
  options: object,
): Promise<{ call(call: string, ...args: unknown[]): Promise<Became>; stop(): Promise<void> }> {
  const words = [...command, process.execPath, join(import.meta.dirname, 'split-server.ts'), JSON.stringify(options)]
  const server = spawn(words[0]!, words.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Became> => JSON.parse(String((await lines.next()).value)) as Became
  await next()
  return {
    call(call, ...args) {
      server.stdin.write(`${JSON.stringify({ call, args })}\n`)
      return next()
    },
    async stop() {
      server.kill('SIGKILL')
      await ended
    },
  }
}

/** Repeats what fails with a typed error while the majority finds out that a node is gone. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + 400_000
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!isAsofError(error) || performance.now() > giveUpAt) throw error
      await sleep(500)
    }
}

interface Split {
  network: Network
  nodes: OpenSearchNodes
  majority: ClusterEngine
  local: Engine
  options: { search: string[]; database: string; shards: number; replicas: number }
  setClock: (now: number) => void
}

/** Three nodes in three namespaces; PostgreSQL and one server are where the majority is. */
async function withSplit(copies: { shards: number; replicas: number }, work: (split: Split) => Promise<void>) {
  const ends: (() => unknown)[] = []
  try {
    const network = makeNetwork(3)
    ends.push(() => network.remove())
    const { hosts } = network
    const nodes = await startOpenSearchNodes(3, {
      hosts: hosts.map(({ address }) => address),
      commands: hosts.map(({ command }) => command),
    })
    ends.push(() => nodes.stop())
    const postgres = await startPostgres()
    ends.push(() => postgres.stop())
    const url = new URL(postgres.url)
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) }, { host: network.address })
    ends.push(() => proxy.close())
    const folder = await mkdtemp(join(tmpdir(), 'asof-split-'))
    ends.push(() => rm(folder, { recursive: true }))
    let clock = START_AT
    const now = (): number => clock
    const local = await open(folder, { now, searchThreads: 0 })
    ends.push(() => local.close())
    const options = {
      search: nodes.nodes.map(node => node.url),
      database: `postgres://asof@${network.address}:${proxy.port}/postgres`,
      ...copies,
    }
    const majority = await openCluster({ ...options, search: options.search.slice(0, 2), database: postgres.url, now })
    ends.push(() => majority.close())
    const setClock = (at: number): void => {
      clock = at
    }
    await work({ network, nodes, majority, local, options, setClock })
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

describe.skipIf(!canSplit)('a cluster whose network splits', () => {
  it('refuses in bounded time on the side of the minority, goes on at the majority, and is equal after healing', () =>
    withSplit({ shards: 3, replicas: 1 }, async ({ network, nodes, majority, local, options, setClock }) => {
      const [minorityHost, minorityNode] = [network.hosts[2]!, options.search[2]!]
      const minority = await startServer(minorityHost.command, { ...options, search: minorityNode })
      try {
        const both = async (n: number): Promise<void> => {
          setClock(START_AT + n)
          expect(await untilDone(() => majority.add([page(n)]))).toMatchObject({ failures: [] })
          await local.add([page(n)])
        }
        for (let n = 0; n < 10; n++) await both(n)
        const before = await minority.call('search', 'river', { queryTime: START_AT + 9 })
        expect(before.answer?.results).toHaveLength(10)
        minorityHost.cut(true)
        const calls = [
          await minority.call('search', 'river', { queryTime: START_AT + 9 }),
          await minority.call('search', 'river'),
          await minority.call('page', page(1).url),
          await minority.call('add', [page(99)]),
        ]
        console.log(
          'the minority refused:',
          calls.map(({ code, ms }) => `${code} after ${Math.round(ms)} ms`).join(', '),
        )
        for (const { code, answer, ms } of calls) {
          expect(answer).toBeUndefined()
          expect(code).toMatch(/^ASOF_(STORE_READ|STORE_WRITE|SEARCH_FAILED|UNCERTAIN)$/)
          expect(ms).toBeLessThan(BOUND_MS)
        }
        const started = performance.now()
        for (let n = 10; n < 20; n++) await both(n)
        console.log(`the majority added 10 pages within ${Math.round(performance.now() - started)} ms of the split`)
        const whole = { queryTime: START_AT + 19, maxResults: 50 }
        const expected = (await local.search('river', whole)).results
        expect((await untilDone(() => majority.search('river', whole))).results).toEqual(expected)
        minorityHost.cut(false)
        await nodes.untilGreen()
        await expect
          .poll(async () => (await minority.call('search', 'river', whole)).answer?.results, { timeout: BOUND_MS })
          .toEqual(JSON.parse(JSON.stringify(expected)))
        expect((await minority.call('page', page(99).url)).answer).toBeNull()
      } finally {
        await minority.stop()
      }
    }))

  it('never answers from an old copy of the term index, though as many captures are in it', () =>
    withSplit({ shards: 1, replicas: 2 }, async ({ network, nodes, majority, local, options, setClock }) => {
      // This server reaches the database, and of the nodes only the one that is cut off from the others.
      const old = await openCluster({ ...options, search: options.search[2]! })
      try {
        for (let n = 0; n < 6; n++) {
          setClock(START_AT + n)
          for (const engine of [majority, local]) await engine.add([page(n)])
        }
        await nodes.untilGreen()
        const asked = { queryTime: START_AT + 5 }
        expect((await old.search('river', asked)).results).toHaveLength(6)
        for (const { address } of network.hosts.slice(0, 2)) network.hosts[2]!.cutFrom(address, true)
        // A page goes and another one comes, both in the past.
        await untilDone(() => majority.purge(page(2).url))
        const declared = { ...page(7, 'river stone'), acquiredAt: START_AT + 2 }
        await untilDone(() => majority.add([declared]))
        await local.purge(page(2).url)
        await local.add([declared])
        for (const query of ['river', 'stone', 'river stone']) {
          const { results } = await local.search(query, asked)
          expect((await untilDone(() => majority.search(query, asked))).results).toEqual(results)
          const answer = await old.search(query, asked).catch((error: unknown) => {
            if (isAsofError(error)) return error.code
            throw error
          })
          console.log(
            `the server at the old copy, asked for ${query}:`,
            typeof answer === 'string' ? answer : 'answered',
          )
          if (typeof answer !== 'string') expect(answer.results).toEqual(results)
        }
        for (const { address } of network.hosts.slice(0, 2)) network.hosts[2]!.cutFrom(address, false)
        await nodes.untilGreen()
        const { results } = await local.search('stone', asked)
        expect((await untilDone(() => old.search('stone', asked))).results).toEqual(results)
      } finally {
        await old.close()
      }
    }))
})
