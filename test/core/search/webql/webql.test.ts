import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../../../core/index.ts'
import { MAX_EXPANSIONS } from '../../../../core/search/clauses/pattern-expansion.ts'

const START_AT = Date.UTC(2025, 0, 1)
let engine: Engine
let now = START_AT

beforeAll(async () => {
  engine = await open(':memory:', { now: () => now })
  await engine.add([
    {
      url: 'https://docs.example.com/guide/caf%C3%A9',
      title: 'Install guide',
      text: 'Tickets are sold at the counter. A river runs by, and the old stone bridge crosses it.',
      author: 'Jane Doe',
      lang: 'en-GB',
      kind: 'docs',
      publishedAt: '2024-05-01T18:00:00Z',
    },
    {
      url: 'https://example.org/forged',
      title: 'lang:fr type:docs author:jane',
      text: ':type=docs :lang=en-gb :author=jane :url=guide @docs.example.com',
      data: [{ '@type': 'Product', name: 'x' }],
    },
    {
      url: 'https://example.org/shop',
      html: '<html lang=de><title>Laden</title><meta property=og:type content=product><p>Eine Brücke aus Stein.',
    },
  ])
})
afterAll(async () => {
  await engine.close()
})

async function found(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { results } = await engine.search(query, { mode: 'webql', ...options })
  return results.map(({ url }) => new URL(url).pathname).sort()
}

const [guide, forged, shop] = ['/guide/caf%C3%A9', '/forged', '/shop']

describe('a search in the full language', () => {
  it.each([
    ['url:café', [guide]],
    ['url:"guide cafe"', [guide]],
    ['url:gui*', [guide]],
    ['author:"jane doe"', [guide]],
    ['author:doe~ OR author:smith', [guide]],
    // The forged page declares no language, and its words may be English.
    ['lang:en', ['/forged', guide]],
    ['lang:en-GB', [guide]],
    ['lang:en-US', []],
    ['lang:(de OR fr)', [shop]],
    ['type:docs', [guide]],
    ['type:product', [forged, shop]],
    ['type:Other', []],
    ['site:example.org bridge', []],
    ['site:example.org Brücke', [shop]],
    ['title:ticket*', []],
    ['tickets*', [guide]],
    ['published:2024-05-01', [guide]],
    ['published:[* TO 2024-05-01T17:59:59Z]', []],
    ['acquired:[1d TO *] NOT type:product', [guide]],
    ['stone NEAR/1 bridge', [guide]],
    ['bridge NEAR/1 old', []],
    ['guide NEAR/20 tickets', []],
  ])('for %s finds %j', async (query, urls) => {
    expect(await found(query)).toEqual(urls)
  })

  it('highlights the words, phrases and patterns of the query', async () => {
    const { mode, results } = await engine.search('tick* "stone bridge" rivre~ NOT absent', { mode: 'webql' })
    expect(mode).toBe('webql')
    const highlighted = results.flatMap(({ snippet: { text, highlights } }) =>
      highlights.map(([from, to]) => text.slice(from, to)),
    )
    expect(highlighted).toEqual(['Tickets', 'river', 'stone', 'bridge'])
  })

  it('explains a score by parts that add up to it', async () => {
    const { results, explain } = await engine.search('tick* (stone OR Stein) rivre~', { mode: 'webql', explain: true })
    expect(explain?.scores.map(parts => parts.map(part => ('term' in part ? part.term : part.signal)))).toEqual([
      ['stone', 'tick*', 'rivre~'],
    ])
    expect(explain?.scores[0]?.reduce((sum, { score }) => sum + score, 0)).toBe(results[0]!.score)
  })

  it('orders the results of a query of only filters by time, without scores', async () => {
    const { results } = await engine.search('type:product', { mode: 'webql', maxResults: 1 })
    expect(results.map(({ score }) => score)).toEqual([0])
  })

  it('looks up a URL, and searches for the name of a lone site:, like every mode', async () => {
    const byUrl = await engine.search('https://example.org/shop', { mode: 'webql' })
    expect(byUrl.results.map(({ title }) => title)).toEqual(['Laden'])
    expect(byUrl.warning).toMatch(/URL/)
    const bySite = await engine.search('site:example.org', { mode: 'webql' })
    expect(bySite).toEqual({ ...(await engine.search('site:example.org')), mode: 'webql' })
  })

  it('rejects a syntax error with its position', async () => {
    await expect(engine.search('bridge AND (stone', { mode: 'webql' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_QUERY',
      details: { field: 'query', position: 11 },
    })
  })

  it('rejects an unknown page kind', async () => {
    const { failures } = await engine.add([{ url: 'https://example.org/k', text: 'x', kind: 'book' as 'docs' }])
    expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(/^kind must be one of article/)])
  })

  it('rejects a prefix that matches too many words, counting only words as of the instant', async () => {
    const many = Array.from({ length: MAX_EXPANSIONS + 1 }, (_, i) => `zz${i}`)
    const before = (await engine.search('zz*', { mode: 'webql' })).receipt.instant
    now += 1000
    await engine.add([{ url: 'https://example.org/many', text: many.join(' ') }])
    await expect(engine.search('bridge OR zz*', { mode: 'webql' })).rejects.toMatchObject({ details: { position: 10 } })
    expect(await found('zz*', { queryTime: before })).toEqual([])
    expect(await found('zz12*')).toEqual(['/many'])
    await engine.purge('https://example.org/many')
    expect(await found('zz*')).toEqual([])
  })
})
