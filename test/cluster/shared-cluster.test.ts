import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

const START_AT = Date.UTC(2024, 0, 1)
const pages = Array.from({ length: 30 }, (_, n) => ({
  url: `https://example.com/${n}`,
  text: `river ${n % 2 === 0 ? 'stone' : 'light'} ${n}`,
  acquiredAt: START_AT + n,
}))

describe.skipIf(!servers)('the term index of a cluster', () => {
  it('that lacks a capture is refused, for every instant from that of the capture on', async () => {
    const name = newName()
    const cluster = await openTestCluster({ name })
    try {
      await cluster.add(pages)
      const lost = await fetch(`${anyNode()}/${name}/_delete_by_query?refresh=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: { term: { acquiredAt: START_AT + 10 } } }),
      })
      expect(await lost.json()).toMatchObject({ deleted: 1 })
      const early = await cluster.search('river', { queryTime: START_AT + 9 })
      expect(early.receipt.captures).toBe(10)
      for (const queryTime of [START_AT + 10, START_AT + 29, undefined])
        await expect(cluster.search('river', { queryTime })).rejects.toMatchObject({
          code: 'ASOF_UNCERTAIN',
          message: expect.stringMatching(/the term index has \d+ of \d+ captures/),
        })
      expect(cluster.proofs).toMatchObject({ proved: 1, uncertain: 3 })
      // Pages are read without it.
      expect(await cluster.page(pages[10]!.url)).toMatchObject({ acquiredAt: START_AT + 10 })
    } finally {
      await cluster.close()
    }
  })
})

describe.skipIf(!servers)('a copy of the term index', () => {
  it.each([1, 3])('that lacks a change is refused, though it has all captures (%d shards)', async shards => {
    const name = newName()
    const cluster = await openTestCluster({ name, shards })
    try {
      await cluster.add(pages.slice(0, 10))
      expect((await cluster.search('river')).results).toHaveLength(10)
      // One shard alone falls back by one change.
      const lagging = await fetch(`${anyNode()}/${name}/_update_by_query?refresh=true&max_docs=1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: { exists: { field: 'marker' } }, script: { source: 'ctx._source.marker -= 1' } }),
      })
      expect(await lagging.json()).toMatchObject({ updated: 1 })
      await expect(cluster.search('stone')).rejects.toMatchObject({
        code: 'ASOF_UNCERTAIN',
        message: expect.stringMatching(/lags behind/),
      })
      await cluster.add(pages.slice(10))
      expect((await cluster.search('river', { maxResults: 50 })).results).toHaveLength(30)
    } finally {
      await cluster.close()
    }
  })
})

describe.skipIf(!servers)('two servers of one cluster', () => {
  it('write and answer at once, and end with the index that one machine has', async () => {
    const name = newName()
    const [first, second] = await Promise.all([openTestCluster({ name }), openTestCluster({ name })])
    const folder = await mkdtemp(join(tmpdir(), 'asof-servers-'))
    const local = await open(folder, { searchThreads: 0 })
    try {
      // The same pages change again and again, each version declared, so the order of arrival does not show.
      const versions = Array.from({ length: 120 }, (_, n) => ({
        url: `https://example.com/${n % 17}`,
        text: `river ${n % 3 === 0 ? 'stone' : 'light'} version ${n}`,
        acquiredAt: START_AT + n * 10,
      }))
      const write = async (engine: typeof first, remainder: number): Promise<void> => {
        for (let n = remainder; n < versions.length; n += 2) await engine.add([versions[n]!])
      }
      const answers: { captures: number; results: unknown[] }[] = []
      let isWriting = true
      const ask = async (): Promise<void> => {
        while (isWriting) {
          const { receipt, results } = await second.search('river light').catch((error: { code?: string }) => {
            // History is declared all the time, so a search may give up.
            if (error.code === 'ASOF_UNCERTAIN') return { receipt: { captures: -1 }, results: [] }
            throw error
          })
          answers.push({ captures: receipt.captures, results })
        }
      }
      const asking = ask()
      await Promise.all([write(first, 0), write(second, 1)])
      isWriting = false
      await asking
      await local.add(versions)
      for (const queryTime of [300, 777, 1190].map(offset => START_AT + offset))
        for (const query of ['river light', '"river stone"', 'version 77']) {
          const expected = await local.search(query, { queryTime })
          for (const engine of [first, second])
            expect((await engine.search(query, { queryTime })).results).toEqual(expected.results)
        }
      for (const n of [0, 5, 16]) {
        const url = `https://example.com/${n}`
        expect(await first.history(url)).toEqual(await local.history(url))
      }
      expect(answers.length).toBeGreaterThan(0)
    } finally {
      await Promise.all([first.close(), second.close(), local.close()])
      await rm(folder, { recursive: true })
    }
  })
})

