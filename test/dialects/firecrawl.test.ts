import { describe, expect, it } from 'vitest'
import { installed, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy, snake } from './clients.ts'
import { EVERYWHERE, instants, queries, randomNumbers } from './corpus.ts'
import { expectKept, type Filter, randomFilters, slashDate } from './filters.ts'
import { expectNothingLater, isTextOf, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, type World } from './world.ts'

interface FirecrawlClient {
  client: string
  isPython: boolean
}

// The synchronous client of Python drops the path of its base URL, so it cannot reach a dialect.
const firecrawlClients: readonly FirecrawlClient[] = [
  { client: 'firecrawl', isPython: false },
  { client: 'firecrawl-py async', isPython: true },
]
const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']

interface Page {
  url?: string
  markdown?: string
  warning?: string
  metadata?: Record<string, unknown>
}

const webOf = (outcome: Outcome): Page[] => (returnedBy(outcome) as { web?: Page[] }).web ?? []
const pageOf = (outcome: Outcome): Page => returnedBy(outcome) as Page
/** Returns the address of a result, which the client of Python has in its metadata if the result has a page. */
const urlOf = ({ url, metadata }: Page): unknown => url ?? metadata?.url ?? metadata?.source_url

describe.skipIf(!installed)('Firecrawl by its stock clients', () => {
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
  async function ask({ client, isPython }: FirecrawlClient, asked: Ask): Promise<Outcome> {
    const { method = 'search', first, options = {}, carrier = 'key', at, key } = asked
    const carried = await world.carried('firecrawl', carrier, at)
    return await clients.call({
      client,
      base: carried.base,
      key: key ?? carried.key,
      method,
      args: [first],
      options: (isPython ? snake(options) : options) as Record<string, unknown>,
    })
  }

  const withPages = (limit: number) => ({ limit, scrapeOptions: { formats: ['markdown'] } })

  describe('as of an instant', () => {
    const cases = firecrawlClients.flatMap(client =>
      pairs(pairs(carriers, instants), [0, 1]).map(([[carrier, at], turn], i) => ({
        client,
        carrier,
        at,
        query: queries[(i + turn) % queries.length]!,
      })),
    )
    it.each(played(cases))(
      '$client.client by $carrier at $at finds for "$query" what the native route and a server without the future find',
      async ({ client, carrier, at, query }) => {
        const pages = webOf(await ask(client, { first: query, options: withPages(10), carrier, at }))
        const found = pages.map(page => ({ url: urlOf(page), text: page.markdown }))
        const native = { query, max_results: 10, content_max_chars: 50_000 }
        expect(found).toEqual(await world.native({ ...native, query_time: at }))
        expect(found).toEqual(await world.nativeTwin(at, native))
        expect(found.length).toBeGreaterThan(0)
      },
    )
  })

  describe('filters', () => {
    const optionsOf = ({ domains, excludedDomains, published }: Filter): object => ({
      includeDomains: domains,
      excludeDomains: excludedDomains,
      tbs: published && `cdr:1,cd_min:${slashDate(published[0])},cd_max:${slashDate(published[1])}`,
    })
    // Firecrawl has no field for when a page was captured, and none for words. Its clients take domains of one kind only.
    const isPossible = ({ captured, having, lacking, domains, excludedDomains }: Filter) =>
      !captured && !having && !lacking && !(domains && excludedDomains)
    const cases = firecrawlClients.flatMap((client, i) =>
      [27, 37].flatMap(seed =>
        randomFilters(seed + i)
          .filter(isPossible)
          .map((filter, j) => ({ client, at: instants[j % instants.length]!, filter })),
      ),
    )
    it.each(played(cases))(
      'of $client.client at $at with $filter keep what a look at all pages keeps',
      async ({ client, at, filter }) => {
        const options = JSON.parse(JSON.stringify({ ...optionsOf(filter), limit: 100 })) as object
        const pages = webOf(await ask(client, { first: EVERYWHERE, options, at }))
        expectKept(
          pages.map(page => String(urlOf(page))),
          world.standing(at).filter(filter.keeps),
          100,
        )
      },
    )

    it.each(played(pairs(firecrawlClients, [1, 2, 10, 50, 51, 100])))('%o has %d results', async (client, limit) => {
      const pages = webOf(await ask(client, { first: EVERYWHERE, options: { limit }, at: '2025-07-01' }))
      expect(new Set(pages.map(urlOf)).size).toBe(limit)
    })
  })

  describe('scrape', () => {
    const random = randomNumbers(23)
    const cases = firecrawlClients.flatMap(client =>
      pairs(pairs(carriers, instants), [0, 1]).map(([[carrier, at]]) => ({
        client,
        carrier,
        at,
        seed: random(1_000_000),
      })),
    )
    it.each(played(cases))(
      'by $client.client and $carrier at $at has the page of then, or says that there is none',
      async ({ client, carrier, at, seed }) => {
        const [url = ''] = world.drawUrls(1, seed)
        const outcome = await ask(client, {
          method: 'scrape',
          first: url,
          options: { formats: ['markdown'] },
          carrier,
          at,
        })
        const text = await world.twinText(at, url)
        if (text === undefined) expect(outcome.error?.message).toMatch(/h[eo]lds? no page|404/)
        else expect(pageOf(outcome).markdown).toBe(text)
      },
    )

    it.each(firecrawlClients)(
      'of now by $client asks no site for a page that the index saw recently enough',
      async client => {
        const version = world.standing('2025-11-01').at(-1)!
        const century = 100 * 365 * 86_400_000
        const outcome = await ask(client, {
          method: 'scrape',
          first: version.url,
          options: { formats: ['markdown', 'links'], maxAge: century },
        })
        expect(pageOf(outcome)).toMatchObject({ markdown: expect.stringContaining(EVERYWHERE), links: [] })
      },
    )
  })

  describe('refusals, warnings and errors', () => {
    const refused: readonly [string, object, string][] = [
      ['search', { limit: 10, tbs: 'qdr:x' }, 'tbs'],
      ['search', { limit: 10, includeDomains: ['*.com'] }, 'includeDomains'],
      ['scrape', { formats: ['rawHtml'] }, 'formats'],
      ['scrape', { formats: ['markdown'], headers: { a: 'b' } }, 'headers'],
      ['scrape', { formats: ['markdown'], waitFor: 10 }, 'waitFor'],
    ]
    it.each(played(pairs(firecrawlClients, refused)))(
      '%o with %j: an error of the client names the field, and nothing is charged',
      async (client, [method, options, field]) => {
        const first = method === 'search' ? 'report' : 'https://site1.example/'
        const { error } = await refusedCall(world, () => ask(client, { method, first, options, at: '2025-01-01' }))
        expect(error?.name).toBe(client.isPython ? 'BadRequestError' : 'SdkError')
        expect(error?.message).toContain(field)
      },
    )

    it.each(firecrawlClients)('$client is warned of formats that are left out', async client => {
      const [version] = world.standing('2025-01-01')
      const outcome = await ask(client, {
        method: 'scrape',
        first: version!.url,
        options: { formats: ['markdown', 'html'] },
        at: '2025-01-01',
      })
      expect(pageOf(outcome).warning).toContain('html')
    })

    const failures: readonly { title: string; status: number; python: string; key: () => Promise<string> }[] = [
      { title: 'a wrong key', status: 401, python: 'UnauthorizedError', key: async () => 'fc-wrong' },
      {
        title: 'no credits',
        status: 402,
        python: 'PaymentRequiredError',
        key: async () => (await world.addCustomer({ allowance: 0 })).key,
      },
    ]
    it.each(pairs(firecrawlClients, failures))(
      '%o gets %o as its own error, after one request',
      async (client, { status, python, key }) => {
        const given = await key()
        const refused = () => ask(client, { first: 'report', options: { limit: 1 }, key: given })
        const { error, status: sent } = await refusedCall(world, refused)
        expect(error?.name).toBe(client.isPython ? python : 'SdkError')
        if (!client.isPython) expect(error?.status).toBe(status)
        expect(sent).toBe(status)
      },
    )

    it.each(carriers)(
      'the synchronous client of Python, which drops the path of its base URL, fails by %s',
      async carrier => {
        const { error } = await ask(
          { client: 'firecrawl-py', isPython: true },
          {
            method: 'scrape',
            first: world.versions[0]!.url,
            options: { formats: ['markdown'] },
            carrier,
            at: '2025-01-01',
          },
        )
        expect(error?.message).toMatch(/404|not_found|no such path/i)
      },
    )
  })

  it.each(pairs(firecrawlClients, carriers))(
    `${RANDOM_CALLS} random calls of %o by %s show nothing of later`,
    async (client, carrier) => {
      await expectNothingLater(world, carrier, async (first, at) => {
        const pages = webOf(await ask(client, { first, options: withPages(5), carrier, at }))
        return pages.map(page => ({ url: urlOf(page), shows: version => isTextOf(version, page.markdown) }))
      })
    },
  )
})
