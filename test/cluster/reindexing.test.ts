import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClusterEngine, clusterTools } from '../../cluster/index.ts'
import { type Engine, isAsofError, open } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

/** Number of times that the builder is killed. */
const kills = casesOf(25)
const START_AT = Date.UTC(2024, 0, 1)
const queries = ['river stone', '"stone light"', 'winter -river', 'version 12', 'light time']
const words = ['river', 'stone', 'light', 'time', 'winter']

/** Versions of pages, each declared, so that the order of their arrival does not show. */
function versions(from: number, to: number) {
  return Array.from({ length: to - from }, (_, i) => {
    const n = from + i
    return {
      url: `https://example.com/${n % 67}`,
      title: `page ${words[n % 3]}`,
      text: `${words[n % 5]} ${words[(n * 3 + 1) % 5]} version ${n}`,
      acquiredAt: START_AT + n * 10,
    }
  })
}

describe.skipIf(!servers)('an index that is built again', () => {
  let options: { search: string | readonly string[]; database: string; name: string }
  let cluster: ClusterEngine
  let local: Engine
  let folder: string

  beforeEach(async () => {
    options = { ...servers!, name: newName() }
    folder = await mkdtemp(join(tmpdir(), 'asof-reindexing-'))
    cluster = await openTestCluster(options)
    local = await open(folder, { searchThreads: 0 })
  })

  afterEach(async () => {
    await cluster.close()
    await local.close()
    await rm(folder, { recursive: true })
    await fetch(`${anyNode()}/${options.name}-*`, { method: 'DELETE' })
  })

  async function expectEqual(engine: Engine, instants: readonly number[]): Promise<void> {
    for (const queryTime of instants)
      for (const query of queries) {
        const expected = await local.search(query, { queryTime })
        const { results, receipt } = await engine.search(query, { queryTime })
        expect(results).toEqual(expected.results)
        expect(receipt.captures).toBe(expected.receipt.captures)
      }
  }

  async function indices(): Promise<string[]> {
    const rows = await (await fetch(`${anyNode()}/_cat/indices/${options.name}-*?format=json`)).json()
    return (rows as { index: string }[]).map(({ index }) => index).sort()
  }

  async function namedByAlias(): Promise<string[]> {
    return Object.keys((await (await fetch(`${anyNode()}/_alias/${options.name}`)).json()) as object)
  }

  it('gives all answers that one machine gives, while servers write, delete and search, and when it has replaced the old one', async () => {
    await cluster.add(versions(0, 900))
    await local.add(versions(0, 900))
    const settled = START_AT + 9_000 - 1
    const second = await openTestCluster(options)
    const victims = Array.from({ length: 40 }, (_, n) => ({
      url: `https://example.com/victim/${n}`,
      text: `river stone victim ${n}`,
      acquiredAt: START_AT + n * 200 + 5,
    }))
    for (const engine of [cluster, local]) await engine.add(victims)
    try {
      let isBuilding = true
      let next = 900
      let searches = 0
      let compared = 0
      let pause = Promise.resolve()
      const write = async (engine: Engine): Promise<void> => {
        while (isBuilding) {
          await pause
          const from = next
          next += 3
          expect(await engine.add(versions(from, next))).toMatchObject({ failures: [] })
          // The local engine gets the same in another order.
          await local.add(versions(from, from + 3))
          const victim = engine === cluster ? victims.pop() : undefined
          if (victim) expect(await engine.purge(victim.url)).toBe(await local.purge(victim.url))
        }
      }
      const compare = async (): Promise<void> => {
        const query = queries[searches++ % queries.length]!
        const before = await local.search(query, { queryTime: settled })
        const answer = await second.search(query, { queryTime: settled }).catch((error: unknown) => {
          // History is declared all the time, so that a search may have to be refused.
          if (isAsofError(error, 'ASOF_UNCERTAIN')) return undefined
          throw error
        })
        const after = await local.search(query, { queryTime: settled })
        // Between the two, a page was purged.
        if (!answer || before.receipt.captures !== after.receipt.captures) return
        if (answer.receipt.captures !== before.receipt.captures) return
        expect(answer.results).toEqual(before.results)
        compared++
      }
      const search = async (): Promise<void> => {
        while (isBuilding) {
          // On a slow machine no answer could be compared if the writers never waited.
          const { promise, resolve } = Promise.withResolvers<void>()
          pause = promise
          for (const before = compared; isBuilding && compared === before; ) await compare()
          resolve()
          for (let n = 0; n < 3 && isBuilding; n++) await compare()
        }
      }
      const build = async (): Promise<void> => {
        try {
          for (const [n, shards] of [3, 1, 2].entries()) {
            const report = await clusterTools({ ...options, shards }).reindex()
            expect(report).toMatchObject({ index: `${options.name}-${n + 2}`, finished: true })
          }
        } finally {
          isBuilding = false
        }
      }
      await Promise.all([write(cluster), write(second), search(), build()])
      expect(compared).toBeGreaterThan(0)
      expect(victims.length).toBeLessThan(40)
      for (const engine of [cluster, second])
        await expectEqual(engine, [START_AT + 500, settled, START_AT + next * 5, START_AT + next * 10])
      expect(await indices()).toEqual([`${options.name}-4`])
      expect(await namedByAlias()).toEqual([`${options.name}-4`])
    } finally {
      await second.close()
    }
  })

  it(
    'continues after the builder was killed, however often, while others write',
    async () => {
      let next = 1_500
      await cluster.add(versions(0, next))
      await local.add(versions(0, next))
      const script = join(import.meta.dirname, 'reindex-builder.ts')
      let killed = 0
      let finished = 0
      for (let run = 0; killed < kills || finished === 0; run++) {
        const builder = spawn(process.execPath, [script, JSON.stringify({ ...options, shards: 2 })], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const ended = once(builder, 'exit')
        const isLast = killed >= kills
        const written = cluster.add(versions(next, next + 20))
        for await (const line of createInterface({ input: builder.stdout }))
          if (line === 'open' && !isLast) setTimeout(() => builder.kill('SIGKILL'), 100 + ((run * 373) % 1_700))
        const [code, signal] = await ended
        await written
        await local.add(versions(next, next + 20))
        next += 20
        if (signal === 'SIGKILL') killed++
        else {
          expect(code).toBe(0)
          finished++
        }
        await expectEqual(cluster, [START_AT + next * 10])
      }
      console.log(`${killed} kills, ${finished} indices built`)
      expect(await clusterTools(options).reindex()).toMatchObject({
        captures: (await local.stats()).captures,
        finished: true,
      })
      await expectEqual(cluster, [START_AT + 700, START_AT + next * 5, START_AT + next * 10])
      expect(await indices()).toHaveLength(1)
      expect(await namedByAlias()).toEqual(await indices())
    },
    120_000 + kills * 15_000,
  )

  it('stands in for one that is lost', async () => {
    await cluster.add(versions(0, 300))
    await local.add(versions(0, 300))
    await fetch(`${anyNode()}/${options.name}-1`, { method: 'DELETE' })
    const advice = { message: expect.stringMatching(/run asof cluster reindex/), statusCode: 503 }
    await expect(cluster.search('river')).rejects.toMatchObject({ code: 'ASOF_SEARCH_FAILED', ...advice })
    await expect(cluster.stats()).rejects.toMatchObject({ code: 'ASOF_SEARCH_FAILED', ...advice })
    // OpenSearch would create the index, with a mapping of its own.
    const { message } = advice
    await expect(cluster.add(versions(300, 302))).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE', message })
    const purged = 'https://example.com/5'
    await expect(cluster.purge(purged)).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE', message })
    expect(await indices()).toEqual([])
    await local.add(versions(300, 302))
    await local.purge(purged)
    const { captures } = await local.stats()
    expect(await clusterTools(options).reindex()).toMatchObject({ captures, finished: true })
    await expectEqual(cluster, [START_AT + 700, START_AT + 3_000, START_AT + 3_020])
    await cluster.add(versions(300, 310))
    await local.add(versions(300, 310))
    await expectEqual(cluster, [START_AT + 3_100])
  })

  it('can be stopped and continued, or abandoned', async () => {
    await cluster.add(versions(0, 600))
    await local.add(versions(0, 600))
    expect(await clusterTools(options).abandonReindex()).toEqual({ abandoned: false })
    const stopping = new AbortController()
    const stopped = await clusterTools(options).reindex({ signal: stopping.signal, onProgress: () => stopping.abort() })
    expect(stopped).toEqual({ captures: 250, index: `${options.name}-2`, finished: false })
    await cluster.add(versions(600, 610))
    expect(await indices()).toHaveLength(2)
    expect(await clusterTools(options).abandonReindex()).toEqual({ abandoned: true })
    expect(await indices()).toEqual([`${options.name}-1`])
    await cluster.add(versions(610, 620))
    await local.add(versions(600, 620))
    await expectEqual(cluster, [START_AT + 6_200])
    // No index gets a number that another one had.
    expect(await clusterTools(options).reindex()).toMatchObject({ index: `${options.name}-3`, captures: 620 })
    await expectEqual(cluster, [START_AT + 6_200])
  })
})
