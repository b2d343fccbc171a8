import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { momentIn, playInto, START_AT, script } from '../core/history-script.ts'
import { histories, seed } from '../histories.ts'
import { expectEqualSealedStats } from './expect-equal.ts'
import { expectEqualAnswer, exported, openPair, type Pair } from './pair.ts'
import { openTestCluster, servers } from './test-cluster.ts'

const RETAIN_MS = 40

/** Resolves when both have deleted what has expired. Each change starts a run of retention, unless one is running. */
async function expectExpired({ cluster, local }: Pair): Promise<void> {
  const history = async (engine: typeof local): Promise<unknown> => {
    await engine.purge('https://example.com/nowhere')
    const { receipt } = await engine.search('time', { mode: 'realtime' })
    return [await exported(engine, 1000), receipt.dropped, receipt.retainedSince]
  }
  await vi.waitFor(async () => expect(await history(cluster)).toEqual(await history(local)), 10_000)
}

describe.skipIf(!servers)(`retention of a cluster and of an engine on one machine (seed ${seed})`, () => {
  it('deletes the same versions, and answers alike after that', async () => {
    let dropped = 0
    await fc.assert(
      fc.asyncProperty(script, async steps => {
        const pair = await openPair(1)
        try {
          for (const engine of [pair.cluster, pair.local]) await playInto(engine, steps, pair.setClock)
          pair.setClock(START_AT + 10 * (steps.length + 5))
          // What is left depends on when retention runs between two changes, so it runs once at the end.
          await pair.reopen({ retain: RETAIN_MS })
          await expectExpired(pair)
          const { cluster, local } = pair
          for (const queryTime of [momentIn(steps, 3), momentIn(steps, 15), START_AT + 10 * steps.length + 1])
            for (const mode of ['realtime', 'pro'] as const) {
              await expectEqualAnswer(pair, 'time travel', { mode, queryTime })
              await expectEqualAnswer(pair, 'river', { mode, queryTime })
            }
          dropped += (await local.search('time')).receipt.dropped
          await expectEqualSealedStats(pair, [momentIn(steps, 3), momentIn(steps, 15)])
          const [{ captures, urls }, expected] = await Promise.all([cluster.stats(), local.stats()])
          expect({ captures, urls }).toEqual({ captures: expected.captures, urls: expected.urls })
        } finally {
          await pair.close()
        }
      }),
      // In one of sixteen histories, nothing expires.
      { seed, numRuns: Math.max(4, histories) },
    )
    expect(dropped).toBeGreaterThan(0)
  })

  it('changes no answer as of instants from which on it has kept all versions, scores included', async () => {
    const pair = await openPair(1)
    const texts = ['time travel', 'river of time', 'stone', 'light travel river', 'time and stone and light']
    const instants = Array.from({ length: 9 }, (_, n) => START_AT + 245 + 7 * n)
    const answers = async (): Promise<unknown[]> => {
      const all: unknown[] = []
      for (const queryTime of instants)
        for (const query of ['time travel', 'river -stone', '"of time"', 'tme lihgt'])
          for (const mode of ['realtime', 'pro'] as const) {
            await expectEqualAnswer(pair, query, { mode, queryTime })
            const { results, receipt } = await pair.cluster.search(query, { mode, queryTime })
            all.push([query, queryTime, results, receipt.captures])
          }
      return all
    }
    try {
      // Each page changes every 40 ms.
      for (let n = 0; n < 30; n++) {
        pair.setClock(START_AT + 10 * n)
        const page = { url: `https://example.com/${n % 4}`, text: `${texts[n % 5]} ${texts[(3 * n) % 5]} ${n % 7}` }
        for (const engine of [pair.cluster, pair.local]) expect((await engine.add([page])).failures).toEqual([])
      }
      pair.setClock(START_AT + 310)
      const before = await answers()
      await pair.reopen({ retain: 70 })
      await expectExpired(pair)
      const { receipt } = await pair.cluster.search('time')
      expect(receipt.dropped).toBeGreaterThan(15)
      expect(receipt.retainedSince).toBeGreaterThan(START_AT + 200)
      expect(receipt.retainedSince).toBeLessThanOrEqual(instants[0]!)
      expect(await answers()).toEqual(before)
    } finally {
      await pair.close()
    }
  })

  it('is refused if it is no duration', async () => {
    await expect(openTestCluster({ retain: 'soon' })).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
  })
})
