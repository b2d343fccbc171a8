import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchMode, type SearchOptions } from '../../../core/index.ts'

let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:', { searchThreads: 0 })
  await engine.add([
    { url: 'https://a.example/', title: 'Pools', text: 'a connection pool', publishedAt: '2023-03-01' },
    { url: 'https://a.example/docs/guide', title: 'Guide', text: 'a pool of threads', publishedAt: '2024-05-05' },
    { url: 'https://b.example/', title: 'Swim', text: 'a swimming pool, a swan lake', publishedAt: '2025-01-01' },
    { url: 'https://c.example/manual.pdf', title: 'Manual', text: 'the stone bridge of a.example and node.js' },
    { url: 'https://www.d.example/docs', title: 'Other', text: 'cats and dogs 🚀 in C++ and .NET' },
  ])
})
afterAll(() => engine.close())

const ask = async (query: string, mode: SearchMode = 'realtime', options: SearchOptions = {}) => {
  const { results, warning } = await engine.search(query, { mode, ...options })
  return { found: results.map(({ url }) => url.replace(/^https:\/\/(?:www\.)?|\.example/g, '')), warning }
}
const found = async (query: string, mode?: SearchMode) => (await ask(query, mode)).found.sort()

describe('operators of a plain query', () => {
  it.each([
    ['pool site:a.example OR site:b.example', ['a/', 'a/docs/guide', 'b/']],
    ['pool (site:b.example OR site:c.example)', ['b/']],
    ['pool site:a.example/docs', ['a/docs/guide']],
    ['pool site:https://a.example/docs/guide', ['a/docs/guide']],
    ['pool -site:a.example/docs', ['a/', 'b/']],
    ['pool site:a.example/do', []],
    ['swan OR stone', ['b/', 'c/manual.pdf']],
    ['pool AND swan', ['b/']],
    ['pool AND stone', []],
    ['pool NOT swan', ['a/', 'a/docs/guide']],
    ['pool NOT (swan OR threads)', ['a/']],
    ['pool !swan', ['a/', 'a/docs/guide']],
    ['+swan pool', ['b/']],
    ['intitle:pools', ['a/']],
    ['pool -intitle:pools', ['a/docs/guide', 'b/']],
    ['pool inurl:docs', ['a/docs/guide']],
    ['manual filetype:pdf', ['c/manual.pdf']],
    ['pool after:2024', ['a/docs/guide', 'b/']],
    ['pool after:2024-05-05', ['a/docs/guide', 'b/']],
    ['pool before:2024-05-05', ['a/']],
    ['pool after:2024 before:2025', ['a/docs/guide']],
    ['"connection pool" OR "swan lake"', ['a/', 'b/']],
    ['C++', ['d/docs']],
    ['.NET', ['d/docs']],
  ])('mean what they mean in other search engines, in each mode of a plain query: %j', async (query, pages) => {
    expect(await found(query)).toEqual(pages)
    expect(await found(query, 'pro')).toEqual(pages)
  })

  it.each([
    ['site:a.example OR site:b.example', ['a/', 'a/docs/guide', 'b/']],
    ['site:a.example/docs', ['a/docs/guide']],
    ['inurl:docs', ['a/docs/guide', 'd/docs']],
    ['after:2024-06', ['b/']],
    ['inurl:docs -site:d.example', ['a/docs/guide']],
  ])('list pages without a word: %s', async (query, pages) => {
    expect(await found(query)).toEqual(pages)
    expect((await ask(query)).warning).toMatch(/^the query has operators and no word/)
  })

  it('count, order and page their matches like words', async () => {
    const first = await engine.search('pool site:a.example OR site:b.example', { facets: ['tag'], maxResults: 2 })
    expect([first.total, first.results.length]).toEqual([{ value: 3, exact: true }, 2])
    const query = 'pool site:a.example OR site:b.example'
    const rest = await engine.search(query, { facets: ['tag'], maxResults: 2, cursor: first.next! })
    expect(rest.results).toHaveLength(1)
  })

  it.each(['!swan', '-intitle:pools', 'NOT swan', '-site:a.example/docs'])(
    'that only exclude find nothing, and say so: %s',
    async query => {
      const { found, warning } = await ask(query)
      expect(found).toEqual([])
      expect(warning).toContain('the query only excludes pages')
    },
  )

  it.each([
    ['swan OR ston', ['b/', 'c/manual.pdf']],
    ['pool AND swa', ['b/']],
    ['intitle:poo', ['a/']],
    ['pool -intitle:pools', ['a/docs/guide', 'b/']],
  ])('do not need the last word whole while it is typed: %s', async (query, pages) => {
    const { found } = await ask(query, 'realtime', { typing: true })
    expect(found).toEqual(expect.arrayContaining(pages))
  })

  it.each([
    ['pool –swan', '–swan was searched for as a word: write -swan'],
    ['pool −swan', 'write -swan'],
    ['pool site:', 'site: needs a domain'],
    ['pool since:2024-01-01', 'use after:'],
    ['pool host:a.example', 'use site:'],
  ])('are named where they are written or called differently: %s', async (query, part) => {
    expect((await ask(query)).warning).toContain(part)
    expect((await ask('a pool – and a swan')).warning).toBeUndefined()
  })

  it('are not corrected as words', async () => {
    const { found, warning } = await ask('connectin site:a.example/')
    expect(found).toEqual(['a/'])
    expect(warning).toContain('connection site:a.example/')
  })
})

