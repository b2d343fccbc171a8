import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../cluster/index.ts'
import type { CaptureInput, SearchOptions } from '../../core/index.ts'
import { START_AT } from '../core/history-script.ts'
import { histories } from '../histories.ts'
import { openPair, type Pair } from './pair.ts'
import { newName, servers } from './test-cluster.ts'

const PAGES = 1_700
const colors = ['red', 'green', 'blue', 'white', 'Ärger', 'x'.repeat(200)]

/** A page of which many are alike, with fields of every type, of which some have several values. */
function page(n: number): CaptureInput {
  const host = ['shop.example.com', 'example.com', 'example.org'][n % 3]
  const text = [
    'lamp',
    n % 2 ? 'old' : 'new',
    n % 5 ? 'table' : 'table lamp',
    'of',
    'light',
    n % 7 ? 'chair' : 'sofa',
    `word${n}`,
  ]
  const fields = {
    price: n % 8 ? (n * 7) % 40 : [n % 30, (n % 30) + 0.5, 100],
    ratio: (n % 30) / 10,
    color: n % 9 ? colors[n % 6]! : [colors[n % 6]!, colors[(n + 1) % 6]!],
    seen: n % 11 ? new Date(START_AT + n * 3_600_000) : [new Date(START_AT), new Date(START_AT + n)],
  }
  return {
    url: `https://${host}/${n}`,
    title: n % 4 ? `lamp ${n % 10}` : 'table',
    text: text.join(' '),
    // Several pages of one instant.
    acquiredAt: START_AT + Math.floor(n / 3),
    publishedAt: n % 5 ? START_AT - (n % 90) * 86_400_000 - (n % 4) : undefined,
    fields: n % 6 ? (n % 10 ? { ...fields, sold: n % 4 === 0 } : fields) : undefined,
    author: n % 12 ? undefined : 'Stone River',
    lang: n % 12 ? undefined : 'en',
  }
}

const pages = Array.from({ length: PAGES }, (_, n) => page(n))
/** Later versions: other texts, or only other metadata. */
const later: CaptureInput[] = pages.flatMap((one, n): CaptureInput[] => {
  const acquiredAt = START_AT + 700 + (n % 50)
  if (n % 13 === 0) return [{ ...one, text: `${one.text} again`, acquiredAt }]
  if (n % 17 === 0) return [{ ...one, fields: { price: 3, color: 'white' }, publishedAt: START_AT - n, acquiredAt }]
  // These are more revisions than the term index takes of one page.
  if (n === 4)
    return Array.from({ length: 120 }, (_, i) => ({
      ...one,
      fields: { price: i, color: 'red' },
      acquiredAt: START_AT + 640 + i,
    }))
  // Most pages, so that more than 1,000 were revised, some more than once.
  if (n % 4) {
    const fields = { price: [n % 23, 11], color: colors[n % 5]!, seen: new Date(START_AT + (n % 700) * 7_200_000) }
    const again = { ...one, fields: { ...fields, price: n % 9, ratio: 0.3 }, acquiredAt: acquiredAt + 20 }
    const publishedAt = n % 3 ? START_AT + n : one.publishedAt
    const changed = { ...one, fields, acquiredAt, publishedAt }
    return n % 5 ? [changed] : [changed, again]
  }
  if (n % 19 === 0) return [{ ...one, fields: {}, author: 'light', acquiredAt }]
  return []
})
const facets = ['color', 'price:7', 'ratio:0.1', 'sold', 'seen:month', 'publishedAt:week', 'acquiredAt:hour']