describe.skipIf(!servers)('a server that keeps what it read', () => {
  it('answers without what another one added, removed or purged only as of instants before it', async () => {
    const name = newName()
    let clock = START_AT + 1000
    const now = (): number => clock
    const [writer, reader] = await Promise.all([openTestCluster({ name, now }), openTestCluster({ name, now })])
    try {
      await writer.add(pages)
      const found = async (queryTime?: number): Promise<number[]> => {
        const options = { mode: 'realtime' as const, maxResults: 3, queryTime }
        const { results } = await reader.search('river 8', options)
        return results.map(({ url }) => Number(url.split('/').at(-1)))
      }
      const before = await found()
      expect(before[0]).toBe(8)
      expect(await found(clock)).toEqual(before)
      clock += 1000
      await writer.add([{ url: pages[8]!.url, text: 'nothing left' }])
      await writer.add([{ url: 'https://example.com/99', text: 'river 8 river 8' }])
      expect(await found()).toContain(99)
      expect(await found()).not.toContain(8)
      expect(await found(START_AT + 1000)).toEqual(before)
      await writer.purge(pages[8]!.url)
      expect(await found(START_AT + 1000)).not.toContain(8)
    } finally {
      await Promise.all([writer.close(), reader.close()])
    }
  })
})

describe.skipIf(!servers)('an export of a sealed cluster', () => {
  it('has what was known as of an instant, while others write', async () => {
    const cluster = await openTestCluster()
    const folder = await mkdtemp(join(tmpdir(), 'asof-export-'))
    const copy = await open(folder, { searchThreads: 0 })
    try {
      await cluster.add(pages)
      const at = START_AT + 12
      const sealed = cluster.sealed(at)
      let after: string | undefined
      do {
        const part = await sealed.export({ maxResults: 5, cursor: after })
        await copy.add(part.observations)
        after = part.next
        // What is added meanwhile is later than the seal.
        await cluster.add([{ url: 'https://example.com/late', text: 'river late' }])
      } while (after !== undefined)
      expect((await copy.stats()).captures).toBe(13)
      const [copied, original] = await Promise.all([copy, cluster].map(one => one.search('river', { queryTime: at })))
      expect(copied!.results).toEqual(original!.results)
    } finally {
      await Promise.all([cluster.close(), copy.close()])
      await rm(folder, { recursive: true })
    }
  })
})

describe.skipIf(!servers)('opening a cluster', () => {
  it('is refused if other rules made its answers, and if its name is none', async () => {
    const name = newName()
    await (await openTestCluster({ name })).close()
    await (await openTestCluster({ name })).close()
    const sql = postgres(servers!.database, { onnotice: () => {} })
    await sql`update ${sql(name)}.cluster_state set rules = '{"format":1,"analyzer":2,"ranking":1}'`
    await sql.end()
    await expect(openTestCluster({ name })).rejects.toMatchObject({ code: 'ASOF_STORE_FORMAT' })
    await expect(openTestCluster({ name: 'No"name' })).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
  })
})
