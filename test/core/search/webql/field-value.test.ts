import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open, type SearchOptions } from '../../../../core/index.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2025, 5, 1)
let engine: Engine

const pages: CaptureInput[] = [
  {
    url: 'https://shop.example/desk-lamp',
    text: 'A lamp of brass for the desk.',
    author: 'Ann Smith',
    fields: { price: 19.9, tags: ['desk', 'brass'], inStock: true, released: new Date('2025-05-01T15:00:00Z') },
  },
  {
    url: 'https://shop.example/wall-lamp',
    text: 'A lamp of steel for the wall.',
    fields: { price: 45, tags: 'wall', sku: 'AB-12', author: 'Jane Doe', released: new Date('2024-01-01') },
  },
  {
    url: 'https://shop.example/chair',
    text: 'A chair of oak.',
    fields: { price: -5, sku: '<20', 'made.in': 'the Black Forest', inStock: false },
  },
  { url: 'https://shop.example/imprint', text: 'Imprint of the shop, which sells lamp after lamp.' },
]

beforeAll(async () => {
  engine = await open(':memory:', { now: () => NOW })
  await engine.add(pages.map(page => ({ ...page, acquiredAt: NOW - 10 * DAY })))
  await engine.add([
    {
      ...pages[0]!,
      url: 'https://shop.example/desk-lamp',
      acquiredAt: NOW - DAY,
      fields: { price: 25, color: 'red' },
    } as CaptureInput,
  ])
})
afterAll(async () => {
  await engine.close()
})

const then: SearchOptions = { queryTime: NOW - 5 * DAY }

async function found(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { results } = await engine.search(query, { mode: 'webql', ...options })
  return results.map(({ url }) => new URL(url).pathname.slice(1)).sort()
}

describe('a condition on a field in the full language', () => {
  it.each([
    ['price:<20', ['chair', 'desk-lamp']],
    ['price:>=45', ['wall-lamp']],
    ['price:>19.9', ['wall-lamp']],
    ['price:10..20', ['desk-lamp']],
    ['price:[19.9 TO 45]', ['desk-lamp', 'wall-lamp']],
    ['price:-5', ['chair']],
    ['price:-5.0', ['chair']],
    ['price:"45"', ['wall-lamp']],
    ['price:(<0 OR >20)', ['chair', 'wall-lamp']],
    ['price:*', ['chair', 'desk-lamp', 'wall-lamp']],
    ['-price:*', ['imprint']],
    ['lamp -price:<20', ['imprint', 'wall-lamp']],
    ['tags:desk', ['desk-lamp']],
    ['tags:(desk AND brass)', ['desk-lamp']],
    ['tags:(desk OR wall) lamp', ['desk-lamp', 'wall-lamp']],
    ['tags:Desk', []],
    ['tags:de', []],
    ['tags:de*', ['desk-lamp']],
    ['tags:b..e', ['desk-lamp']],
    ['sku:AB-*', ['wall-lamp']],
    ['sku:"<20"', ['chair']],
    ['made.in:"the Black Forest"', ['chair']],
    ['made.in:>="the Black Forest"', ['chair']],
    ['inStock:true', ['desk-lamp']],
    ['inStock:(true OR false)', ['chair', 'desk-lamp']],
    ['released:2025-05-01', ['desk-lamp']],
    ['released:>2025-05-01', []],
    ['released:>=2025-05-01', ['desk-lamp']],
    ['released:2024-01-01..2025-05-01', ['desk-lamp', 'wall-lamp']],
    ['released:<2025-05-01T15:00:00Z', ['wall-lamp']],
    ['released:>30d', ['desk-lamp']],
    ['author:smith', ['desk-lamp']],
    ['author:"Jane Doe"', []],
    ['.author:"Jane Doe"', ['wall-lamp']],
  ] as const)('%s finds %j', async (query, urls) => {
    expect(await found(query, then)).toEqual(urls)
  })

  it('equals the option filter, and combines with it', async () => {
    expect(await found('lamp tags:(desk OR wall)', { ...then, filter: { price: { lt: 20 } } })).toEqual(['desk-lamp'])
    for (const [query, filter] of [
      ['price:<20 OR tags:wall', { any: [{ price: { lt: 20 } }, { tags: 'wall' }] }],
      ['NOT (price:<20 OR tags:wall)', { not: { any: [{ price: { lt: 20 } }, { tags: 'wall' }] } }],
    ] as const)
      expect(await found(query, then)).toEqual(await found('', { ...then, filter }))
  })

  it('is of the values as of the instant', async () => {
    expect(await found('price:25')).toEqual(['desk-lamp'])
    expect(await found('price:25', then)).toEqual([])
    expect(await found('tags:desk')).toEqual([])
  })

  it('adds nothing to the score', async () => {
    const scoreOf = async (query: string) =>
      (await engine.search(query, { mode: 'webql', ...then })).results.at(0)?.score
    expect(await scoreOf('chair price:<20')).toBe(await scoreOf('chair'))
    expect(await scoreOf('price:<20')).toBe(0)
  })

  it('counts in facets and continues with a cursor', async () => {
    const options: SearchOptions = { mode: 'webql', ...then, sort: 'price', maxResults: 1, facets: ['price:100'] }
    const first = await engine.search('price:<=45', options)
    expect(first.total).toEqual({ value: 3, exact: true })
    const values = [
      { value: 0, count: 2 },
      { value: -100, count: 1 },
    ]
    expect(first.facets).toEqual([{ field: 'price:100', values }])
    const second = await engine.search('price:<=45', { ...options, cursor: first.next })
    expect(second.results.map(({ url }) => url)).toEqual(['https://shop.example/desk-lamp'])
  })

  it.each([
    ['lamp price:cheap', 11, 'price is "cheap", of type keyword; in this index the field price is of type number'],
    ['price:<0x10', 6, 'price is "0x10"'],
    ['price:1*', 6, 'price is "1"'],
    ['inStock:yes', 8, 'inStock is "yes", of type keyword; in this index the field inStock is of type boolean'],
    ['inStock:>false', 8, 'of type boolean'],
    ['lamp OR released:soon', 17, 'in this index the field released is of type instant: expected a date'],
  ])('of another type than the field is rejected with its position: %s', async (query, position, message) => {
    await expect(found(query, then)).rejects.toMatchObject({
      code: 'ASOF_INVALID_QUERY',
      message: expect.stringMatching(message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
      details: { field: 'query', position },
    })
  })

  it('on an unknown field matches nothing, with a warning that names the nearest field or operator', async () => {
    const warning = async (query: string, options: SearchOptions = {}) =>
      (await engine.search(query, { mode: 'webql', ...options })).warning
    expect(await found('pirce:<20')).toEqual([])
    expect(await warning('pirce:<20')).toBe(
      'query: no page has the field pirce: did you mean price?; put text that contains a colon in quotes',
    )
    expect(await warning('titel:lamp')).toContain('no page has the field titel: did you mean title?')
    expect(await warning('Price:<20 lamp', { ...then, filter: { color: 'red' } })).toMatch(
      /^filter: no page has the field color as of .*; query: no page has the field Price as of .*: did you mean price\?/,
    )
    // Nothing that was acquired later shows.
    expect(await warning('color:red')).toBeUndefined()
    expect(await warning('colr:red', then)).not.toContain('color')
    expect(await found('lamp -color:red', then)).toEqual(['desk-lamp', 'imprint', 'wall-lamp'])
  })
})
