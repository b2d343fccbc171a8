import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy } from './clients.ts'
import { EVERYWHERE, instants, queries, randomNumbers } from './corpus.ts'
import { expectKept, type Filter, randomFilters } from './filters.ts'
import { expectNothingLater, isTextOf, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, type World } from './world.ts'

interface TavilyClient {
  client: string
  isPython: boolean
}

const tavilyClients: readonly TavilyClient[] = [
  { client: '@tavily/core', isPython: false },
  { client: 'tavily-python', isPython: true },
  { client: 'tavily-python async', isPython: true },
]
const carriers: readonly Carrier[] = ['query_time', 'path', 'key', 'sealed key']

interface TavilyResult {
  title: string
  url: string
  content: string
  score: number
  rawContent?: string | null
  raw_content?: string | null
}

const givenBy = (outcome: Outcome) => returnedBy(outcome) as Record<string, unknown>
const resultsOf = (outcome: Outcome): TavilyResult[] => givenBy(outcome).results as TavilyResult[]
const rawOf = ({ rawContent, raw_content }: TavilyResult) => rawContent ?? raw_content ?? null

/** Returns options as a client of JavaScript names them. */
function camel(options: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      // The client passes on what it does not know, as it is.
      name === 'query_time' ? name : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

describe.skipIf(!installed)('Tavily by its stock clients', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    method?: string
    first: unknown
    options?: object
    carrier?: Carrier
    at?: string
    key?: string
  }

  /** Makes a call, whose instant is named by a carrier. */
  async function ask({ client, isPython }: TavilyClient, asked: Ask): Promise<Outcome> {
    const { method = 'search', first, options = {}, carrier = 'query_time', at, key } = asked
    const carried = await world.carried('tavily', carrier, at)
    const all = at !== undefined && carrier === 'query_time' ? { ...options, query_time: at } : options
    return await clients.call({
      client,
      base: carried.base,
      key: key ?? carried.key,
      method,
      args: [first],
      options: isPython ? { ...all } : camel(all),
    })
  }

  describe('as of an instant', () => {
    const cases = tavilyClients.flatMap(client => instantCases(carriers).map(one => ({ client, ...one })))
    it.each(played(cases))(
      '$client.client by $carrier at $at finds for "$query" what the native route and a server without the future find',
      async ({ client, carrier, at, query }) => {
        const options = { max_results: 10, include_raw_content: 'markdown' }
        const results = resultsOf(await ask(client, { first: query, options, carrier, at }))
        const found = results.map(result => ({ url: result.url, text: rawOf(result) }))
        const native = { query, max_results: 10, content_max_chars: 50_000 }
        expect(found).toEqual(await world.native({ ...native, query_time: at }))
        expect(found).toEqual(await world.nativeTwin(at, native))
        expect(found.length).toBeGreaterThan(0)
      },
    )

    it.each(played(pairs(tavilyClients, queries)))(
      '%o finds for "%s" of now what the native route finds',
      async (client, query) => {
        const results = resultsOf(
          await ask(client, { first: query, options: { max_results: 10, include_raw_content: 'markdown' } }),
        )
        const native = await world.native({ query, max_results: 10 })
        expect(results.map(({ url }) => url)).toEqual(native.map(({ url }) => url))
        expect(results.every(({ score }, i) => score >= 0 && score <= (results[i - 1]?.score ?? 1))).toBe(true)
      },
    )
  })

  describe('filters', () => {
    const date = (at: number) => new Date(at).toISOString()
    const optionsOf = ({ domains, excludedDomains, published, having }: Filter): object => ({
      include_domains: domains,
      exclude_domains: excludedDomains,
      start_date: published && date(published[0]),
      end_date: published && date(published[1]),
      exact_match: having && true,
    })
    // Tavily has no field for when a page was captured, and none for words that it must not have.
    const isPossible = ({ captured, lacking }: Filter) => captured === undefined && lacking === undefined
    const cases = tavilyClients.flatMap((client, i) =>
      randomFilters(17 + i)
        .filter(isPossible)
        .map((filter, j) => ({ client, at: instants[j % instants.length]!, filter })),
    )
    it.each(played(cases))(
      'of $client.client at $at with $filter keep what a look at all pages keeps',
      async ({ client, at, filter }) => {
        const options = JSON.parse(JSON.stringify({ ...optionsOf(filter), max_results: 20 })) as object
        const results = resultsOf(await ask(client, { first: filter.having ?? EVERYWHERE, options, at }))
        expectKept(
          results.map(({ url }) => url),
          world.standing(at).filter(filter.keeps),
          20,
        )
      },
    )

    it.each(played(pairs(tavilyClients, [1, 2, 5, 19, 20])))('%o has %d results', async (client, max_results) => {
      const results = resultsOf(await ask(client, { first: EVERYWHERE, options: { max_results }, at: '2025-07-01' }))
      expect(new Set(results.map(({ url }) => url)).size).toBe(max_results)
    })

    it.each(tavilyClients)(
      '$client has five results by default, all of whose fields have their types',
      async client => {
        const value = givenBy(await ask(client, { first: EVERYWHERE }))
        expect(value.results).toHaveLength(5)
        for (const result of value.results as TavilyResult[])
          expect(result).toMatchObject({
            title: expect.any(String),
            url: expect.any(String),
            content: expect.any(String),
            score: expect.any(Number),
          })
        expect(value).toMatchObject({ query: EVERYWHERE, images: [], answer: null })
        expect(value.responseTime ?? value.response_time).toEqual(expect.any(Number))
      },
    )
  })

  describe('extract', () => {
    const random = randomNumbers(13)
    const cases = tavilyClients.flatMap(client =>
      pairs(carriers, [1, 3, 11, 20]).map(([carrier, size], i) => ({
        client,
        carrier,
        size,
        at: instants[i % instants.length]!,
        seed: random(1_000_000),
      })),
    )
    it.each(played(cases))(
      'of $size pages by $client.client and $carrier at $at is of then',
      async ({ client, carrier, size, at, seed }) => {
        const urls = world.drawUrls(size, seed)
        const value = givenBy(await ask(client, { method: 'extract', first: urls, carrier, at }))
        const standing = new Set(world.standing(at).map(({ url }) => url))
        const results = value.results as TavilyResult[]
        expect(results.map(({ url }) => url)).toEqual(urls.filter(url => standing.has(url)))
        const failed = (value.failedResults ?? value.failed_results) as { url: string }[]
        expect(failed.map(({ url }) => url)).toEqual(urls.filter(url => !standing.has(url)))
        for (const result of results) expect(rawOf(result)).toBe(await world.twinText(at, result.url))
      },
    )

    it.each(tavilyClients)('of $client answers a query from each page', async client => {
      const [version] = world.standing('2025-01-01')
      const value = givenBy(
        await ask(client, {
          method: 'extract',
          first: [version!.url],
          options: { query: 'version number' },
          at: '2025-01-01',
        }),
      )
      expect(value.results).toHaveLength(1)
    })
  })

  describe('refusals and warnings', () => {
    const refused: readonly [object, string][] = [
      [{ max_results: 21 }, 'max_results'],
      [{ start_date: 'soon' }, 'start_date'],
      [{ end_date: 'soon' }, 'end_date'],
      [{ time_range: 'decade' }, 'time_range'],
      [{ time_range: 'week', start_date: '2025-01-01' }, 'time_range'],
      [{ include_domains: ['*.com'] }, 'include_domains'],
      [{ max_hours: 3 }, 'max_hours'],
      [{ filter_by_language: true }, 'filter_by_language'],
      [{ query_time: 'soon' }, 'query_time'],
      [{ query_time: '2999-01-01' }, 'query_time'],
      [{ as_of: '2025-01-01' }, 'as_of|asOf'],
    ]
    it.each(played(pairs(tavilyClients, refused)))(
      '%o with %j: an error of the client names the field, and nothing is charged',
      async (client, [options, field]) => {
        const { error } = await refusedCall(world, () => ask(client, { first: 'report', options }))
        expect(error?.name).toBe(client.isPython ? 'BadRequestError' : 'Error')
        expect(error?.message).toMatch(new RegExp(field))
      },
    )

    const leftOut: readonly [object, string][] = [
      [{ topic: 'news' }, 'topic'],
      [{ country: 'france' }, 'country'],
      [{ include_answer: true }, 'include_answer'],
      [{ include_images: true }, 'include_images'],
      [{ apiKey: 'tvly-secret' }, ''],
    ]
    it.each(played(pairs(tavilyClients, leftOut)))(
      '%o with %j: the answer is that without it',
      async (client, [options, field]) => {
        const outcome = await ask(client, { first: 'market report', options, at: '2025-01-01' })
        const plain = await ask(client, { first: 'market report', at: '2025-01-01' })
        const urls = (one: Outcome) => resultsOf(one).map(({ url }) => url)
        expect(urls(outcome)).toEqual(urls(plain))
        // The client of JavaScript drops warnings.
        if (client.isPython && field !== '') expect(givenBy(outcome).warnings).toEqual([expect.stringContaining(field)])
        expect(JSON.stringify([outcome, world.records.at(-2)])).not.toContain('tvly-secret')
      },
    )
  })

  describe('errors', () => {
    const failures: readonly {
      title: string
      status: number
      python: string
      make: () => Promise<Partial<Ask>>
    }[] = [
      { title: 'a wrong key', status: 401, python: 'InvalidAPIKeyError', make: async () => ({ key: 'tvly-wrong' }) },
      {
        title: 'no credits',
        status: 432,
        python: 'ForbiddenError',
        make: async () => ({ key: (await world.addCustomer({ allowance: 0 })).key }),
      },
      {
        title: 'a disabled key',
        status: 403,
        python: 'ForbiddenError',
        make: async () => {
          const { key, keyId } = await world.addCustomer({})
          await world.server.access.administer('key.disable', { id: keyId }, 'tests')
          return { key }
        },
      },
      {
        title: 'an invalid field',
        status: 400,
        python: 'BadRequestError',
        make: async () => ({ options: { max_results: 99 } }),
      },
    ]
    it.each(played(pairs(tavilyClients, failures)))(
      '%o gets %o as its own error, after one request',
      async (client, { status, python, make }) => {
        const more = await make()
        const { error, status: sent } = await refusedCall(world, () => ask(client, { first: 'report', ...more }))
        expect(error?.name).toBe(client.isPython ? python : 'Error')
        expect(error?.message).toMatch(/\w/)
        expect(sent).toBe(status)
      },
    )

    it.each(tavilyClients)('$client pays one credit for a search with whole texts', async client => {
      const customer = await world.addCustomer({ credits: 10, allowance: 0 })
      const options = { include_raw_content: 'markdown', max_results: 20, include_usage: true }
      const value = givenBy(await ask(client, { first: 'report', options, key: customer.key }))
      expect(await world.creditsOf(customer)).toBe(1)
      expect(value.usage).toEqual({ credits: 1 })
    })

    it.each(tavilyClients)('$client cannot leave the instant of a sealed key', async client => {
      const { key } = await world.carried('tavily', 'sealed key', '2025-01-01')
      const { error } = await ask(client, { first: 'report', options: { query_time: '2025-07-01' }, key })
      expect(error?.message).toContain('query_time')
    })

    it('@tavily/core searches without a key', async () => {
      const [client] = tavilyClients
      const results = resultsOf(await ask(client!, { first: 'market report', key: '' }))
      expect(results).toHaveLength(5)
      expect(world.records.at(-1)).toMatchObject({ applicationTitle: 'tavily-js-keyless' })
    })
  })

  it.each(pairs(tavilyClients, carriers))(
    `${RANDOM_CALLS} random calls of %o by %s show nothing of later`,
    async (client, carrier) => {
      await expectNothingLater(world, carrier, async (first, at) => {
        const outcome = await ask(client, { first, options: { include_raw_content: 'markdown' }, carrier, at })
        return resultsOf(outcome).map(result => ({
          url: result.url,
          shows: version => isTextOf(version, rawOf(result)),
        }))
      })
    },
  )
})
