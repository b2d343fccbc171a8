import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterTools } from '../../../cluster/index.ts'
import { open } from '../../../core/index.ts'
import { anyPlace, playInto, script } from '../../core/history-script.ts'
import { histories } from '../../histories.ts'
import { expectEqualHistory } from '../expect-equal.ts'
import { exported, openPair } from '../pair.ts'
import { newName, openTestCluster, servers } from '../test-cluster.ts'
import { startStore, storeKinds, type TestStore } from './stores.ts'

/** The same histories each time: test/cluster/equal-answers.test.ts looks for new ones. */
const seed = Number(process.env.ASOF_TEST_SEED ?? 1)

describe.skipIf(!servers).each(storeKinds)(`a cluster with bodies in a store of kind %s (seed ${seed})`, kind => {
  let store: TestStore
  beforeAll(async () => {
    store = await startStore(kind)
  })
  afterAll(() => store?.stop())

  it('answers as an engine on one machine does as of every instant, also after a purge', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(anyPlace, { minLength: 1, maxLength: 2 }), async (steps, places) => {
        // Without a cache all bodies are read from the store, each time.
        const pair = await openPair(1, { objects: store.url, cacheBytes: 0 })
        const { cluster } = pair
        try {
          await expectEqualHistory(pair, { steps, places, partSizes: [1, 1000] })
          expect(cluster.proofs.uncertain).toBe(0)
        } finally {
          await pair.close()
        }
      }),
      { seed, numRuns: Math.min(3, histories) },
    )
  })

  it('takes the index of a folder, and gives it back', async () => {
    const [steps] = fc.sample(script, { seed, numRuns: 1 })
    const root = await mkdtemp(join(tmpdir(), 'asof-moving-'))
    const setup = { ...servers!, name: newName(), objects: store.url }
    let clock = 0
    const now = (): number => clock
    try {
      const first = await open(join(root, 'first'), { now, searchThreads: 0 })
      await playInto(first, steps!, at => {
        clock = at
      })
      await first.close()
      await clusterTools(setup).load(join(root, 'first'))
      await clusterTools(setup).save(join(root, 'second'))
      const local = await open(join(root, 'first'), { now, searchThreads: 0 })
      const second = await open(join(root, 'second'), { now, searchThreads: 0 })
      const cluster = await openTestCluster({ ...setup, now })
      for (const moved of [cluster, second]) expect(await exported(moved, 50)).toEqual(await exported(local, 50))
      for (const engine of [local, second, cluster]) await engine.close()
    } finally {
      await rm(root, { recursive: true })
    }
  })
})
