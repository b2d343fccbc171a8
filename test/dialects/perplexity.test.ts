import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy } from './clients.ts'
import { EVERYWHERE, instants } from './corpus.ts'
import { expectKept, type Filter, randomFilters, slashDate } from './filters.ts'
import { expectNothingLater, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, played, type World } from './world.ts'

// `extra_body` carries a field that the client has no argument for.
const carriers: readonly Carrier[] = ['field', 'path', 'key', 'sealed key']

describe.skipIf(!installed)('Perplexity by its stock client', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  async function ask(
    query: string,
    options: object,
    carrier: Carrier = 'field',
    at?: string,
    key?: string,
  ): Promise<Outcome> {
    const carried = await world.carried('perplexity', carrier, at)
    const named = at !== undefined && carrier === 'field' ? { extra_body: { snapshot_as_of: at } } : {}
    return await clients.call({
      client: 'perplexityai',
      base: carried.base,
      key: key ?? carried.key,
      method: 'search',
      args: [],
      options: { query, ...options, ...named },
    })
  }

  const resultsOf = (outcome: Outcome) => (returnedBy(outcome) as { results: { url: string; title: string }[] }).results

  it.each(played(instantCases(carriers)))(
    'by $carrier at $at finds for "$query" what the native route and a server without the future find',
    async ({ carrier, at, query }) => {
      const urls = resultsOf(await ask(query, { max_results: 10 }, carrier, at)).map(({ url }) => url)
      const native = { query, max_results: 10 }
      expect(urls).toEqual((await world.native({ ...native, query_time: at })).map(({ url }) => url))
      expect(urls).toEqual((await world.nativeTwin(at, native)).map(({ url }) => url))
      expect(urls.length).toBeGreaterThan(0)
    },
  )

  const optionsOf = ({ domains = [], excludedDomains = [], published }: Filter): object => ({
    search_domain_filter: [...domains, ...excludedDomains.map(domain => `-${domain}`)],
    search_after_date_filter: published && slashDate(published[0]),
    search_before_date_filter: published && slashDate(published[1]),
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
    const { error } = await refusedCall(world, () => ask('report', options))
    expect(error).toMatchObject({ name: 'BadRequestError', message: expect.stringContaining(field) })
  })

  it('throws the error of the client for a wrong key', async () => {
    const { error } = await ask('report', {}, 'field', undefined, 'pplx-wrong')
    expect(error?.name).toBe('AuthenticationError')
  })

  it.each(carriers)(`${RANDOM_CALLS} random calls by %s show nothing of later`, async carrier => {
    await expectNothingLater(world, carrier, async (query, at) => {
      const results = resultsOf(await ask(query, { max_results: 5 }, carrier, at))
      return results.map(({ url, title }) => ({ url, shows: ({ content }) => content?.title.trim() === title }))
    })
  })
})
