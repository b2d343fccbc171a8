import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addCustomer } from '../service/accounts/accounts.ts'
import { startServer } from '../transports/http/running-server.ts'
import { type Agent, generations } from '../transports/mcp/agents.ts'
import { endCommands, RunningCommand, run, serve, temporaryFolder } from './running-command.ts'

const main = path.join(import.meta.dirname, '../../transports/cli/main.ts')

describe('asof mcp', () => {
  let imported: Awaited<ReturnType<typeof temporaryFolder>>
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string
  const open: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    imported = await temporaryFolder()
    const file = path.join(imported.dir, 'pages.jsonl')
    const page = { url: 'https://example.com/', text: 'ships at sea', acquired_at: '2025-01-10T00:00:00Z' }
    await writeFile(file, JSON.stringify(page))
    expect((await run(['import', file, '--data', path.join(imported.dir, 'data')])).code).toBe(0)
  })
  afterAll(() => imported.remove())
  beforeEach(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
    await cp(path.join(imported.dir, 'data'), data, { recursive: true })
  })
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close()
    await endCommands()
    await folder.remove()
  })

  async function agent(
    connect: (typeof generations)[keyof typeof generations]['connect'],
    args: string[],
    env: Record<string, string> = {},
  ): Promise<Agent> {
    // Agents do not pass their own environment on.
    const { NODE_COMPILE_CACHE = '' } = process.env
    const reach = { command: process.execPath, args: [main, 'mcp', ...args], env: { NODE_COMPILE_CACHE, ...env } }
    const connected = await connect(reach)
    open.push(connected)
    return connected
  }

  async function expectAnswers(client: Agent, { rates = true } = {}): Promise<void> {
    const names = ['search_web_pages', 'fetch_page_content']
    if (rates) names.push('submit_search_feedback')
    expect((await client.tools()).map(({ name }) => name)).toEqual(names)
    const found = await client.call('search_web_pages', { query: 'ships' })
    expect(found.structured).toMatchObject({ mode: 'pro', results: [{ url: 'https://example.com/' }] })
    const page = await client.call('fetch_page_content', { url: 'https://example.com/' })
    expect(page.structured).toMatchObject({ content: 'ships at sea' })
    const override = { 'service/overrides': { mode: 'realtime' } }
    expect((await client.call('search_web_pages', { query: 'ships' }, override)).structured).toMatchObject({
      mode: 'realtime',
    })
    expect((await client.call('fetch_page_content', { url: 'https://none.example/' })).text).toMatch(
      /^Error not_indexed/,
    )
  }

  for (const [name, { revision, connect }] of Object.entries(generations)) {
    it(`answers ${name} from a data folder`, async () => {
      const client = await agent(connect, ['--data', data])
      if (client.revision !== undefined) expect(client.revision).toBe(revision)
      await expectAnswers(client)
    })

    it(`answers ${name} through the socket of a server that has the folder open`, async () => {
      await serve(data)
      await expectAnswers(await agent(connect, ['--data', data]))
    })

    it(`answers ${name} from a remote server, with a key also with the cost of each call`, async () => {
      const server = await startServer({
        accounts: true,
        captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
      })
      open.push(server)
      const { key } = await addCustomer(server.access)
      await expectAnswers(await agent(connect, ['--url', server.url]), { rates: false })
      const keyed = await agent(connect, ['--url', server.url, '--key', key])
      await expectAnswers(keyed)
      const { meta } = await keyed.call('search_web_pages', { query: 'ships' })
      expect(meta['service/usage']).toEqual({ sku: 'search.pro', amount: 1, credits: 1, paid: false })
    })
  }

  it('serves two agents on one folder, also after the first one, which had it open, exits', async () => {
    const { connect } = generations['the first client, 2025-11-25']
    const first = await agent(connect, ['--data', data])
    await first.call('search_web_pages', { query: 'ships' })
    const second = await agent(connect, ['--data', data])
    await expectAnswers(second)
    await first.close()
    await expectAnswers(second)
  })

  it('verifies quotes if that is turned on', async () => {
    const { connect } = generations['the second client, 2026-07-28']
    const client = await agent(connect, ['--data', data, '--mcp-verify'])
    const quotes = [{ url: 'https://example.com/', quote: 'Ships at sea' }]
    expect((await client.call('verify_quotes', { quotes })).structured).toMatchObject({
      verdicts: [{ verdict: 'verbatim', passage: { text: 'ships at sea' } }],
    })
  })

  it('offers the feedback tool unless it is turned off, and stores feedback', async () => {
    const { connect } = generations['the second client, 2026-07-28']
    const silent = await agent(connect, ['--data', data], { ASOF_MCP_FEEDBACK: 'off' })
    expect((await silent.tools()).map(({ name }) => name)).not.toContain('submit_search_feedback')
    const client = await agent(connect, ['--data', data])
    const feedback = { 'https://example.com/': 5 }
    expect((await client.call('submit_search_feedback', { query: 'ships', feedback })).text).toContain('1 judgment')
    await client.close()
    const { stdout } = await run(['feedback', 'export', '--data', data])
    expect(stdout).toMatch(/ 0 https:\/\/example\.com\/ 5\n$/)
  })

  it('writes only protocol messages to standard output, and exits at the end of its input', async () => {
    const command = new RunningCommand(['mcp', '--data', data])
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search_web_pages', arguments: { query: 'ships' } },
    }
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    command.child.stdin!.write(
      `not json\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`,
    )
    command.child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    command.child.stdin!.write(`${JSON.stringify(call)}\n`)
    await command.shows('stdout', /"id":2/)
    command.child.stdin!.end()
    const { code, stdout } = await command.finished
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { jsonrpc: string; id?: number })
    expect([code, messages.map(({ jsonrpc }) => jsonrpc)]).toEqual([0, messages.map(() => '2.0')])
    expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2]))
  })

  it('tells an agent that the server is not reachable, and what to do', async () => {
    const { connect } = generations['the first client, 2025-11-25']
    const client = await agent(connect, ['--url', 'http://127.0.0.1:9'])
    const { text } = await client.call('search_web_pages', { query: 'ships' })
    expect(text).toMatch(/^Error connection_failed: .*\nThe search server can't be reached/)
  })

  it('prints the client configuration and exits with --print-config', async () => {
    const { code, stdout } = await run(['mcp', '--data', data, '--print-config', 'cursor'])
    const { mcpServers } = JSON.parse(stdout) as { mcpServers: { asof: { command: string; args: string[] } } }
    expect([code, mcpServers.asof]).toEqual([0, { command: process.execPath, args: [main, 'mcp', '--data', data] }])
    expect((await run(['mcp', '--print-config', 'nobody'])).code).toBe(2)
  })
})
