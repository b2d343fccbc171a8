import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../running-server.ts'

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

async function send(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const type = response.headers.get('content-type')
  const text = await response.text()
  const json = type === 'text/event-stream' ? text.replace(/^event: message\ndata: /, '') : text
  return { status: response.status, type, message: JSON.parse(json) as Message }
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
})

describe('a message to /mcp', () => {
  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/json;q=0.1, text/event-stream', 'text/event-stream'],
  ])('is answered with Accept: %s', async (accept, type) => {
    expect(await send(ping, { Accept: accept })).toMatchObject({ status: 200, type, message: { id: 1, result: {} } })
  })

  it('is refused if neither form of an answer is accepted', async () => {
    expect(await send(ping, { Accept: 'text/html' })).toMatchObject({ status: 406, message: { id: 1, error: {} } })
  })

  it.each([{ params: null }, { params: [] }, { params: { _meta: null } }])('is answered with %j', async more => {
    expect(await send({ ...ping, ...more })).toMatchObject({ status: 200, message: { result: {} } })
  })

  it.each([
    { query: 'pool', max_results: '5' },
    { query: 'pool', sites: '["docs.example"]', filter: '{"price":{"lt":10}}' },
    { query: 'pool', site: null, filter: null, max_results: null },
    '{"query":"pool"}',
  ])('may have arguments as clients send them: %j', async given => {
    const params = { name: 'search_web_pages', arguments: given }
    const { message } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
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
    const { status, message } = await send(initialize(body), { 'MCP-Protocol-Version': header })
    expect([status, message.id, message.error?.code]).toEqual([400, 1, -32_020])
  })

  it('with a header that names another method is refused', async () => {
    const { status, message } = await send(initialize('2025-06-18'), { 'Mcp-Method': 'tools/list' })
    expect([status, message.error?.code]).toEqual([400, -32_020])
  })

  it.each([{}, { 'MCP-Protocol-Version': '2025-06-18' }])('is answered with the headers %j', async headers => {
    expect((await send(initialize('2025-06-18'), headers as Record<string, string>)).status).toBe(200)
  })
})

describe('the list of tools', () => {
  interface Entry {
    name: string
    inputSchema: { properties: object; additionalProperties?: unknown }
  }
  async function listed(url: string): Promise<Entry[]> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    return ((await response.json()) as { result: { tools: Entry[] } }).result.tools
  }
  const priced = { url: 'https://docs.example/', text: 'A pool', fields: { price: 5 } }
  const contract = [
    [
      'search_web_pages',
      'query site acquired_after acquired_before published_after published_before query_time snippet_max_length max_results',
    ],
    ['fetch_page_content', 'url max_chars live prompt'],
  ]

  it('has the arguments of the contract, in at most 5,000 characters', async () => {
    const plain = await startServer({ captures: [{ url: 'https://docs.example/', text: 'A page without fields' }] })
    const tools = await listed(plain.url)
    await plain.close()
    expect(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties).join(' ')])).toEqual(
      contract,
    )
    expect(JSON.stringify(tools).length).toBeLessThan(5_000)
    for (const { inputSchema } of tools) expect(inputSchema.additionalProperties).toBe(undefined)
  })

  it('has the arguments of the contract alone if the operator wants it, whatever fields there are', async () => {
    const short = await startServer({
      captures: [priced],
      http: { mcp: { allArguments: false } },
    })
    expect((await listed(short.url)).map(({ name }) => name)).toEqual(contract.map(([name]) => name))
    expect(Object.keys((await listed(short.url))[0]!.inputSchema.properties)).not.toContain('filter')
    await short.close()
  })

  it.each([
    ['if the operator wants it', () => startServer({ http: { mcp: { allArguments: true } } })],
    ['if pages have fields', () => startServer({ captures: [priced] })],
  ])('has every argument %s', async (_, start) => {
    const whole = await start()
    const [search, fetch] = await listed(whole.url)
    expect(Object.keys(search!.inputSchema.properties)).toEqual(expect.arrayContaining(['filter', 'facets', 'cursor']))
    expect(Object.keys(fetch!.inputSchema.properties)).toEqual(expect.arrayContaining(['start_index', 'query_time']))
    await whole.close()
  })
})
