import { describe, expect, it } from 'vitest'
import { installed, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy, snake } from './clients.ts'
import { instants, randomNumbers, type Version } from './corpus.ts'
import { type Carrier, isFull, pairs, played, type World } from './world.ts'

/** A client of a service that lists the pages of a site. */
interface MapClient {
  client: string
  dialect: 'firecrawl' | 'tavily'
  isPython: boolean
}

const firecrawlClients: readonly MapClient[] = [
  { client: 'firecrawl', dialect: 'firecrawl', isPython: false },
  { client: 'firecrawl-py async', dialect: 'firecrawl', isPython: true },
]
const tavilyClients: readonly MapClient[] = [
  { client: '@tavily/core', dialect: 'tavily', isPython: false },
  { client: 'tavily-python', dialect: 'tavily', isPython: true },
  { client: 'tavily-python async', dialect: 'tavily', isPython: true },
]
const mapClients = [...firecrawlClients, ...tavilyClients]
const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']
const RANDOM_MAPS = isFull ? 1_000 : 20

/** Returns the addresses in an answer of either service. */
function urlsOf(outcome: Outcome): string[] {
  const { links, results } = returnedBy(outcome) as { links?: { url: string }[]; results?: string[] }
  return links ? links.map(({ url }) => url) : (results ?? [])
}

