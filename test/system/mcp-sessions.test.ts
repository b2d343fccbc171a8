import { afterEach, describe, expect, it } from 'vitest'
import { addCustomer, usageOf } from '../service/accounts/accounts.ts'
import { noLimits, type RunningServer, startServer } from '../transports/http/running-server.ts'
import { type Agent, generations } from '../transports/mcp/agents.ts'

const SESSIONS = 200

describe('the MCP endpoint', () => {
  let server: RunningServer | undefined
  afterEach(() => server?.close())

  it(`serves ${SESSIONS} concurrent clients of all protocol revisions and charges each call exactly once`, async () => {
    server = await startServer({
      accounts: true,
      captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
      http: { keylessLimits: noLimits, maxUnderWay: 2 * SESSIONS, maxConnectionsPerAddress: 1_000 },
    })
    const { key, org } = await addCustomer(server.access, { rate_limit: 1_000_000, allowance: 10 * SESSIONS })
    const reach = { url: `${server.url}/mcp`, headers: { 'X-API-Key': key } }
    const connects = Object.values(generations).map(({ connect }) => connect)
    const agents: Agent[] = await Promise.all(
      Array.from({ length: SESSIONS }, (_, i) => connects[i % connects.length]!(reach)),
    )
    const answers = await Promise.all(
      agents.map(async (agent, i) => {
        expect(await agent.tools()).toHaveLength(2)
        const found = await agent.call('search_web_pages', { query: 'ships', max_results: 1 + (i % 50) })
        const page = await agent.call('fetch_page_content', { url: 'https://example.com/' })
        return [found, page]
      }),
    )
    const results = answers.flat()
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(results.filter(({ meta }) => meta['service/usage'] === undefined)).toEqual([])
    expect(await usageOf(server.access, org)).toMatchObject({
      calls: { 'search.pro': SESSIONS, fetch: SESSIONS },
      credits_charged: 2 * SESSIONS,
    })
    await Promise.all(agents.map(agent => agent.close()))
  })
})
