import { describe, expect, it } from 'vitest'
import { installed, instantCases, openForTests } from './by-clients.ts'
import { type Clients, returnedBy } from './clients.ts'
import { instants, queries, randomNumbers } from './corpus.ts'
import { type Carrier, isFull, pairs, played, type World } from './world.ts'

const exaClients = ['exa-js', 'exa-py', 'exa-py async']
const tavilyClients = ['@tavily/core', 'tavily-python', 'tavily-python async']
const allClients = [...exaClients, ...tavilyClients]
const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']
const RANDOM_SEARCHES = isFull ? 300 : 10
const CHUNK_CHARS = 500

/** A result with its passages, which are in the Markdown of its page word for word. */
interface WithPassages {
  url: string
  passages: string[]
}

describe.skipIf(!installed)('passages of results by stock clients', () => {
  let world: World
  let clients: Clients
  openForTests((...opened) => {
    ;[world, clients] = opened
  })

  interface Ask {
    query: string
    carrier?: Carrier
    at: string
  }

  async function exa(
    client: string,
    highlights: object | true,
    { query, carrier = 'key', at }: Ask,
  ): Promise<WithPassages[]> {
    const carried = await world.carried('exa', carrier, at)
    const [count, contents] = client === 'exa-js' ? ['numResults', highlights] : ['num_results', snakeOf(highlights)]
    const options = { [count]: 5, contents: { highlights: contents } }
    const value = returnedBy(await clients.call({ client, ...carried, method: 'search', args: [query], options }))
    const { results } = value as { results: { url: string; highlights: string[] }[] }
    return results.map(({ url, highlights: passages }) => ({ url, passages }))
  }

  const snakeOf = (highlights: object | true) =>
    highlights === true || !('maxCharacters' in highlights)
      ? highlights
      : { ...highlights, maxCharacters: undefined, max_characters: highlights.maxCharacters }

  async function tavily(
    client: string,
    options: { chunks?: number; depth?: string },
    asked: Ask,
  ): Promise<WithPassages[]> {
    const { query, carrier = 'key', at } = asked
    const carried = await world.carried('tavily', carrier, at)
    const isPython = client !== '@tavily/core'
    const named = isPython
      ? { chunks_per_source: options.chunks, search_depth: options.depth }
      : { chunksPerSource: options.chunks, searchDepth: options.depth }
    const value = returnedBy(
      await clients.call({ client, ...carried, method: 'search', args: [query], options: named }),
    )
    const { results } = value as { results: { url: string; content: string }[] }
    return results.map(({ url, content }) => ({ url, passages: content.split(' [...] ') }))
  }

  /** Expects each passage to be in the page as of the instant, on a server that never received anything later. */
  async function expectVerbatim(results: readonly WithPassages[], at: string): Promise<void> {
    expect(results.length).toBeGreaterThan(0)
    for (const { url, passages } of results) {
      const text = await world.twinText(at, url)
      expect(passages.length).toBeGreaterThan(0)
      for (const passage of passages) expect(text).toContain(passage)
    }
  }

  const lengthOf = ({ passages }: WithPassages) => passages.reduce((sum, text) => sum + text.length, 0)

  it.each(played(exaClients.flatMap(client => instantCases(carriers).map(one => ({ client, ...one })))))(
    'highlights by $client and $carrier at $at for "$query" are verbatim, and not longer than asked for',
    async ({ client, ...asked }) => {
      await expectVerbatim(await exa(client, true, asked), asked.at)
      const results = await exa(client, { maxCharacters: 250 }, asked)
      await expectVerbatim(results, asked.at)
      for (const result of results) expect(lengthOf(result)).toBeLessThanOrEqual(250)
    },
  )

  it.each(played(pairs(exaClients, instants)))(
    'highlights by %s at %s may answer another query',
    async (client, at) => {
      const results = await exa(client, { query: 'edition', maxCharacters: 180 }, { query: 'report', at })
      await expectVerbatim(results, at)
      for (const { passages } of results) expect(passages.join()).toContain('Edition: ')
    },
  )

  it.each(
    played(
      tavilyClients.flatMap(client =>
        instantCases(carriers).map((one, i) => ({ client, chunks: 1 + (i % 3), ...one })),
      ),
    ),
  )('$chunks chunks by $client and $carrier at $at for "$query" are verbatim', async ({ client, chunks, ...asked }) => {
    const results = await tavily(client, { chunks }, asked)
    await expectVerbatim(results, asked.at)
    for (const { passages } of results) {
      expect(passages.length).toBeLessThanOrEqual(chunks)
      for (const passage of passages) expect(passage.length).toBeLessThanOrEqual(CHUNK_CHARS)
    }
  })

  it.each(tavilyClients)('an advanced search by %s has up to three chunks, for one credit', async client => {
    const before = await world.creditsOf(world.customer)
    const results = await tavily(client, { depth: 'advanced' }, { query: 'report copper', at: '2025-07-01' })
    await expectVerbatim(results, '2025-07-01')
    expect(Math.max(...results.map(({ passages }) => passages.length))).toBeGreaterThan(1)
    expect(await world.creditsOf(world.customer)).toBe(before + 1)
  })

  it.each(carriers)(`${RANDOM_SEARCHES} random searches by %s show no passage of later`, async carrier => {
    const random = randomNumbers(carrier.length)
    for (let i = 0; i < RANDOM_SEARCHES; i += 1) {
      const asked = { query: queries[random(queries.length)]!, at: instants[random(instants.length)]!, carrier }
      const client = allClients[random(allClients.length)]!
      const results = exaClients.includes(client)
        ? await exa(client, { maxCharacters: 200 + random(2_000) }, asked)
        : await tavily(client, { chunks: 1 + random(3) }, asked)
      await expectVerbatim(results, asked.at)
    }
  })
})
