import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy } from './clients.ts'
import { EVERYWHERE, instants } from './corpus.ts'
import { expectKept, type Filter, randomFilters } from './filters.ts'
import { expectNothingLater, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, type World } from './world.ts'

const parallelClients = ['parallel-web', 'parallel-web py', 'parallel-web py async'] as const
type ParallelClient = (typeof parallelClients)[number]
// The clients have no argument for an instant: JavaScript sends what it is given, Python has `extra_body`.
const carriers: readonly Carrier[] = ['field', 'path', 'key', 'sealed key']

interface ParallelResult {
  url: string
  title: string
  publish_date: string | null
  excerpts: string[]
  full_content?: string | null
}

interface Answer {
  results: ParallelResult[]
  errors?: { url: string; error_type: string; http_status_code: number }[]
  session_id: string
  usage: { name: string; count: number }[]
  warnings: { type: string; message: string }[] | null
}

const answerOf = (outcome: Outcome) => returnedBy(outcome) as Answer

describe.skipIf(!installed)('Parallel by its stock clients', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    method?: 'search' | 'extract'
    fields: object
    carrier?: Carrier
    at?: string
    key?: string
  }

  async function ask(
    client: ParallelClient,
    { method = 'search', fields, carrier = 'key', at, key }: Ask,
  ): Promise<Outcome> {
    const carried = await world.carried('parallel', carrier, at)
    const instant = at !== undefined && carrier === 'field' ? { as_of: at } : {}
    const isPython = client !== 'parallel-web'
    const all: Record<string, unknown> = isPython ? { ...fields, extra_body: instant } : { ...fields, ...instant }
    const sent = isPython ? { args: [], options: all } : { args: [all] }
    return await clients.call({ client, base: carried.base, key: key ?? carried.key, method, ...sent })
  }

  const cases = parallelClients.flatMap(client => instantCases(carriers).map(one => ({ client, ...one })))
  it.each(played(cases))(
    '$client by $carrier at $at finds for "$query" what the native route and a server without the future find',
    async ({ client, carrier, at, query }) => {
      const { results } = answerOf(await ask(client, { fields: { search_queries: [query] }, carrier, at }))
      const urls = results.map(({ url }) => url)
      const native = { query, max_results: 10 }
      expect(urls).toEqual((await world.native({ ...native, query_time: at })).map(({ url }) => url))
      expect(urls).toEqual((await world.nativeTwin(at, native)).map(({ url }) => url))
      for (const { url, excerpts } of results) {
        const text = await world.twinText(at, url)
        expect(excerpts.length).toBeGreaterThan(0)
        for (const excerpt of excerpts) expect(text).toContain(excerpt)
      }
    },
  )

  it.each(played(pairs(parallelClients, instants)))(
    '%s at %s finds for several queries the best pages of each, for a credit each',
    async (client, at) => {
      const several = ['copper prices harbor', 'jardins et bibliothèques', 'old mills autumn']
      const before = await world.creditsOf(world.customer)
      const fields = { search_queries: several, objective: 'what costs copper?', advanced_settings: { max_results: 6 } }
      const { results, usage } = answerOf(await ask(client, { fields, at }))
      expect(await world.creditsOf(world.customer)).toBe(before + 3)
      expect(usage).toEqual([{ name: 'search.pro', count: 3 }])
      const urls = results.map(({ url }) => url)
      expect(new Set(urls).size).toBe(6)
      for (const query of several) {
        const [best] = await world.native({ query, max_results: 1, query_time: at })
        expect(urls).toContain(best!.url)
      }
    },
  )

  const optionsOf = ({ domains, excludedDomains, published }: Filter): object => ({
    include_domains: domains,
    exclude_domains: excludedDomains,
    after_date: published && new Date(published[0]).toISOString().slice(0, 10),
  })
  // Parallel has no last date.
  const isPossible = ({ captured, having, lacking, published }: Filter) =>
    !captured && !having && !lacking && !published
  const filters = parallelClients.flatMap((client, i) =>
    randomFilters(67 + i)
      .filter(isPossible)
      .map((filter, j) => ({ client, at: instants[j % instants.length]!, filter })),
  )
  it.each(played(filters))(
    'filters of $client at $at with $filter keep what a look at all pages keeps',
    async ({ client, at, filter }) => {
      const settings = { max_results: 50, source_policy: JSON.parse(JSON.stringify(optionsOf(filter))) }
      const fields = { search_queries: [EVERYWHERE], advanced_settings: settings }
      const urls = answerOf(await ask(client, { fields, at })).results.map(({ url }) => url)
      expectKept(urls, world.standing(at).filter(filter.keeps), 50)
    },
  )

  it.each(parallelClients)('%s gets pages that were published since a date', async client => {
    const at = '2025-03-01T08:30:00Z'
    const settings = { max_results: 50, source_policy: { after_date: '2025-01-01' } }
    const { results } = answerOf(
      await ask(client, { fields: { search_queries: [EVERYWHERE], advanced_settings: settings }, at }),
    )
    const from = Date.parse('2025-01-01')
    expectKept(
      results.map(({ url }) => url),
      world.standing(at).filter(({ content }) => (content?.publishedAt ?? 0) >= from),
      50,
    )
    expect(results.every(({ publish_date }) => (publish_date ?? '') >= '2025-01-01')).toBe(true)
  })

  it.each(pairs(parallelClients, [300, 1_000, 100_000]))(
    '%s gets excerpts of at most %d characters',
    async (client, most) => {
      const settings = { excerpt_settings: { max_chars_per_result: 200 } }
      const fields = {
        search_queries: ['report'],
        max_chars_total: most,
        advanced_settings: settings,
        session_id: 's-1',
      }
      const { results, session_id } = answerOf(await ask(client, { fields, at: '2025-07-01' }))
      const lengths = results.map(({ excerpts }) => excerpts.join('').length)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(200)
      expect(Math.max(...lengths)).toBeGreaterThan(100)
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(most)
      expect(session_id).toBe('s-1')
    },
  )

  it.each(played(pairs(parallelClients, pairs(instants, carriers))))(
    '%s extracts pages of %o, and says which it does not have',
    async (client, [at, carrier]) => {
      const urls = world.drawUrls(8, at.length + carrier.length)
      const fields = { urls, advanced_settings: { full_content: true } }
      const { results, errors } = answerOf(await ask(client, { method: 'extract', fields, carrier, at }))
      const standing = new Set(world.standing(at).map(({ url }) => url))
      expect(results.map(({ url }) => url)).toEqual(urls.filter(url => standing.has(url)))
      expect(errors?.map(({ url, http_status_code }) => [url, http_status_code])).toEqual(
        urls.filter(url => !standing.has(url)).map(url => [url, 404]),
      )
      for (const { url, full_content, excerpts } of results) {
        const text = await world.twinText(at, url)
        expect(full_content).toBe(text)
        expect(text?.startsWith(excerpts.join())).toBe(true)
      }
    },
  )

  it.each(parallelClients)('%s extracts what answers an objective', async client => {
    const [version] = world.standing('2025-01-01')
    const fields = { urls: [version!.url], objective: 'which edition is it?', max_chars_total: 40 }
    const { results } = answerOf(await ask(client, { method: 'extract', fields, at: '2025-01-01' }))
    expect(results[0]?.excerpts.join()).toContain('Edition')
    expect(results[0]?.full_content ?? null).toBeNull()
  })

  const refused: readonly [Ask, string][] = [
    [{ fields: { search_queries: [] } }, 'search_queries'],
    [{ fields: { search_queries: ['a', ' '] } }, 'search_queries'],
    [{ fields: { search_queries: ['a', 'b', 'c', 'd', 'e', 'f'] } }, 'search_queries'],
    [{ fields: { search_queries: ['a'], advanced_settings: { max_results: 51 } } }, 'max_results'],
    [
      { fields: { search_queries: ['a'], advanced_settings: { fetch_policy: { max_age_seconds: 600 } } } },
      'max_age_seconds',
    ],
    [{ fields: { search_queries: ['a'], advanced_settings: { source_policy: { after_date: 'soon' } } } }, 'after_date'],
    [{ fields: { search_queries: ['a'] }, carrier: 'field', at: 'soon' }, 'as_of'],
    [{ method: 'extract', fields: { urls: [] } }, 'urls'],
  ]
  it.each(played(pairs(parallelClients, refused)))(
    '%s with %o: an error of the client names the field, and nothing is charged',
    async (client, [asked, field]) => {
      const { error } = await refusedCall(world, () => ask(client, asked))
      expect(error).toMatchObject({ name: 'BadRequestError', message: expect.stringContaining(field) })
    },
  )

  it.each(parallelClients)('%s is warned of what is left out, and throws its error for a wrong key', async client => {
    const fields = { search_queries: ['a'], advanced_settings: { location: 'fr' } }
    const { warnings } = answerOf(await ask(client, { fields }))
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('location') })])
    const { error } = await refusedCall(world, () => ask(client, { fields, key: 'wrong' }))
    expect(error?.name).toBe('AuthenticationError')
  })

  it.each(pairs(parallelClients, carriers))(
    `${RANDOM_CALLS} random calls of %s by %s show nothing of later`,
    async (client, carrier) => {
      await expectNothingLater(world, carrier, async (query, at) => {
        const fields = { search_queries: [query], advanced_settings: { max_results: 5 } }
        const { results } = answerOf(await ask(client, { fields, carrier, at }))
        return results.map(({ url, title }) => ({ url, shows: ({ content }) => content?.title.trim() === title }))
      })
    },
  )
})
