import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests, refusedCall } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy, snake } from './clients.ts'
import { instants, queries, randomNumbers, type Version } from './corpus.ts'
import { type Carrier, isFull, pairs, played, type World } from './world.ts'

const jsonClients = [
  { client: 'firecrawl', isPython: false },
  { client: 'firecrawl-py async', isPython: true },
] as const
const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']
const RANDOM_PAGES = isFull ? 1_000 : 20

const schema = {
  type: 'object',
  properties: { edition: { type: 'integer' }, color: { type: 'string' } },
  required: ['edition'],
}
const json = { type: 'json', schema }

interface Page {
  url?: string
  markdown?: string
  json?: { edition: number | null; color: string | null }
  warning?: string
  metadata?: { url?: string }
}

const editionOf = ({ content }: Version) => Number(/Edition: (\d+)/.exec(content?.text ?? '')?.[1])

describe.skipIf(!installed)('values of pages by the stock clients of Firecrawl', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    method?: string
    first: string
    options: object
    carrier?: Carrier
    at?: string | undefined
  }

  async function ask(
    { client, isPython }: (typeof jsonClients)[number],
    { method = 'scrape', first, options, carrier = 'key', at }: Ask,
  ): Promise<Outcome> {
    const carried = await world.carried('firecrawl', carrier, at)
    const named = (isPython ? snake(options) : options) as Record<string, unknown>
    return await clients.call({ client, ...carried, method, args: [first], options: named })
  }

  const cases = jsonClients.flatMap(client => instantCases(carriers).map(one => ({ client, ...one })))
  it.each(played(cases))(
    '$client.client by $carrier at $at reads the values of then, beside the text or alone',
    async ({ client, carrier, at }) => {
      const [version, other] = world.standing(at)
      const asked = { client, first: version!.url, carrier, at }
      const alone = returnedBy(await ask(client, { ...asked, options: { formats: [json] } })) as Page
      expect(alone.json).toEqual({ edition: editionOf(version!), color: null })
      expect(alone.warning).toContain('/color')
      expect(alone.markdown ?? null).toBeNull()
      const first = other!.url
      const both = returnedBy(await ask(client, { ...asked, first, options: { formats: ['markdown', json] } })) as Page
      expect(both.json?.edition).toBe(editionOf(other!))
      expect(both.markdown).toBe(await world.twinText(at, first))
    },
  )

  it.each(played(pairs(jsonClients, pairs(instants, queries))))(
    '%o searches for %o and reads the values of each page',
    async (client, [at, query]) => {
      const options = { limit: 25, scrapeOptions: { formats: [json] } }
      const { web } = returnedBy(await ask(client, { method: 'search', first: query, options, at })) as { web: Page[] }
      const standing = new Map(world.standing(at).map(version => [version.url, version]))
      expect(web.length).toBeGreaterThan(0)
      for (const page of web) {
        const version = standing.get(page.url ?? page.metadata?.url ?? '')
        expect(page.json?.edition).toBe(version && editionOf(version))
      }
    },
  )

  it.each(jsonClients)('$client of now reads the values of a page of the index, and asks no site', async client => {
    const version = world.standing('2025-11-01').at(-1)!
    const asked = { first: version.url, options: { formats: [json] } }
    const page = returnedBy(await ask(client, asked)) as Page
    expect(page.json?.edition).toBe(editionOf(version))
    expect(page.warning).toContain('maxAge')
  })

  const wrong = { ...schema, properties: { edition: { type: 'integer', pattern: 'a' }, color: { $ref: '#/x' } } }
  it.each([
    ...pairs(jsonClients, [{ method: 'scrape', options: { formats: [{ type: 'json', schema: wrong }] } }]),
    ...pairs(jsonClients, [{ method: 'scrape', options: { formats: [{ type: 'json', prompt: 'the edition' }] } }]),
    ...pairs(jsonClients, [
      { method: 'search', options: { scrapeOptions: { formats: ['markdown', { type: 'json', schema: wrong }] } } },
    ]),
  ])(
    '%o with %j: an error of the client names the format, and nothing is charged',
    async (client, { method, options }) => {
      const first = method === 'search' ? 'report' : world.versions[0]!.url
      const { error, status } = await refusedCall(world, () =>
        ask(client, { method, first, options, at: '2025-01-01' }),
      )
      expect([status, error?.message]).toEqual([400, expect.stringContaining('formats')])
    },
  )

  it.each(pairs(jsonClients, carriers))(
    `of ${RANDOM_PAGES} random pages by %o and %s are never those of later`,
    async (client, carrier) => {
      const random = randomNumbers(carrier.length + 1)
      const options = { formats: [json] }
      let read = 0
      for (let i = 0; i < RANDOM_PAGES; i += 1) {
        const at = instants[random(instants.length)]!
        const { url } = world.versions[random(world.versions.length)]!
        const outcome = await ask(client, { first: url, options, carrier, at })
        const version = world.standing(at).find(one => one.url === url)
        if (version) read += 1
        if (version) expect((returnedBy(outcome) as Page).json?.edition).toBe(editionOf(version))
        else expect(outcome.error).toBeDefined()
      }
      expect(read).toBeGreaterThan(RANDOM_PAGES / 4)
    },
  )
})