describe.skipIf(!installed)('the pages of a site by stock clients', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    url: string
    options?: object
    carrier?: Carrier
    at?: string
  }

  /** Makes a call, whose instant is named by a carrier. Options have the names of the client of JavaScript. */
  async function ask({ client, dialect, isPython }: MapClient, asked: Ask): Promise<Outcome> {
    const { url, options = {}, carrier = 'key', at } = asked
    const carried = await world.carried(dialect, carrier, at)
    const named = (isPython ? snake(options) : options) as Record<string, unknown>
    return await clients.call({ client, ...carried, method: 'map', args: [url], options: named })
  }

  /** Returns the addresses that a look at all pages finds, in any order. */
  const expected = (at: string, keeps: (version: Version) => boolean) =>
    world
      .standing(at)
      .filter(keeps)
      .map(({ url }) => url)
      .sort()

  /** Lists the pages of a site by the native route of a server that never received anything after an instant. */
  async function twinUrls(at: string, fields: object): Promise<string[]> {
    const { url } = await world.twin(at)
    const headers = { 'Content-Type': 'application/json', 'X-Service-Title': 'tests' }
    const response = await fetch(`${url}/v1/map/public`, { method: 'POST', headers, body: JSON.stringify(fields) })
    return ((await response.json()) as { urls: { url: string }[] }).urls.map(one => one.url)
  }

  const hosts = ['site0.example', 'site7.example', 'site39.example']
  it.each(played(pairs(pairs(mapClients, carriers), pairs(instants, hosts))))(
    'by %o are for %o what a server without the future lists',
    async ([client, carrier], [at, host]) => {
      const found = urlsOf(await ask(client, { url: `https://${host}/`, carrier, at }))
      expect(found).toEqual(await twinUrls(at, { url: `https://${host}/` }))
      expect([...found].sort()).toEqual(expected(at, version => version.host === host))
    },
  )

  it.each(played(pairs(mapClients, instants)))('by %o at %s are those below an address', async (client, at) => {
    const found = urlsOf(await ask(client, { url: 'site3.example/docs', at }))
    expect(found.sort()).toEqual(
      expected(at, ({ host, path }) => host === 'site3.example' && path.startsWith('/docs/')),
    )
  })

  it.each(pairs(mapClients, [1, 2, 5]))('by %o are at most %d', async (client, limit) => {
    const found = urlsOf(await ask(client, { url: 'https://site5.example/', options: { limit }, at: '2025-07-01' }))
    const all = await twinUrls('2025-07-01', { url: 'https://site5.example/' })
    expect(all.length).toBeGreaterThan(5)
    expect(found).toEqual(all.slice(0, limit))
  })

  it.each(pairs(firecrawlClients, instants))('by %o at %s have the words that are searched for', async (client, at) => {
    const host = world.standing(at)[0]!.host
    const search = 'report copper'
    const found = urlsOf(await ask(client, { url: `https://${host}/`, options: { search }, at }))
    expect(found).toEqual(await twinUrls(at, { url: `https://${host}/`, search }))
    expect(found).not.toEqual([])
  })

  const isOf = (host: string) => (version: Version) => version.host === host
  const patterns: readonly { title: string; options: object; keeps: (version: Version) => boolean }[] = [
    {
      title: 'selected paths',
      options: { selectPaths: ['/docs/.*', '^/news/b/'] },
      keeps: ({ path }) => path.startsWith('/docs/') || path.startsWith('/news/b/'),
    },
    {
      title: 'excluded paths',
      options: { excludePaths: ['/docs(earch)?/', 'x{2,}'] },
      keeps: ({ path }) => path.startsWith('/news/'),
    },
    {
      title: 'selected and excluded paths',
      options: { selectPaths: ['^/docs/'], excludePaths: ['/a/'] },
      keeps: ({ path }) => path.startsWith('/docs/b/'),
    },
    { title: 'another domain', options: { selectDomains: ['^other\\.example$'] }, keeps: () => false },
    { title: 'an excluded domain', options: { excludeDomains: ['^site9\\.'] }, keeps: () => false },
    { title: 'this domain', options: { selectDomains: ['site9.example'] }, keeps: () => true },
    { title: 'a small depth', options: { maxDepth: 2 }, keeps: () => false },
    { title: 'a depth', options: { maxDepth: 3 }, keeps: () => true },
  ]
  it.each(played(pairs(tavilyClients, patterns)))('by %o with %o are those of a look at all', async (client, one) => {
    const at = '2025-03-01T08:30:00Z'
    const found = urlsOf(await ask(client, { url: 'https://site9.example', options: one.options, at }))
    expect(found.sort()).toEqual(expected(at, version => isOf('site9.example')(version) && one.keeps(version)))
  })

  const refused: readonly [MapClient, object, RegExp][] = [
    ...firecrawlClients.flatMap((client): [MapClient, object, RegExp][] => [
      [client, { sitemap: 'only' }, /sitemap/],
      [client, { limit: 100_001 }, /limit/],
    ]),
    ...tavilyClients.flatMap((client): [MapClient, object, RegExp][] => [
      [client, { limit: 5_001 }, /limit/],
      [client, { maxDepth: 6 }, /max_depth/],
      [client, { selectPaths: ['(a'] }, /select_paths/],
      [client, { excludeDomains: ['*.example.com'] }, /exclude_domains/],
      [client, { categories: ['Blogs'] }, /categories/],
    ]),
  ]
  it.each(played(refused))(
    'by %o with %j: an error of the client names the field, and nothing is charged',
    async (client, options, field) => {
      const { error, status } = await refusedCall(world, () => ask(client, { url: 'https://site1.example/', options }))
      expect(error?.message).toMatch(field)
      expect(status).toBe(400)
    },
  )

  it.each(mapClients)('by $client cost one credit', async client => {
    const before = await world.creditsOf(world.customer)
    await ask(client, { url: 'https://site1.example/' })
    expect(await world.creditsOf(world.customer)).toBe(before + 1)
  })

  it.each(tavilyClients.filter(({ isPython }) => isPython))('by $client come with warnings', async client => {
    const options = { maxDepth: 1, maxBreadth: 20, instructions: 'only fares', allowExternal: true }
    const { warnings } = returnedBy(await ask(client, { url: 'https://site1.example/', options })) as {
      warnings: string[]
    }
    for (const field of ['max_depth', 'max_breadth', 'instructions', 'allow_external'])
      expect(warnings).toContainEqual(expect.stringContaining(field))
  })

  it.each(pairs(mapClients, carriers))(
    `${RANDOM_MAPS} random lists of %o by %s have no page of later`,
    async (client, carrier) => {
      const random = randomNumbers(carrier.length)
      let shown = 0
      for (let i = 0; i < RANDOM_MAPS; i += 1) {
        const at = instants[random(instants.length)]!
        const host = `site${random(40)}.example`
        const found = urlsOf(await ask(client, { url: `https://${host}/`, carrier, at }))
        const standing = new Set(expected(at, isOf(host)))
        expect(found.filter(url => !standing.has(url))).toEqual([])
        shown += found.length
      }
      expect(shown).toBeGreaterThan(RANDOM_MAPS)
    },
  )
})