it.each(['🚀', '(', '???', '+', '-', '"!"', '!'])('a query without a word says so: %s', async query => {
  for (const mode of ['realtime', 'pro'] as const) {
    const { found, warning } = await ask(query, mode)
    expect(found).toEqual([])
    expect(warning).toContain('the query has no word to search for')
  }
})

describe('a query that is an address', () => {
  it.each([
    ['a.example', ['a/', 'a/docs/guide', 'c/manual.pdf']],
    ['www.A.example/', ['a/', 'a/docs/guide', 'c/manual.pdf']],
    ['a.example/docs/guide', ['a/docs/guide', 'a/', 'c/manual.pdf']],
    ['a.example/docs/guide/#top', ['a/docs/guide', 'a/', 'c/manual.pdf']],
    ['a.example/docs', ['a/docs/guide', 'a/', 'c/manual.pdf']],
    ['d.example/docs', ['d/docs', 'c/manual.pdf']],
  ])('finds its page, those below it, those of its domain, then others: %s', async (query, pages) => {
    for (const mode of ['realtime', 'pro'] as const) {
      const { found, warning } = await ask(query, mode)
      expect(found.slice(0, pages.length)).toEqual(pages)
      expect(warning).toContain('the query is an address')
    }
    const { results } = await engine.search(query, { mode: 'realtime', maxResults: 1 })
    expect(results).toHaveLength(1)
  })

  it('is words if the index has no page of the domain', async () => {
    expect(await ask('node.js')).toEqual({ found: ['c/manual.pdf'], warning: undefined })
  })

  it('is words in quotation marks, and as of an instant before the domain has a page', async () => {
    expect(await found('"a.example"')).toEqual(['c/manual.pdf'])
    const early = await engine.search('a.example', { queryTime: '2020-01-01' })
    expect(early.warning).not.toContain('address')
  })

  it('obeys filters', async () => {
    const { found } = await ask('a.example', 'realtime', { publishedAfter: '2024-01-01' })
    expect(found).toEqual(['a/docs/guide'])
  })
})

describe('a query that is a URL', () => {
  it.each([
    ['http://a.example/docs/guide', 'a/docs/guide'],
    ['https://a.example/docs/guide/', 'a/docs/guide'],
    ['http://d.example/docs', 'd/docs'],
    ['https://www.a.example', 'a/'],
  ])('finds the page under another scheme, with or without www. and a slash: %s', async (query, page) => {
    expect((await ask(query)).found).toEqual([page])
  })

  it('finds no other page', async () => {
    for (const url of ['https://a.example/docs', 'http://a.example/docs/guide?page=2', 'https://z.example/'])
      expect((await ask(url)).found).toEqual([])
  })
})

describe('operators of others in the full language', () => {
  it.each([
    ['!swan pool', ['a/', 'a/docs/guide']],
    ['!swan', ['a/', 'a/docs/guide', 'c/manual.pdf', 'd/docs']],
    ['pool !(swan || threads)', ['a/']],
    ['pool && swan', ['b/']],
    ['intitle:pools', ['a/']],
    ['pool inurl:docs', ['a/docs/guide']],
    ['pool after:2024-05-05', ['a/docs/guide', 'b/']],
    ['pool before:2024-05-05', ['a/']],
    ['pool site:a.example/docs', ['a/docs/guide']],
    ['pool -site:https://a.example/docs', ['a/', 'b/']],
    ['site:(a.example/docs OR b.example)', ['a/docs/guide', 'b/']],
  ])('%s', async (query, pages) => {
    expect(await found(query, 'webql')).toEqual(pages)
  })
})
