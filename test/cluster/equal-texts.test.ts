import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../cluster/index.ts'
import type { CaptureInput, FieldValue, SearchOptions } from '../../core/index.ts'
import { START_AT } from '../core/history-script.ts'
import { seed } from '../histories.ts'
import { asked, expectEqualAnswer, openPair, type Pair } from './pair.ts'
import { randomNumbers } from './random-numbers.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

const PAGES = 400
const words = [
  'lamp',
  'lantern',
  'brass',
  'hall',
  'the',
  'light',
  'rivers',
  'stone',
  'GPUs',
  'plug-in',
  'walking',
  'chair',
]

/** Pages of which some have texts in one or more fields, one or several; others have keywords beside them, or no field. */
function pages(below: (end: number) => number, acquiredAt: (n: number) => number): CaptureInput[] {
  const text = (length: number): string => Array.from({ length }, () => words[below(words.length)]!).join(' ')
  const texts = () => Array.from({ length: 1 + below(3) }, () => ({ $text: text(1 + below(5)) }))
  return Array.from({ length: PAGES }, (_, n) => {
    const url = `https://h${below(5)}.example/${below(PAGES)}`
    const title = text(1 + below(3))
    const body = `${text(1 + below(20))} word${n}`
    const fields: Record<string, FieldValue> = {}
    if (below(3) > 0) fields.summary = { $text: text(1 + below(8)) }
    if (below(4) === 0) fields.notes = texts()
    if (below(2) === 0) {
      fields.color = words[below(4)]!
      fields.price = below(9)
    }
    return { url, title, text: body, acquiredAt: acquiredAt(n), fields }
  })
}

const questions: { query: string; options: SearchOptions }[] = [
  { query: 'lamp', options: {} },
  { query: 'brass lantern', options: { mode: 'realtime', maxResults: 40 } },
  { query: 'the hall', options: { mode: 'realtime', language: 'en' } },
  { query: 'stone river -chair', options: { maxResults: 3 } },
  { query: '"the hall"', options: { mode: 'realtime' } },
  { query: '"walk"', options: { mode: 'realtime' } },
  { query: '"rivers" lamp', options: { mode: 'realtime' } },
  { query: 'gpu plugin', options: { mode: 'realtime' } },
  { query: 'lantrn', options: { mode: 'realtime' } },
  { query: 'brass lan', options: { mode: 'realtime', typing: true } },
  { query: 'lamp hall', options: { weights: { title: 9, fields: { summary: 4, notes: 0 } }, mode: 'realtime' } },
  { query: 'lamp hall', options: { weights: { fields: { summary: 0, notes: 0.2 } }, maxResults: 30 } },
  { query: 'lamp', options: { filter: { summary: { exists: true } }, offset: 0, mode: 'realtime' } },
  {
    query: 'lamp',
    options: { filter: { notes: { exists: false }, price: { gt: 3 } }, facets: ['color'], sort: 'price' },
  },
  { query: '', options: { filter: { notes: { exists: true } }, sort: 'price,acquiredAt:desc', maxResults: 20 } },
  { query: 'brass -"the hall"', options: { mode: 'realtime', offset: 0, facets: ['color', 'price:2'] } },
  { query: 'summary:lantern', options: { mode: 'webql', maxResults: 30 } },
  { query: 'summary:"the hall" OR notes:stone', options: { mode: 'webql', offset: 0, facets: ['color'] } },
  { query: 'lamp NOT summary:lamp', options: { mode: 'webql', offset: 0 } },
  { query: 'lamp NEAR/2 hall', options: { mode: 'webql' } },
  { query: 'title:lamp AND notes:lamp', options: { mode: 'webql' } },
]

async function expectEqual(pair: Pair, instants: readonly number[]): Promise<void> {
  for (const queryTime of instants)
    for (const { query, options } of questions) await expectEqualAnswer(pair, query, { ...options, queryTime })
}

describe.skipIf(!servers)(`texts in fields of a cluster and of an engine on one machine (seed ${seed})`, () => {
  it.each([1, 3])('are found alike as of every instant, with %d shards', async shards => {
    const name = newName()
    const pair = await openPair(shards, { name })
    const { cluster, local } = pair
    const below = randomNumbers(seed)
    const both = [cluster, local]
    try {
      asked.refused.clear()
      pair.setClock(START_AT + 2_000)
      const first = pages(below, n => START_AT + n)
      const later = pages(below, n => START_AT + 1_000 + n)
      // Other metadata with the same texts: revisions.
      const revised = first.slice(0, 60).map(page => ({ ...page, author: 'Stone', acquiredAt: START_AT + 900 }))
      for (const batch of [first.slice(0, 150), first.slice(150), revised, later])
        for (const engine of both) expect((await engine.add(batch)).failures).toEqual([])
      const instants = [START_AT + 90, START_AT + 500, START_AT + 950, START_AT + 1_600]
      await expectEqual(pair, instants)
      for (const engine of both) await engine.setRelevance({ weights: { fields: { summary: 3, notes: 0.5 } } })
      for (const engine of both) await engine.purge(first[3]!.url)
      pair.setClock(START_AT + 3_000)
      await expectEqual(pair, [instants[1]!, START_AT + 3_000])
      for (const { url } of later.slice(0, 5)) expect(await cluster.page(url)).toEqual(await local.page(url))
      expect(await cluster.fields()).toEqual(await local.fields())
      await clusterTools({ ...servers!, name }).reindex()
      expect(await clusterTools({ ...servers!, name }).examine({ all: true })).toMatchObject({ findings: [] })
      await expectEqual(pair, [instants[2]!])
      expect(asked.refused.size).toBe(0)
      expect(cluster.proofs.uncertain).toBe(0)
    } finally {
      await pair.close()
    }
  })

  it('come with a write of any server, and go with their last page', async () => {
    const name = newName()
    const pair = await openPair(1, { name })
    const other = await openTestCluster({ name, now: () => START_AT })
    const { cluster, local } = pair
    const url = 'https://example.com/lamp'
    try {
      pair.setClock(START_AT)
      for (const engine of [cluster, local]) await engine.add([{ url: 'https://example.com/a', text: 'a chair' }])
      await expectEqualAnswer(pair, 'lantern', {})
      await expectEqualAnswer({ cluster: other, local }, 'lantern', {})
      pair.setClock(START_AT + 10)
      for (const engine of [cluster, local])
        await engine.add([{ url, text: 'brass', fields: { summary: { $text: 'A lantern' } } }])
      await expectEqualAnswer(pair, 'lantern', {})
      await expectEqualAnswer(pair, 'lantern', { queryTime: START_AT + 5 })
      const { results } = await other.search('lantern')
      expect(results).toMatchObject([{ url, snippet: { text: 'A lantern' } }])
      for (const engine of [cluster, local]) await engine.purge(url)
      await expectEqualAnswer(pair, 'lantern', {})
      for (const engine of [cluster, other]) expect((await engine.search('lantern')).results).toEqual([])
    } finally {
      await other.close()
      await pair.close()
    }
  })
})
