import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVERYWHERE, instants, queries } from './corpus.ts'
import { expectNothingLater, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, World } from './world.ts'

const carriers: readonly Carrier[] = ['query_time', 'path', 'key', 'sealed key']
/** The ways in which clients of SearXNG send a search: LangChain asks the address itself, others the path below it. */
const ways = ['GET ', 'GET /search', 'POST ', 'POST /search'] as const
type Way = (typeof ways)[number]

interface SearxngAnswer {
  query: string
  number_of_results: number
  results: { url: string; title: string; content: string; score: number; parsed_url: string[]; positions: number[] }[]
  unresponsive_engines: [string, string][]
  error?: string
}

describe('SearXNG by its ways of asking', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world?.close())

  async function ask(way: Way, fields: Record<string, string>, carrier: Carrier = 'query_time', at?: string) {
    const [method = '', path = ''] = way.split(' ')
    const { base, key } = await world.carried('searxng', carrier, at)
    const form = new URLSearchParams({ format: 'json', ...fields })
    if (at !== undefined && carrier === 'query_time') form.set('query_time', at)
    const headers = { Authorization: `Bearer ${key}` }
    const response = await (method === 'GET'
      ? fetch(`${base}${path}?${form}`, { headers })
      : fetch(base + path, { method, body: form, headers }))
    return { status: response.status, body: (await response.json()) as SearxngAnswer }
  }

  const cases = pairs(pairs(carriers, instants), ways).map(([[carrier, at], way], i) => ({
    carrier,
    at,
    way,
    query: queries[i % queries.length]!,
  }))
  it.each(played(cases))(
    '$way by $carrier at $at finds for "$query" what the native route and a server without the future find',
    async ({ way, carrier, at, query }) => {
      const { body } = await ask(way, { q: query }, carrier, at)
      const urls = body.results.map(({ url }) => url)
      const native = { query, max_results: 20 }
      expect(urls).toEqual((await world.native({ ...native, query_time: at })).map(({ url }) => url))
      expect(urls).toEqual((await world.nativeTwin(at, native)).map(({ url }) => url))
      expect(urls.length).toBeGreaterThan(0)
    },
  )

  it.each(played(pairs(instants, ways)))('pages of results at %s by %s continue each other', async (at, way) => {
    const pages = []
    for (const pageno of ['1', '2', '3', '4']) pages.push((await ask(way, { q: EVERYWHERE, pageno }, 'path', at)).body)
    const results = pages.flatMap(page => page.results)
    const total = world.standing(at).length
    expect(pages.map(({ number_of_results }) => number_of_results)).toEqual(pages.map(() => total))
    expect(new Set(results.map(({ url }) => url)).size).toBe(Math.min(80, total))
    expect(results.map(({ positions }) => positions)).toEqual(results.map((_, i) => [i + 1]))
  })

  it.each(['day', 'week', 'month', 'year'] as const)(
    'the time range of a %s counts from the instant',
    async time_range => {
      const at = '2025-01-01'
      const days = { day: 1, week: 7, month: 31, year: 366 }[time_range]
      const from = Date.parse(at) - days * 86_400_000
      const expected = world.standing(at).filter(({ content }) => (content?.publishedAt ?? 0) >= from)
      const { body } = await ask('GET ', { q: EVERYWHERE, time_range }, 'key', at)
      expect(body.number_of_results).toBe(expected.length)
    },
  )

  it.each([
    [{ q: 'x', format: 'html' }, 400, 'format'],
    [{ q: 'x', time_range: 'decade' }, 400, 'time_range'],
    [{ q: 'x', pageno: '0' }, 400, 'pageno'],
    [{ q: 'x', pageno: '9999' }, 400, 'pageno'],
    [{ q: 'x', query_time: 'soon' }, 400, 'query_time'],
    [{ q: 'x', as_of: '2025-01-01' }, 400, 'as_of'],
    [{}, 400, 'q'],
  ])('refuses %j by name, and charges nothing', async (fields, status, field) => {
    const before = await world.creditsOf(world.customer)
    for (const way of ways) {
      const answer = await ask(way, fields as unknown as Record<string, string>)
      expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(field)])
    }
    expect(await world.creditsOf(world.customer)).toBe(before)
  })

  it.each(carriers)(`${RANDOM_CALLS} random calls by %s show nothing of later`, async carrier => {
    await expectNothingLater(world, carrier, async (q, at, random) => {
      const { body } = await ask(ways[random(ways.length)]!, { q }, carrier, at)
      return body.results.map(({ url, title }) => ({ url, shows: ({ content }) => content?.title.trim() === title }))
    })
  })
})
