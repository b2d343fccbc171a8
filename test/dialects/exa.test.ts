import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy, snake, snakeName } from './clients.ts'
import { EVERYWHERE, instants, queries, randomNumbers } from './corpus.ts'
import { expectKept, type Filter, randomFilters } from './filters.ts'
import { expectNothingLater, isTextOf, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, instantOf, pairs, played, type World } from './world.ts'

/** A client with its names of methods and of options. */
interface ExaClient {
  client: string
  isPython: boolean
  carriers: readonly Carrier[]
}

const exaClients: readonly ExaClient[] = [
  { client: 'exa-js', isPython: false, carriers: ['field', 'query_time', 'path', 'key', 'sealed key'] },
  { client: 'exa-py', isPython: true, carriers: ['field', 'path', 'key', 'sealed key'] },
  { client: 'exa-py async', isPython: true, carriers: ['field', 'path', 'key', 'sealed key'] },
]

interface ExaResult {
  url: string
  text?: string
  score?: number
  snapshotAt?: string
  author?: string
  publishedDate?: string
  published_date?: string
}

const resultsOf = (outcome: Outcome): ExaResult[] => (returnedBy(outcome) as { results: ExaResult[] }).results

const TEXT_CHARS = 3_000

describe.skipIf(!installed)('Exa by its stock clients', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    method: string
    first: unknown
    options?: object
    carrier?: Carrier
    at?: string
    key?: string
  }

  /** Makes a call, whose instant is named by a carrier. */
  async function ask(
    { client, isPython }: ExaClient,
    { method, first, options = {}, carrier = 'field', at, key }: Ask,
  ): Promise<Outcome> {
    const carried = await world.carried('exa', carrier, at)
    const isSearch = method !== 'getContents'
    let all: object = options
    if (at !== undefined && carrier === 'query_time') all = { ...options, query_time: at }
    if (at !== undefined && carrier === 'field') {
      const { contents = {} } = options as { contents?: object }
      all = isSearch ? { ...options, contents: { ...contents, snapshotAsOf: at } } : { ...options, snapshotAsOf: at }
    }
    return await clients.call({
      client,
      base: carried.base,
      key: key ?? carried.key,
      method: isPython ? snakeName(method) : method,
      args: [first],
      options: (isPython ? snake(all) : all) as Record<string, unknown>,
    })
  }

  /** Returns the results of a search as addresses and texts. */
  const search = async (client: ExaClient, query: string, options: object, more: Partial<Ask> = {}) =>
    resultsOf(await ask(client, { method: 'search', first: query, options, ...more })).map(({ url, text }) => ({
      url,
      text,
    }))

  const withText = (numResults: number) => ({ numResults, contents: { text: { maxCharacters: TEXT_CHARS } } })

  describe('as of an instant', () => {
    const cases = exaClients.flatMap(client => instantCases(client.carriers).map(one => ({ client, ...one })))
    it.each(played(cases))(
      '$client.client by $carrier at $at finds for "$query" what the native route and a server without the future find',
      async ({ client, carrier, at, query }) => {
        const found = await search(client, query, withText(10), { carrier, at })
        const native = { query, max_results: 10, content_max_chars: TEXT_CHARS }
        expect(found).toEqual(await world.native({ ...native, query_time: at }))
        expect(found).toEqual(await world.nativeTwin(at, native))
        expect(found.length).toBeGreaterThan(0)
      },
    )

    it.each(played(pairs(exaClients, queries)))(
      '%o finds for "%s" of now what the native route finds',
      async (client, query) => {
        const found = await search(client, query, withText(10))
        expect(found).toEqual(await world.native({ query, max_results: 10, content_max_chars: TEXT_CHARS }))
      },
    )
  })

  describe('filters', () => {
    const iso = (at: number) => new Date(at).toISOString()
    const optionsOf = ({ domains, excludedDomains, published, captured, having, lacking }: Filter): object => ({
      includeDomains: domains,
      excludeDomains: excludedDomains,
      startPublishedDate: published && iso(published[0]),
      endPublishedDate: published && iso(published[1]),
      startCrawlDate: captured && iso(captured[0]),
      endCrawlDate: captured && iso(captured[1]),
      includeText: having && [having],
      excludeText: lacking && [lacking],
    })
    const cases = exaClients.flatMap((client, i) =>
      randomFilters(7 + i).map((filter, j) => ({ client, at: instants[j % instants.length]!, filter })),
    )
    it.each(played(cases))(
      'of $client.client at $at with $filter keep what a look at all pages keeps',
      async ({ client, at, filter }) => {
        const options = JSON.parse(JSON.stringify({ ...optionsOf(filter), numResults: 100, contents: {} })) as object
        const found = await search(client, EVERYWHERE, options, { at })
        expectKept(
          found.map(({ url }) => url),
          world.standing(at).filter(filter.keeps),
          100,
        )
      },
    )

    it.each(played(pairs(exaClients, [1, 2, 9, 10, 11, 49, 50, 51, 99, 100])))(
      '%o has %d results',
      async (client, numResults) => {
        const outcome = await ask(client, {
          method: 'search',
          first: EVERYWHERE,
          options: { numResults, contents: {} },
          at: '2025-07-01',
        })
        const results = resultsOf(outcome)
        expect(new Set(results.map(({ url }) => url)).size).toBe(numResults)
        const scores = results.map(({ score = -1 }) => score)
        expect(scores.every((score, i) => score >= 0 && score <= (scores[i - 1] ?? 1))).toBe(true)
      },
    )
  })

  describe('contents', () => {
    const random = randomNumbers(11)
    const sizes = [1, 2, 5, 11, 30]
    const cases = exaClients.flatMap(client =>
      pairs(['field', 'path', 'key', 'sealed key'] as const, sizes).map(([carrier, size], i) => ({
        client,
        carrier,
        size,
        at: instants[i % instants.length]!,
        seed: random(1_000_000),
      })),
    )
    it.each(played(cases))(
      '$size pages by $client.client and $carrier at $at are those of then',
      async ({ client, carrier, size, at, seed }) => {
        const urls = world.drawUrls(size, seed)
        const outcome = await ask(client, { method: 'getContents', first: urls, options: { text: true }, carrier, at })
        const standing = new Map(world.standing(at).map(version => [version.url, version]))
        const expected = urls.filter(url => standing.has(url))
        const results = resultsOf(outcome)
        expect(results.map(({ url }) => url)).toEqual(expected)
        for (const { url, text = '' } of results) expect(text).toBe(await world.twinText(at, url))
        const { statuses } = outcome.value as { statuses: { id: string; status: string }[] }
        expect(statuses.map(({ id, status }) => [id, status])).toEqual(
          urls.map(url => [url, standing.has(url) ? 'success' : 'error']),
        )
      },
    )

    it.each(played(pairs(exaClients, instants)))(
      'similar pages by %o at %s are of then, and not the page itself',
      async (client, at) => {
        const [version] = world.standing(at)
        const outcome = await ask(client, {
          method: 'findSimilar',
          first: version!.url,
          options: { numResults: 5, contents: {} },
          carrier: 'key',
          at,
        })
        const urls = resultsOf(outcome).map(({ url }) => url)
        const standing = new Set(world.standing(at).map(({ url }) => url))
        expect(urls.length).toBeGreaterThan(0)
        expect(urls.filter(url => !standing.has(url) || url === version!.url)).toEqual([])
      },
    )
  })

  describe('refusals and warnings', () => {
    const refused: readonly [object, string][] = [
      [{ numResults: 101 }, 'numResults'],
      [{ contents: { livecrawl: 'always' } }, 'contents.livecrawl'],
      [{ contents: { maxAgeHours: 0 } }, 'contents.maxAgeHours'],
      [{ contents: { snapshotAsOf: 'soon' } }, 'contents.snapshotAsOf'],
      [{ contents: { snapshotAsOf: '2999-01-01' } }, 'contents.snapshotAsOf'],
      [{ startPublishedDate: 'soon' }, 'startPublishedDate'],
      [{ endCrawlDate: 'soon' }, 'endCrawlDate'],
      [{ includeDomains: ['*.com'] }, 'includeDomains'],
      [{ includeText: ['!!'] }, 'includeText'],
    ]
    it.each(played(pairs(exaClients, refused)))(
      '%o with %j: an error of the client names the field, and nothing is charged',
      async (client, [options, field]) => {
        const { error } = await refusedCall(world, () => ask(client, { method: 'search', first: 'report', options }))
        expect(error).toMatchObject({
          name: client.isPython ? 'ValueError' : 'ExaError',
          message: expect.stringContaining(field),
        })
        if (!client.isPython) expect(error?.status).toBe(400)
      },
    )

    const leftOut: readonly [object, string][] = [
      [{ category: 'news' }, 'category'],
      [{ userLocation: 'US' }, 'userLocation'],
      [{ contents: { text: { includeHtmlTags: true } } }, 'includeHtmlTags'],
      [{ contents: { summary: true } }, 'summary'],
      [{ contents: { subpages: 2 } }, 'subpages'],
    ]
    it.each(played(pairs(exaClients, leftOut)))(
      '%o with %j: the answer is that without it, and warns',
      async (client, [options, field]) => {
        const outcome = await ask(client, {
          method: 'search',
          first: 'market report',
          options: { contents: {}, ...options },
          at: '2025-01-01',
        })
        const plain = await ask(client, {
          method: 'search',
          first: 'market report',
          options: { contents: {} },
          at: '2025-01-01',
        })
        const urls = (one: Outcome) => resultsOf(one).map(({ url }) => url)
        expect(urls(outcome)).toEqual(urls(plain))
        expect(JSON.stringify([outcome.warnings, outcome.value])).toContain(field)
      },
    )
  })

  describe('errors', () => {
    const failures: readonly {
      title: string
      status: number
      make: () => Promise<Partial<Ask> & { method?: string }>
    }[] = [
      { title: 'a wrong key', status: 401, make: async () => ({ key: 'asof_wrong' }) },
      {
        title: 'no credits',
        status: 402,
        make: async () => ({ key: (await world.addCustomer({ allowance: 0 })).key }),
      },
      {
        title: 'a disabled key',
        status: 403,
        make: async () => {
          const { key, keyId } = await world.addCustomer({})
          await world.server.access.administer('key.disable', { id: keyId }, 'tests')
          return { key }
        },
      },
      { title: 'an invalid field', status: 400, make: async () => ({ options: { numResults: 1_000 } }) },
      {
        title: 'a page that is not there',
        status: 404,
        make: async () => ({ method: 'findSimilar', first: 'https://none.example/' }),
      },
      { title: 'an answer by a model', status: 501, make: async () => ({ method: 'answer' }) },
    ]
    it.each(played(pairs(exaClients, failures)))(
      '%o gets %o as its own error, after one request',
      async (client, { status, make }) => {
        const more = await make()
        const refused = () => ask(client, { method: 'search', first: 'report', options: {}, ...more })
        const { error, status: sent } = await refusedCall(world, refused)
        expect(error?.name).toBe(client.isPython ? 'ValueError' : 'ExaError')
        if (client.isPython) expect(error?.message).toContain(`${status}`)
        else expect(error?.status).toBe(status)
        expect(sent).toBe(status)
      },
    )

    it.each(exaClients)('$client pays one credit for a search with texts', async client => {
      const customer = await world.addCustomer({ credits: 10, allowance: 0 })
      await ask(client, { method: 'search', first: 'report', key: customer.key })
      expect(await world.creditsOf(customer)).toBe(1)
    })

    it.each(exaClients)('$client cannot leave the instant of a sealed key', async client => {
      const { key } = await world.carried('exa', 'sealed key', '2025-01-01')
      const { error } = await ask(client, {
        method: 'search',
        first: 'report',
        options: { contents: { snapshotAsOf: '2025-07-01' } },
        key,
      })
      expect(error?.message).toContain('snapshotAsOf')
    })
  })

  const carriersOf = exaClients.flatMap(client => client.carriers.map(carrier => ({ client, carrier })))
  it.each(carriersOf)(
    `${RANDOM_CALLS} random calls of $client.client by $carrier show nothing of later`,
    async ({ client, carrier }) => {
      await expectNothingLater(world, carrier, async (first, at) => {
        const outcome = await ask(client, { method: 'search', first, options: withText(5), carrier, at })
        return resultsOf(outcome).map(({ url, text, snapshotAt }) => ({
          url,
          shows: version =>
            isTextOf(version, text) && (snapshotAt === undefined || Date.parse(snapshotAt) <= instantOf(at)),
        }))
      })
    },
  )
})
