import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../../core/index.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2025, 0, 1)
const at = (day: number): number => START + day * DAY_MS

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:', { now: () => at(100) })
})
afterEach(async () => {
  await engine.close()
})

async function asked(query: string, options: SearchOptions = {}): Promise<string[]> {
  return (await engine.search(query, options)).results.map(({ url }) => url)
}

const page = (url: string, day: number, publishedDay?: number) => ({
  url,
  text: `words of day ${day}`,
  acquiredAt: at(day),
  publishedAt: publishedDay === undefined ? undefined : at(publishedDay),
})

describe.each(['pro', 'realtime', 'webql'] as const)('a query that is only a site:, in %s', mode => {
  it('searches for the name of the site if a page of the site contains it', async () => {
    await engine.add([page('https://zebra.example/', 1), { url: 'https://zebra.example/a', text: 'about the zebra' }])
    const { results, warning } = await engine.search('site:zebra.example', { mode })
    expect(results.map(({ url }) => url)).toEqual(['https://zebra.example/a'])
    expect(warning).toBe('the query held only a site: pages of zebra.example were searched for "zebra"')
  })

  it('lists the pages of the site if none contains its name: the home page, then the newest', async () => {
    await engine.add([
      page('https://zebra.example/b', 2),
      page('https://zebra.example/', 1),
      page('https://docs.zebra.example/c', 4),
      page('https://other.example/', 5),
    ])
    await engine.add([page('https://zebra.example/a', 3)])
    const all = [
      'https://zebra.example/',
      'https://docs.zebra.example/c',
      'https://zebra.example/a',
      'https://zebra.example/b',
    ]
    expect(await asked('site:zebra.example', { mode })).toEqual(all)
    expect(await asked('site:zebra.example', { mode, maxResults: 2 })).toEqual(all.slice(0, 2))
    const { warning, results } = await engine.search('site:zebra.example', { mode, explain: true })
    expect(warning).toBe(
      'the query held only a site: pages of zebra.example were searched for "zebra"; none of them has that name: the home page is listed first, then the newest pages',
    )
    expect(results[0]!.snippet.text).toContain('words of day 1')
  })

  it('finds the home page by https, http and www, or by an alias', async () => {
    await engine.add([page('http://www.zebra.example/', 1), page('http://www.zebra.example/a', 2)])
    expect((await asked('site:zebra.example', { mode }))[0]).toBe('http://www.zebra.example/')
    await engine.add([{ ...page('https://gnu.example/en/start', 1), aliases: ['https://gnu.example/'] }])
    await engine.add([page('https://gnu.example/news', 2)])
    expect((await asked('site:gnu.example', { mode }))[0]).toBe('https://gnu.example/en/start')
  })

  it('lists no page of another site that the home page redirects to', async () => {
    await engine.add([{ ...page('https://other.example/', 3), aliases: ['https://gnu.example/'] }])
    await engine.add([page('https://gnu.example/news', 2)])
    expect(await asked('site:gnu.example', { mode })).toEqual(['https://gnu.example/news'])
  })

  it('answers as of the instant', async () => {
    await engine.add([page('https://zebra.example/', 1), page('https://zebra.example/a', 2)])
    await engine.add([page('https://zebra.example/b', 3)])
    await engine.add([page('https://zebra.example/', 4)])
    await engine.add([{ url: 'https://zebra.example/z', text: 'the zebra itself', acquiredAt: at(6) }])
    const asOf = (day: number) => asked('site:zebra.example', { mode, queryTime: at(day) })
    expect(await asOf(5)).toEqual(['https://zebra.example/', 'https://zebra.example/b', 'https://zebra.example/a'])
    expect(await asOf(2)).toEqual(['https://zebra.example/', 'https://zebra.example/a'])
    expect(await asOf(0)).toEqual([])
    expect((await engine.search('site:zebra.example', { mode, queryTime: at(0) })).warning).not.toMatch(/home page/)
    expect(await asOf(7)).toEqual(['https://zebra.example/z'])
    const { results } = await engine.search('site:zebra.example', { mode, queryTime: at(2) })
    expect(results.map(({ acquiredAt }) => acquiredAt)).toEqual([at(1), at(2)])
  })

  it('applies all filters, also to the home page', async () => {
    await engine.add([
      page('https://zebra.example/', 1, 1),
      page('https://zebra.example/a', 2, 2),
      page('https://docs.zebra.example/b', 3, 3),
      page('https://zebra.example/undated', 4),
    ])
    const only = (options: SearchOptions) => asked('site:zebra.example', { mode, ...options })
    expect(await only({ acquiredAfter: at(2) })).not.toContain('https://zebra.example/')
    expect(await only({ acquiredAfter: at(2) })).toHaveLength(3)
    expect(await only({ publishedAfter: at(2) })).toEqual(['https://docs.zebra.example/b', 'https://zebra.example/a'])
    expect(await only({ publishedBefore: at(2) })).toEqual(['https://zebra.example/', 'https://zebra.example/a'])
    expect(await only({ site: 'docs.zebra.example' })).toEqual(['https://docs.zebra.example/b'])
    expect(await only({ site: 'other.example' })).toEqual([])
  })
})

it('a site query leaves out excluded pages', async () => {
  await engine.add([page('https://zebra.example/', 1), page('https://docs.zebra.example/b', 3)])
  expect(await asked('site:zebra.example -site:docs.zebra.example')).toEqual(['https://zebra.example/'])
})

it('a site query reads only the documents that it lists, however many pages the site has', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => page(`https://zebra.example/${i}`, 1 + (i % 50)))
  await engine.add(many)
  const answer = await engine.search('site:zebra.example', { maxResults: 3 })
  expect(answer.results.map(({ acquiredAt }) => acquiredAt)).toEqual([at(50), at(50), at(50)])
  const urls = many.filter((_, i) => i % 50 === 49).map(({ url }) => url)
  expect(answer.results.map(({ url }) => url)).toEqual(urls.sort().slice(0, 3))
})
