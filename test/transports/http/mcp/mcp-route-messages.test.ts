import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialize, ping, toolCall } from '../../mcp/messages.ts'
import { post, type RunningServer, startServer } from '../running-server.ts'
import { accept, send } from './mcp-servers.ts'

let server: RunningServer
beforeAll(async () => {
  const page = { url: 'https://docs.example/pool', text: 'A pool keeps connections', fields: { price: 5 } }
  server = await startServer({ captures: [page] })
})
afterAll(() => server.close())

interface Message {
  id?: unknown
  result?: { isError?: boolean; structuredContent?: { results: object[] } }
  error?: { code: number }
}

async function answerTo(message: unknown, headers: Record<string, string> = {}) {
  const response = await send(`${server.url}/mcp`, message, { Accept: 'application/json', ...headers })
  const type = response.headers.get('content-type')
  const text = await response.text()
  const json = type === 'text/event-stream' ? text.replace(/^event: message\ndata: /, '') : text
  return { status: response.status, type, message: JSON.parse(json) as Message }
}

describe('a message to /mcp', () => {
  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/json;q=0.1, text/event-stream', 'text/event-stream'],
  ])('is answered with Accept: %s', async (accept, type) => {
    expect(await answerTo(ping(), { Accept: accept })).toMatchObject({
      status: 200,
      type,
      message: { id: 1, result: {} },
    })
  })

  it('is refused if neither form of an answer is accepted', async () => {
    expect(await answerTo(ping(), { Accept: 'text/html' })).toMatchObject({
      status: 406,
      message: { id: 1, error: {} },
    })
  })

  it.each([{ params: null }, { params: [] }, { params: { _meta: null } }])('is answered with %j', async more => {
    expect(await answerTo(ping(1, more))).toMatchObject({ status: 200, message: { result: {} } })
  })

  it.each([
    { query: 'pool', max_results: '5' },
    { query: 'pool', sites: '["docs.example"]', filter: '{"price":{"lt":10}}' },
    { query: 'pool', site: null, filter: null, max_results: null },
    '{"query":"pool"}',
  ])('may have arguments as clients send them: %j', async given => {
    const { message } = await answerTo(toolCall('search_web_pages', given))
    expect(message.result?.structuredContent?.results).toHaveLength(1)
  })
})

describe('initialize', () => {
  it.each([
    ['2025-06-18', '2025-03-26'],
    ['2025-03-26', '2025-11-25'],
    ['2025-06-18', '1999-01-01'],
    ['2025-06-18', '2026-07-28'],
    ['2025-06-18', 'latest'],
  ])('with the revision %s in the body and %s in the header is refused', async (body, header) => {
    const { status, message } = await answerTo(initialize(body), { 'MCP-Protocol-Version': header })
    expect([status, message.id, message.error?.code]).toEqual([400, 1, -32_020])
  })

  it('with a header that names another method is refused', async () => {
    const { status, message } = await answerTo(initialize('2025-06-18'), { 'Mcp-Method': 'tools/list' })
    expect([status, message.error?.code]).toEqual([400, -32_020])
  })

  it.each([{}, { 'MCP-Protocol-Version': '2025-06-18' }])('is answered with the headers %j', async headers => {
    expect((await answerTo(initialize('2025-06-18'), headers as Record<string, string>)).status).toBe(200)
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'agrees on revision %s with a client that asks for it, without a session',
    async revision => {
      const answer = await send(`${server.url}/mcp`, initialize(revision), { 'Accept-Encoding': 'gzip' })
      expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
      expect(await answer.text()).toContain(`"protocolVersion":"${revision}"`)
    },
  )
})

describe('/mcp', () => {
  it('refuses a batch of more than 50 messages', async () => {
    const batch = Array.from({ length: 51 }, (_, id) => ping(id))
    expect(await post(`${server.url}/mcp`, batch, accept)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('accepts one call in a request, and keeps no session', async () => {
    const two = [toolCall('search_web_pages', { query: 'a' }, 1), toolCall('search_web_pages', { query: 'b' }, 2)]
    expect(await post(`${server.url}/mcp`, two, accept)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(`${server.url}/mcp`, { method, headers: accept })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      await answer.body?.cancel()
    }
  })

  it('stops although a client waits for notifications', async () => {
    const waiting = await startServer()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    }
    const params = { notifications: { toolsListChanged: true }, _meta: meta }
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' }
    const stream = await send(`${waiting.url}/mcp`, message, headers)
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await waiting.close()
    expect(await stream.text()).toContain('data:')
  })
})
