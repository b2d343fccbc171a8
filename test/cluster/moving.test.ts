import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../cluster/index.ts'
import { type Engine, open } from '../../core/index.ts'
import {
  aliases,
  anyPlace,
  momentIn,
  playInto,
  questions,
  type Step,
  script,
  withoutFirstUrl,
} from '../core/history-script.ts'
import { conceptEmbedder } from '../core/models/concept-embedder.ts'
import { histories, seed } from '../histories.ts'
import { expectEqualAnswer, exported } from './pair.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

async function expectEqual(moved: Engine, local: Engine, steps: readonly Step[], instants: readonly number[]) {
  const pair = { cluster: moved, local }
  const urls = new Set(steps.flatMap(step => (step.kind === 'add' ? step.captures.map(({ url }) => url) : [step.url])))
  for (const queryTime of instants) {
    for (const { query, options } of questions) await expectEqualAnswer(pair, query, { ...options, queryTime })
    for (const url of [...urls, ...aliases]) {
      expect(await moved.page(url, { queryTime })).toEqual(await local.page(url, { queryTime }))
      expect(await moved.history(url, { queryTime })).toEqual(await local.history(url, { queryTime }))
    }
  }
  expect(await exported(moved, 7)).toEqual(await exported(local, 7))
  const { captures, urls: count, oldest, newest, vectors } = await local.stats()
  expect(await moved.stats()).toMatchObject({ captures, urls: count, oldest, newest, vectors })
  expect(await moved.relevance()).toEqual(await local.relevance())
}

describe.skipIf(!servers)(`an index that is moved (seed ${seed})`, () => {
  it('answers in a cluster, and back in a folder, as before, as of every instant', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(anyPlace, { minLength: 1, maxLength: 2 }), async (steps, places) => {
        const root = await mkdtemp(join(tmpdir(), 'asof-moving-'))
        const name = newName()
        let clock = 0
        const now = () => clock
        try {
          const embed = conceptEmbedder()
          const first = await open(join(root, 'first'), { now, searchThreads: 0, embed })
          await playInto(first, steps, at => {
            clock = at
          })
          await first.setRelevance({ weights: { title: 2 } })
          const { victim } = withoutFirstUrl(steps)
          await first.purge(victim)
          await first.close()
          const report = await clusterTools({ ...servers!, name, shards: 2 }).load(join(root, 'first'))
          await clusterTools({ ...servers!, name }).save(join(root, 'second'))
          const local = await open(join(root, 'first'), { now, searchThreads: 0, embed })
          const cluster = await openTestCluster({ name, now, embed })
          const second = await open(join(root, 'second'), { now, searchThreads: 0, embed })
          try {
            expect(report).toMatchObject({ captures: (await local.stats()).captures, finished: true })
            const instants = places.map(place => momentIn(steps, place))
            await expectEqual(cluster, local, steps, instants)
            await expectEqual(second, local, steps, instants)
            // They go on as one index.
            clock += 1_000
            const more = [{ url: 'https://example.com/new', text: 'time travel', title: 'time' }]
            for (const engine of [cluster, second, local]) expect(await engine.add(more)).toMatchObject({ added: 1 })
            await expectEqual(cluster, local, steps, [clock])
            await expectEqual(second, local, steps, [clock])
          } finally {
            await Promise.all([local, cluster, second].map(engine => engine.close()))
          }
        } finally {
          await fetch(`${anyNode()}/${name}-*`, { method: 'DELETE' })
          await rm(root, { recursive: true, force: true })
        }
      }),
      { seed, numRuns: histories },
    )
  })

  it('can be stopped and moved on, without loss and without doubles', async () => {
    const root = await mkdtemp(join(tmpdir(), 'asof-moving-'))
    const name = newName()
    const dir = join(root, 'first')
    try {
      const local = await open(dir)
      const pages = Array.from({ length: 1_300 }, (_, n) => ({ url: `https://example.com/${n}`, text: `lamp ${n}` }))
      await local.add(pages)
      await local.close()
      const stopping = new AbortController()
      const options = { signal: stopping.signal, onProgress: () => stopping.abort() }
      const place = { ...servers!, name }
      const half = await clusterTools(place).load(dir, options)
      expect(half).toMatchObject({ captures: 500, finished: false })
      expect(await clusterTools(place).load(dir)).toMatchObject({ captures: 1_300, finished: true })
      await expect(clusterTools(place).load(dir)).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
      const again = new AbortController()
      const back = join(root, 'second')
      const begun = await clusterTools(place).save(back, { signal: again.signal, onProgress: () => again.abort() })
      expect(begun.finished).toBe(false)
      await expect(open(back, { create: false })).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
      expect(await clusterTools(place).save(back)).toMatchObject({ captures: 1_300, finished: true })
      await expect(clusterTools(place).save(back)).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
      const second = await open(back, { create: false })
      expect((await second.search('lamp 1299')).results[0]).toMatchObject({ url: 'https://example.com/1299' })
      await second.close()
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })

  it('keeps the counts of an index whose pages were all purged', async () => {
    const root = await mkdtemp(join(tmpdir(), 'asof-moving-'))
    const name = newName()
    const dir = join(root, 'first')
    const url = 'https://example.com/gone'
    try {
      const local = await open(dir)
      await local.add([{ url, text: 'lamp' }])
      await local.purge(url)
      const { receipt } = await local.search('lamp')
      expect(receipt).toMatchObject({ captures: 0, purged: 1 })
      await local.close()
      await clusterTools({ ...servers!, name }).load(dir)
      const cluster = await openTestCluster({ name })
      expect((await cluster.search('lamp')).receipt).toMatchObject({ captures: 0, purged: 1 })
      await cluster.close()
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
})