const questions: { query: string; options: SearchOptions; pages?: number }[] = [
  // Total counts.
  { query: 'lamp', options: { offset: 0 } },
  { query: 'lamp', options: { offset: 0, mode: 'realtime', publishedAfter: START_AT - 50 * 86_400_000 } },
  { query: '"table lamp" -sofa', options: { offset: 0, mode: 'realtime' } },
  { query: '"light chair"', options: { offset: 0, mode: 'realtime', site: 'example.com' } },
  { query: 'lamp', options: { offset: 0, acquiredAfter: START_AT + 40, acquiredBefore: START_AT + 720 } },
  { query: 'lamp', options: { offset: 900, mode: 'realtime', maxResults: 3 } },
  // Facets.
  { query: '', options: { facets, maxFacetValues: 5 } },
  { query: 'lamp table', options: { facets: ['price', 'publishedAt', 'acquiredAt'], maxFacetValues: 40 } },
  { query: 'lamp', options: { facets, sites: ['shop.example.com', 'example.org'], filter: { price: { gt: 5 } } } },
  { query: 'lamp', options: { facets: ['price:0.5', 'color'], filter: { not: { color: ['red', 'blue'] } } } },
  { query: '', options: { facets: ['seen:day', 'ratio'], filter: { seen: { gte: new Date(START_AT + 100) } } } },
  { query: 'ta* lamp', options: { facets: ['color', 'seen:hour'], mode: 'realtime', typing: true } },
  // Orders by value, with the pages that follow.
  { query: '', options: { maxResults: 7 }, pages: 3 },
  { query: 'lamp', options: { sort: 'price', maxResults: 9 }, pages: 3 },
  { query: 'lamp', options: { sort: 'price:desc', maxResults: 60 }, pages: 3 },
  { query: 'lamp', options: { sort: 'seen:desc', maxResults: 5, filter: { sold: true } }, pages: 2 },
  { query: 'light -old', options: { sort: 'publishedAt', maxResults: 8, facets: ['color'] }, pages: 2 },
  { query: 'light', options: { sort: 'publishedAt:desc', maxResults: 500 }, pages: 4 },
  { query: 'table', options: { sort: 'ratio', maxResults: 4, publishedBefore: START_AT - 86_400_000 }, pages: 2 },
  { query: 'lamp', options: { sort: 'acquiredAt', maxResults: 3, offset: 1_100 }, pages: 2 },
  // By several keys, of which the first ones have few values, or none.
  { query: 'lamp', options: { sort: 'ratio,price', maxResults: 20 }, pages: 3 },
  { query: 'lamp', options: { sort: 'ratio:desc,price:desc,seen', maxResults: 60 }, pages: 3 },
  { query: 'sofa', options: { sort: 'price,publishedAt:desc', maxResults: 9, facets: ['sold'] }, pages: 3 },
  { query: 'sofa', options: { sort: 'publishedAt,price:desc', maxResults: 200 } },
  { query: 'table', options: { sort: 'acquiredAt:desc,price', maxResults: 11, filter: { sold: false } }, pages: 3 },
  { query: 'sofa', options: { sort: 'nothing,seen:desc,acquiredAt', maxResults: 30, offset: 180 }, pages: 2 },
  { query: 'site:example.org', options: { maxResults: 5 } },
  { query: 'site:example.com', options: { maxResults: 5, sort: 'price:desc', facets: ['sold'] }, pages: 2 },
  // The full language.
  { query: 'lamp NOT (sofa OR site:example.org)', options: { mode: 'webql', offset: 0, facets: ['color'] } },
  { query: 'NOT sofa', options: { mode: 'webql', maxResults: 4, facets: ['price:10'] } },
  { query: 'author:stone OR author:light', options: { mode: 'webql', offset: 0, facets: ['color'] } },
  { query: 'lam* NOT author:stone', options: { mode: 'webql', offset: 0 } },
  { query: 'title:lamp AND sofa', options: { mode: 'webql', offset: 0, facets: ['sold'] } },
  { query: 'sofa NEAR/2 light', options: { mode: 'webql', sort: 'price', facets: ['sold'] } },
  {
    query: `light AND published:[${new Date(START_AT - 30 * 86_400_000).toISOString()} TO *]`,
    options: { mode: 'webql', offset: 0 },
  },
  { query: 'price:[5 TO 9] AND color:red', options: { mode: 'webql', sort: 'price' }, pages: 2 },
]

async function expectEqual({ cluster, local }: Pair, queryTime: number): Promise<void> {
  for (const { query, options, pages: count = 1 } of questions) {
    let more: SearchOptions = { snippetMaxLength: 0, ...options, queryTime }
    for (let n = 0; n < count; n++) {
      const { receipt: of, ...expected } = await local.search(query, more)
      const { receipt, ...answer } = await cluster.search(query, more)
      expect(answer, `${query} ${JSON.stringify(more)}`).toEqual(expected)
      expect({ ...receipt, segments: of.segments }).toEqual(of)
      if (expected.next === undefined) break
      const { offset: _, ...rest } = more
      more = { ...rest, cursor: expected.next }
    }
  }
}

describe.skipIf(!servers)('counts, facets and orders of a cluster over more than 1,000 matches', () => {
  it.each(histories === 1 ? [4] : [1, 4])(
    'are those of one machine, as of every instant and after purges, with %d shards',
    {
      timeout: 900_000,
    },
    async shards => {
      const name = newName()
      const pair = await openPair(shards, { name })
      const { cluster, local } = pair
      const both = [cluster, local]
      try {
        pair.setClock(START_AT + 1_000)
        for (const engine of both)
          for (const batch of [pages.slice(0, 1_500), pages.slice(1_500)])
            expect((await engine.add(batch)).failures).toEqual([])
        const total = (await local.search('lamp', { offset: 0 })).total
        expect(total).toEqual({ value: PAGES, exact: true })
        await expectEqual(pair, START_AT + 500)
        const refused = cluster.search('title:lamp', { mode: 'webql', offset: 0, queryTime: START_AT + 999 })
        await expect(refused).rejects.toMatchObject({ code: 'ASOF_UNSUPPORTED', details: { what: 'counts' } })
        for (const engine of both) expect((await engine.add(later)).failures).toEqual([])
        for (const queryTime of histories === 1 ? [START_AT + 760] : [START_AT + 725, START_AT + 760])
          await expectEqual(pair, queryTime)
        for (const url of [7, 13, 17, 34, 100].map(n => pages[n]!.url))
          expect(await cluster.purge(url)).toBe(await local.purge(url))
        for (const engine of both) await engine.remove(pages[1]!.url, { at: START_AT + 900 })
        for (const queryTime of [START_AT + 725, START_AT + 950]) await expectEqual(pair, queryTime)
        expect(cluster.proofs.uncertain).toBe(0)
        // The documents are those that follow from PostgreSQL, also in an index that is built again.
        await clusterTools({ ...servers!, name }).reindex()
        expect(await clusterTools({ ...servers!, name }).examine({ all: true })).toMatchObject({ findings: [] })
      } finally {
        await pair.close()
      }
    },
  )
})
