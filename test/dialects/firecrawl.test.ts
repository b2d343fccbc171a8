import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clients, type Outcome, startClients } from './clients.ts'
import { EVERYWHERE, instants, queries, randomNumbers } from './corpus.ts'
import { expectKept, type Filter, randomFilters } from './filters.ts'
import { areInstalled } from './install.ts'
import { type Carrier, isFull, pairs, played, World } from './world.ts'

const installed = areInstalled()
if (!installed) console.warn('skipped: the stock clients are not installed; run npm run test:dialects')

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

const givenBy = ({ value, error }: Outcome): unknown => {
  if (error) throw new Error(`${error.name}: ${error.message}`)
  return value
}
const webOf = (outcome: Outcome): Page[] => (givenBy(outcome) as { web?: Page[] }).web ?? []
const pageOf = (outcome: Outcome): Page => givenBy(outcome) as Page
/** Returns the address of a result, which the client of Python has in its metadata if the result has a page. */
const urlOf = ({ url, metadata }: Page): unknown => url ?? metadata?.url ?? metadata?.source_url

function snake(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
    snake(inner),
  ])
  return Object.fromEntries(entries)
}

describe.skipIf(!installed)('Firecrawl by its stock clients', () => {
  let world: World
  let clients: Clients
  beforeAll(async () => {
    ;[world, clients] = await Promise.all([World.open(), startClients()])
  })
  afterAll(async () => {
    clients?.close()
    await world?.close()
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
    const carried =
      at === undefined
        ? { base: `${world.server.url}/firecrawl`, key: world.customer.key }
        : await world.carried('firecrawl', carrier, at)
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
    const date = (at: number) => {
      const day = new Date(at)
      return `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`
    }
    const optionsOf = ({ domains, excludedDomains, published }: Filter): object => ({
      includeDomains: domains,
      excludeDomains: excludedDomains,
      tbs: published && `cdr:1,cd_min:${date(published[0])},cd_max:${date(published[1])}`,
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
        const draw = randomNumbers(seed)
        const all = [...new Set(world.versions.map(({ url }) => url))]
        const url = all[draw(all.length)]!
        const outcome = await ask(client, {
          method: 'scrape',
          first: url,
          options: { formats: ['markdown'] },
          carrier,
          at,
        })
        const twin = await world.twin(at)
        const native = await fetch(`${twin.url}/v1/fetch/public?url=${encodeURIComponent(url)}`, {
          headers: { 'X-Service-Title': 'tests' },
        })
        if (native.ok) expect(pageOf(outcome).markdown).toBe(((await native.json()) as { content: string }).content)
        else expect(outcome.error?.message).toMatch(/h[eo]lds? no page|404/)
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
        const [before, requests] = [await world.creditsOf(world.customer), world.records.length]
        const first = method === 'search' ? 'report' : 'https://site1.example/'
        const { error } = await ask(client, { method, first, options, at: '2025-01-01' })
        expect(error?.name).toBe(client.isPython ? 'BadRequestError' : 'SdkError')
        expect(error?.message).toContain(field)
        expect(await world.creditsOf(world.customer)).toBe(before)
        expect(world.records.length).toBe(requests + 1)
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
        const requests = world.records.length
        const { error } = await ask(client, { first: 'report', options: { limit: 1 }, key: given })
        expect(error?.name).toBe(client.isPython ? python : 'SdkError')
        if (!client.isPython) expect(error?.status).toBe(status)
        expect(world.records.slice(requests).map(({ status: sent }) => sent)).toEqual([status])
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

  const calls = isFull ? 1_000 : 20
  it.each(pairs(firecrawlClients, carriers))(
    `${calls} random calls of %o by %s show nothing of later`,
    async (client, carrier) => {
      const random = randomNumbers(calls + carrier.length)
      let shown = 0
      const leaks: unknown[] = []
      for (let i = 0; i < calls; i += 1) {
        const at = instants[random(instants.length)]!
        const first = queries[random(queries.length)]!
        const pages = webOf(await ask(client, { first, options: withPages(5), carrier, at }))
        const standing = new Map(world.standing(at).map(version => [version.url, version]))
        for (const page of pages) {
          shown += 1
          const opening = standing.get(String(urlOf(page)))?.content?.text.split('\n', 1)[0]
          if (opening === undefined || !page.markdown?.includes(opening)) leaks.push({ at, url: urlOf(page) })
        }
      }
      expect(leaks).toEqual([])
      expect(shown).toBeGreaterThan(calls)
    },
  )
})
