import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientError, createClient, type InputOf } from '../../transports/client/index.ts'
import { addCustomer } from '../service/accounts/accounts.ts'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { buyer, type PaidServer, startPaidServer } from '../store/payments/paid-server.ts'
import { RunningCommand } from '../system/running-command.ts'
import { noLimits, query } from './http/running-server.ts'
import { type Agent, connect } from './mcp/agents.ts'

const lamps = Array.from({ length: 5 }, (_, i) => ({
  url: `https://${i === 4 ? 'other' : 'shop'}.example/${i}`,
  text: 'A lamp.',
  publishedAt: `202${i}-05-01`,
  fields: { tags: i % 2 === 0 ? ['desk', 'brass'] : 'wall', price: 10 * i },
  acquiredAt: Date.UTC(2025, 0, 1 + i),
}))

/** An answer, or the text of a refusal. */
interface Answer {
  refusal?: string
  results?: { url: string }[]
  facets?: unknown
  total?: unknown
  next?: string
}

let chain: LocalChain
let server: PaidServer
let agent: Agent
const tokens = { key: '', storefront: '' }
let pay: typeof fetch

beforeAll(async () => {
  chain = await startChain()
  server = await startPaidServer(chain, { captures: lamps, accounts: true, http: { keylessLimits: noLimits } })
  tokens.key = (await addCustomer(server.access)).key
  const registered = await server.access.registerAgent()
  tokens.storefront = registered.token
  const plan = server.access.plans[0]!.id
  await server.access.administer('plan.grant', { agent: registered.agent.id, plan, order: 'o1' }, 'tests')
  pay = buyer(await chain.payer())
  agent = await connect({ url: `${server.url}/mcp` })
})
afterAll(async () => {
  await agent.close()
  await server.close()
  await chain.close()
})

async function read(response: Response): Promise<Answer> {
  const body = (await response.json()) as Answer & { details?: unknown }
  return response.ok ? body : { refusal: JSON.stringify(body.details) }
}

async function posted(path: string, request: InputOf<'search'>, headers: object, send = fetch): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  return await read(await send(server.url + path, { ...init, body: JSON.stringify(request) }))
}

/** The request as a query string: lists are separated by commas, objects are JSON. */
function inQuery(request: InputOf<'search'>): string {
  const text = (value: unknown) =>
    Array.isArray(value) ? value.join() : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return query(Object.fromEntries(Object.entries(request).map(([name, value]) => [name, text(value)])))
}

async function ofCommand(request: InputOf<'search'>): Promise<Answer> {
  const { query, ...options } = request
  const flags = Object.entries(options).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join() : typeof value === 'object' ? JSON.stringify(value) : String(value)
    return [`--${name.replaceAll('_', '-')}`, text]
  })
  const command = new RunningCommand(['search', query, ...flags, '--json', '--url', server.url])
  const { code, stdout, stderr } = await command.finished
  return code === 0 ? (JSON.parse(stdout) as Answer) : { refusal: stderr }
}

/** Each way to search, and the fields that all of its answers have besides those of spec 2.2. */
const fronts: [name: string, ask: (request: InputOf<'search'>) => Promise<Answer>, others: string[]][] = [
  ['a keyless POST', request => posted('/v1/search/public', request, { 'X-Service-Title': 'tests' }), []],
  [
    'a keyless GET',
    async request => read(await fetch(`${server.url}/v1/search/public?service_title=tests&${inQuery(request)}`)),
    [],
  ],
  ['a call with a key', request => posted('/v1/search', request, { 'X-API-Key': tokens.key }), []],
  ['a paid call (x402)', request => posted('/v1/x402/search', request, {}, pay), []],
  [
    'a call of the storefront',
    request => posted('/v1/storefront/search', request, { authorization: `Bearer ${tokens.storefront}` }),
    [],
  ],
  [
    'an agent (MCP)',
    async request => {
      const { text, structured, isError } = await agent.call('search_web_pages', { ...request })
      return isError ? { refusal: text } : { ...structured }
    },
    ['untrusted'],
  ],
  [
    'the client',
    async request => {
      try {
        return await createClient({ url: server.url, title: 'tests' }).search(request)
      } catch (error) {
        if (error instanceof ClientError) return { refusal: JSON.stringify(error.details) }
        throw error
      }
    },
    [],
  ],
  ['the command line', ofCommand, ['receipt']],
]

const urls = ({ results = [] }: Answer) => results.map(({ url }) => url)
const counts = (...values: [value: string | number, count: number][]) =>
  values.map(([value, count]) => ({ value, count }))
const shop = (i: number) => `https://shop.example/${i}`

describe.each(fronts)('%s', (_, ask, others) => {
  it('counts facets, sorts by a field, and leads from page to page without repetitions', async () => {
    const request = { query: 'lamp', sort: 'price:desc', max_results: 2 }
    const first = await ask({ ...request, facets: ['tags', 'price:20'] })
    expect(first.facets).toEqual({
      tags: counts(['brass', 3], ['desk', 3], ['wall', 2]),
      'price:20': counts([0, 2], [20, 2], [40, 1]),
    })
    expect(first.total).toEqual({ value: 5, exact: true })
    const found = urls(first)
    let { next } = first
    while (next !== undefined) {
      const answer: Answer = await ask({ ...request, cursor: next })
      found.push(...urls(answer))
      next = answer.next
    }
    expect(found).toEqual(['https://other.example/4', shop(3), shop(2), shop(1), shop(0)])
  })

  it('lists all pages of some sites that fulfill a filter, from an offset', async () => {
    const answer = await ask({
      query: '*',
      sites: ['shop.example', 'other.example'],
      exclude_sites: ['other.example'],
      filter: { price: { gte: 10 } },
      sort: 'published_at',
      offset: 1,
    })
    expect(urls(answer)).toEqual([shop(2), shop(3)])
    expect(answer.total).toEqual({ value: 3, exact: true })
    expect(answer.next).toBeUndefined()
  })

  it('has no further field in the answer to a request without these options', async () => {
    const answer = await ask({ query: 'lamp', sites: ['shop.example'] })
    expect(Object.keys(answer).sort()).toEqual(['mode', 'query', 'results', ...others].sort())
  })

  it('refuses an unknown order and names its field', async () => {
    expect((await ask({ query: 'lamp', sort: 'price:up' })).refusal).toContain('sort')
    expect((await ask({ query: 'lamp', sort: 'tags' })).refusal).toContain('sort')
  })
})
