import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clients, type Outcome, startClients } from './clients.ts'
import { EVERYWHERE, instants, queries, randomNumbers } from './corpus.ts'
import { expectKept, type Filter, randomFilters } from './filters.ts'
import { areInstalled } from './install.ts'
import { type Carrier, isFull, pairs, played, World } from './world.ts'

const installed = areInstalled()
if (!installed) console.warn('skipped: the stock clients are not installed; run npm run test:dialects')

// `extra_body` carries a field that the client has no argument for.
const carriers: readonly Carrier[] = ['field', 'path', 'key', 'sealed key']

describe.skipIf(!installed)('Perplexity by its stock client', () => {
  let world: World
  let clients: Clients
  beforeAll(async () => {
    ;[world, clients] = await Promise.all([World.open(), startClients()])
  })
  afterAll(async () => {
    clients?.close()
    await world?.close()
  })

  async function ask(
    query: string,
    options: object,
    carrier: Carrier = 'field',
    at?: string,
    key?: string,
  ): Promise<Outcome> {
    const plain = { base: `${world.server.url}/perplexity`, key: key ?? world.customer.key }
    const carried = at === undefined ? plain : await world.carried('perplexity', carrier, at)
    const named = at !== undefined && carrier === 'field' ? { extra_body: { snapshot_as_of: at } } : {}
    return await clients.call({
      client: 'perplexityai',
      ...carried,
      method: 'search',
      args: [],
      options: { query, ...options, ...named },
    })
  }

  const resultsOf = ({ value, error }: Outcome): { url: string; title: string; snippet: string }[] => {
    if (error) throw new Error(`${error.name}: ${error.message}`)
    return (value as { results: { url: string; title: string; snippet: string }[] }).results
  }

  const cases = pairs(carriers, instants).map(([carrier, at], i) => ({
    carrier,
    at,
    query: queries[i % queries.length]!,
  }))
  it.each(played(cases))(
    'by $carrier at $at finds for "$query" what the native route and a server without the future find',
    async ({ carrier, at, query }) => {
      const urls = resultsOf(await ask(query, { max_results: 10 }, carrier, at)).map(({ url }) => url)
      const native = { query, max_results: 10 }
      expect(urls).toEqual((await world.native({ ...native, query_time: at })).map(({ url }) => url))
      expect(urls).toEqual((await world.nativeTwin(at, native)).map(({ url }) => url))
      expect(urls.length).toBeGreaterThan(0)
    },
  )

  const date = (at: number) => {
    const day = new Date(at)
    return `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`
  }
  const optionsOf = ({ domains = [], excludedDomains = [], published }: Filter): object => ({
    search_domain_filter: [...domains, ...excludedDomains.map(domain => `-${domain}`)],
    search_after_date_filter: published && date(published[0]),
    search_before_date_filter: published && date(published[1]),
  })
  const filters = [47, 57].flatMap(seed =>
    randomFilters(seed)
      .filter(({ captured, having, lacking }) => !captured && !having && !lacking)
      .map((filter, i) => ({ at: instants[i % instants.length]!, filter })),
  )
  it.each(played(filters))(
    'filters at $at with $filter keep what a look at all pages keeps',
    async ({ at, filter }) => {
      const results = resultsOf(await ask(EVERYWHERE, { ...optionsOf(filter), max_results: 20 }, 'key', at))
      expectKept(
        results.map(({ url }) => url),
        world.standing(at).filter(filter.keeps),
        20,
      )
    },
  )

  it.each([
    [{ max_results: 21 }, 'max_results'],
    [{ search_mode: 'academic' }, 'search_mode'],
    [{ search_language_filter: ['en'] }, 'search_language_filter'],
    [{ search_after_date_filter: 'soon' }, 'search_after_date_filter'],
    [{ extra_body: { asOf: '2025-01-01' } }, 'asOf'],
  ])('with %j: an error of the client names the field, and nothing is charged', async (options, field) => {
    const [before, requests] = [await world.creditsOf(world.customer), world.records.length]
    const { error } = await ask('report', options)
    expect(error).toMatchObject({ name: 'BadRequestError', message: expect.stringContaining(field) })
    expect(await world.creditsOf(world.customer)).toBe(before)
    expect(world.records.length).toBe(requests + 1)
  })

  it('throws the error of the client for a wrong key', async () => {
    const { error } = await ask('report', {}, 'field', undefined, 'pplx-wrong')
    expect(error?.name).toBe('AuthenticationError')
  })

  const calls = isFull ? 1_000 : 20
  it.each(carriers)(`${calls} random calls by %s show nothing of later`, async carrier => {
    const random = randomNumbers(calls + carrier.length)
    let shown = 0
    const leaks: unknown[] = []
    for (let i = 0; i < calls; i += 1) {
      const at = instants[random(instants.length)]!
      const results = resultsOf(await ask(queries[random(queries.length)]!, { max_results: 5 }, carrier, at))
      const standing = new Map(world.standing(at).map(version => [version.url, version.content?.title.trim()]))
      for (const { url, title } of results) {
        shown += 1
        if (standing.get(url) !== title) leaks.push({ at, url, title })
      }
    }
    expect(leaks).toEqual([])
    expect(shown).toBeGreaterThan(calls)
  })
})
