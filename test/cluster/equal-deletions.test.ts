import { describe, expect, it } from 'vitest'
import { type BulkOptions, type Engine, isAsofError, type PageSelection } from '../../core/index.ts'
import { START_AT } from '../core/history-script.ts'
import { expectEqualSealedStats } from './expect-equal.ts'
import { expectEqualAnswer, exported, openPair } from './pair.ts'
import { servers } from './test-cluster.ts'

/** Pages of several sites with fields, aliases, later versions, and removals. More URLs than a cluster selects at a time. */
const observations = Array.from({ length: 700 }, (_, n) => {
  const url = `https://${n % 3 === 0 ? 'shop.' : ''}example.${n % 5 === 0 ? 'org' : 'com'}/${n % 600}`
  if (n % 11 === 0 && n > 600) return { url, removedAt: START_AT + n }
  return {
    url,
    text: `lamp ${n}`,
    acquiredAt: START_AT + n,
    fields: { price: n % 7, color: n % 2 === 0 ? 'red' : 'blue' },
    aliases: n % 9 ? undefined : [`https://alias.example/${n}`, `https://alias.example/${n % 50}`],
  }
})

const urls = (...names: string[]): PageSelection => ({ urls: names })
const deletions: ['removeAll' | 'purgeAll', PageSelection, BulkOptions][] = [
  ['removeAll', { site: 'shop.example.org' }, {}],
  ['removeAll', { prefix: 'https://example.com/2', filter: { price: { gt: 3 } } }, {}],
  ['purgeAll', { site: 'example.org', filter: { color: 'red' } }, {}],
  ['purgeAll', urls('https://alias.example/9', 'nowhere', 'https://example.com/7', 'https://example.com/7'), {}],
  ['removeAll', { site: 'example.com', filter: { price: 2 } }, { at: START_AT + 300 }],
  ['removeAll', urls('https://alias.example/18', 'https://example.com/13'), {}],
  ['purgeAll', { prefix: 'https://shop.example.com/' }, { at: START_AT + 200 }],
  ['purgeAll', { site: 'alias.example' }, {}],
  ['purgeAll', { site: 'example.com', filter: { not: { color: 'red' } } }, {}],
  ['purgeAll', { all: true }, {}],
]

const outcome = (engine: Engine, [method, selection, options]: (typeof deletions)[number]): Promise<unknown> =>
  engine[method](selection, options).catch((error: unknown) => {
    if (!isAsofError(error)) throw error
    return [error.code, error.message]
  })

/** All observations. The instants of removals that an engine stamped depend on what it read before. */
async function historyOf(engine: Engine): Promise<unknown[]> {
  const parts = await exported(engine, 1000)
  return parts
    .flatMap(({ observations }) => observations)
    .map(one => ('removedAt' in one && Number(one.removedAt) >= START_AT + 1000 ? { ...one, removedAt: 'now' } : one))
}

describe.skipIf(!servers)('bulk deletions of a cluster and of an engine on one machine', () => {
  it('find and delete the same pages, also in a dry run, and leave the same history', {
    timeout: 300_000,
  }, async () => {
    const pair = await openPair(1)
    const { cluster, local } = pair
    try {
      pair.setClock(START_AT + 1000)
      for (const engine of [cluster, local]) expect((await engine.add(observations)).failures).toEqual([])
      for (const deletion of deletions) {
        const [method, selection, options] = deletion
        pair.setClock(START_AT + 1000 + 20 * deletions.indexOf(deletion))
        const dry = [method, selection, { ...options, dryRun: true }] as typeof deletion
        const counted = await outcome(local, dry)
        expect(await outcome(cluster, dry)).toEqual(counted)
        const deleted = await outcome(local, deletion)
        expect(await outcome(cluster, deletion)).toEqual(deleted)
        expect(await historyOf(cluster)).toEqual(await historyOf(local))
        for (const queryTime of [START_AT + 250, START_AT + 900])
          await expectEqualAnswer(pair, 'lamp 77', { queryTime, mode: 'realtime' })
        await expectEqualSealedStats(pair, [START_AT + 20, START_AT + 250, START_AT + 900])
        const [{ captures, urls }, expected] = await Promise.all([cluster.stats(), local.stats()])
        expect({ captures, urls }).toEqual({ captures: expected.captures, urls: expected.urls })
      }
      expect((await local.stats()).captures).toBe(0)
    } finally {
      await pair.close()
    }
  })

  it('are refused for the same reasons', async () => {
    const pair = await openPair(1)
    const { cluster, local } = pair
    try {
      pair.setClock(START_AT + 1000)
      for (const engine of [cluster, local]) await engine.add(observations.slice(0, 10))
      for (const deletion of [
        ['removeAll', {}, {}],
        ['purgeAll', urls('https://example.com/1'), { at: START_AT }],
        ['removeAll', { filter: { price: 'red' } }, {}],
        ['purgeAll', { filter: { not: { prise: 3 } } }, {}],
        ['purgeAll', { filter: { not: { price: 99 } } }, {}],
        ['purgeAll', { site: 'com' }, {}],
        ['removeAll', { site: 'example.com' }, { at: START_AT + 5000 }],
      ] as typeof deletions) {
        const expected = await outcome(local, deletion)
        expect(expected).toMatchObject([expect.stringMatching(/^ASOF_INVALID/), expect.any(String)])
        expect(await outcome(cluster, deletion)).toEqual(expected)
      }
    } finally {
      await pair.close()
    }
  })

  it('stop between rounds, and the same call finishes the rest', async () => {
    const pair = await openPair(1)
    const { cluster } = pair
    try {
      pair.setClock(START_AT + 1000)
      await cluster.add(observations)
      const selection: PageSelection = { all: true }
      const all = (await cluster.purgeAll(selection, { dryRun: true })).pages
      const stop = new AbortController()
      const part = await cluster.purgeAll(selection, { signal: stop.signal, onProgress: () => stop.abort() })
      expect(part).toMatchObject({ finished: false })
      expect(part.pages).toBeGreaterThan(0)
      expect(part.pages).toBeLessThan(all)
      expect(await cluster.purgeAll(selection)).toMatchObject({ finished: true, pages: all - part.pages })
      expect((await cluster.purgeAll(selection)).pages).toBe(0)
    } finally {
      await pair.close()
    }
  })
})
