import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVERYWHERE, instants, queries } from './corpus.ts'
import { expectNothingLater, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, World } from './world.ts'

const carriers: readonly Carrier[] = ['query_time', 'path', 'key', 'sealed key']

interface BraveAnswer {
  query: { original: string; more_results_available: boolean }
  web: { results: { url: string; title: string; description: string; page_age?: string; extra_snippets?: string[] }[] }
  warnings?: string[]
  error?: { detail: string; code: string; status: number }
}

// LangChain and others send a search as a query string, with the key in a header of Brave.
describe('Brave by its way of asking', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world?.close())

  async function ask(fields: Record<string, string>, carrier: Carrier = 'query_time', at?: string, key?: string) {
    const carried = await world.carried('brave', carrier, at)
    const parameters = new URLSearchParams(fields)
    if (at !== undefined && carrier === 'query_time') parameters.set('query_time', at)
    const headers = { 'X-Subscription-Token': key ?? carried.key, Accept: 'application/json' }
    const response = await fetch(`${carried.base}/res/v1/web/search?${parameters}`, { headers })
    return { status: response.status, body: (await response.json()) as BraveAnswer }
  }
  const urlsOf = ({ body }: { body: BraveAnswer }) => body.web.results.map(({ url }) => url)

  const cases = pairs(pairs(carriers, instants), [0, 1]).map(([[carrier, at], turn], i) => ({
    carrier,
    at,
    query: queries[(i + turn) % queries.length]!,
  }))
  it.each(played(cases))(
    'by $carrier at $at finds for "$query" what the native route and a server without the future find',
    async ({ carrier, at, query }) => {
      const urls = urlsOf(await ask({ q: query, count: '10' }, carrier, at))
      const native = { query, max_results: 10 }
      expect(urls).toEqual((await world.native({ ...native, query_time: at })).map(({ url }) => url))
      expect(urls).toEqual((await world.nativeTwin(at, native)).map(({ url }) => url))
      expect(urls.length).toBeGreaterThan(0)
    },
  )

  it.each(instants)('pages of results at %s continue each other', async at => {
    const pages = []
    for (const offset of ['0', '1', '2', '3', '4', '5'])
      pages.push((await ask({ q: EVERYWHERE, offset }, 'path', at)).body)
    const urls = pages.flatMap(({ web }) => web.results.map(({ url }) => url))
    const total = world.standing(at).length
    expect(new Set(urls).size).toBe(Math.min(120, total))
    expect(urls.length).toBe(Math.min(120, total))
    expect(pages.map(({ query }) => query.more_results_available)).toEqual(
      pages.map((_, page) => (page + 1) * 20 < total),
    )
  })

  it.each(['pd', 'pw', 'pm', 'py', '2024-10-01to2024-12-31'])(
    'the freshness %s counts from the instant',
    async freshness => {
      const at = '2025-01-01'
      const days = { pd: 1, pw: 7, pm: 31, py: 366 }[freshness] ?? 0
      const range = [Date.parse('2024-10-01'), Date.parse('2025-01-01') - 1]
      const [from = 0, to = 0] = days === 0 ? range : [Date.parse(at) - days * 86_400_000, Number.POSITIVE_INFINITY]
      const expected = world.standing(at).filter(({ content }) => {
        const { publishedAt = 0 } = content ?? {}
        return publishedAt >= from && publishedAt <= to
      })
      const found = new Set<string>()
      for (let offset = 0; offset < 10; offset += 1)
        for (const url of urlsOf(await ask({ q: EVERYWHERE, freshness, offset: `${offset}` }, 'key', at)))
          found.add(url)
      expect([...found].sort()).toEqual(expected.map(({ url }) => url).sort())
    },
  )

  it.each(instants)('further passages at %s are verbatim', async at => {
    const { body } = await ask({ q: 'copper report', extra_snippets: 'True' }, 'key', at)
    for (const { url, extra_snippets = [] } of body.web.results) {
      const text = await world.twinText(at, url)
      expect(extra_snippets.length).toBeGreaterThan(0)
      expect(extra_snippets.length).toBeLessThanOrEqual(5)
      for (const snippet of extra_snippets) expect(text).toContain(snippet)
    }
  })

  it.each([
    [{ q: 'x', count: '21' }, 400, 'count'],
    [{ q: 'x', offset: '10' }, 400, 'offset'],
    [{ q: 'x', freshness: 'soon' }, 400, 'freshness'],
    [{ q: 'x', goggles: 'http://x' }, 400, 'goggles'],
    [{ q: 'x', result_filter: 'news,videos' }, 400, 'result_filter'],
    [{ q: 'x', spellcheck: 'maybe' }, 400, 'spellcheck'],
    [{ q: 'x', query_time: 'soon' }, 400, 'query_time'],
    [{ q: 'x', as_of: '2025-01-01' }, 400, 'as_of'],
    [{}, 400, 'q'],
  ])('refuses %j by name, and charges nothing', async (fields, status, field) => {
    const before = await world.creditsOf(world.customer)
    const answer = await ask(fields as unknown as Record<string, string>)
    expect([answer.status, answer.body.error?.detail]).toEqual([status, expect.stringContaining(field)])
    expect(await world.creditsOf(world.customer)).toBe(before)
  })

  it('warns of what is left out, takes the parameters of LangChain, and refuses a wrong key', async () => {
    const fields = { q: 'report', count: '3', country: 'US', ui_lang: 'en-US', safesearch: 'moderate', summary: 'true' }
    const { body } = await ask({ ...fields, result_filter: 'web', spellcheck: '0', search_lang: 'en' })
    expect(body.web.results).toHaveLength(3)
    expect(body.warnings?.map(text => text.split(':', 1)[0])).toEqual(['country', 'ui_lang', 'summary'])
    expect((await ask({ q: 'x' }, 'key', undefined, 'wrong')).status).toBe(401)
  })

  it.each(carriers)(`${RANDOM_CALLS} random calls by %s show nothing of later`, async carrier => {
    await expectNothingLater(world, carrier, async (q, at) => {
      const { body } = await ask({ q, count: '5' }, carrier, at)
      return body.web.results.map(({ url, title }) => ({
        url,
        shows: ({ content }) => content?.title.trim() === title,
      }))
    })
  })
})
