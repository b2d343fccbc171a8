import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { libraryPhrasesIn } from '../../../library-phrases.ts'
import { type RunningServer, startServer } from '../running-server.ts'

/** All methods except `subscriptions/listen`, whose answer does not end. */
const methods = ['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'logging/setLevel']
const names = ['search_web_pages', 'fetch_page_content', 'submit_search_feedback', '__proto__', 'constructor']
const revisions = ['2025-03-26', '2025-11-25', '2026-07-28', '1999-01-01', '']

const value = fc.jsonValue({ maxDepth: 3 })
const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), value),
    id: fc.oneof(fc.integer(), fc.string(), value),
    method: fc.oneof(fc.constantFrom(...methods), fc.string()),
    params: fc.oneof(
      value,
      fc.record(
        {
          name: fc.oneof(fc.constantFrom(...names), value),
          arguments: fc.oneof(value, fc.record({ query: value, url: value, max_results: value }, { requiredKeys: [] })),
          _meta: fc.oneof(
            value,
            fc.record(
              {
                'service/overrides': value,
                'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constantFrom(...revisions), value),
                'io.modelcontextprotocol/clientCapabilities': value,
              },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)
const body = fc.oneof(
  message.map(given => JSON.stringify(given)),
  fc.array(message, { maxLength: 4 }).map(given => JSON.stringify(given)),
  value.map(given => JSON.stringify(given)),
  fc.string(),
)
const header = fc.option(fc.constantFrom(...revisions, ...methods, ...names), { nil: undefined })

describe('any message to /mcp', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({
      accounts: true,
      captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
      fetchPage: () => Promise.reject(new Error('no test fetches anything')),
    })
  })
  afterAll(() => server.close())

  it('is answered, never with an internal failure', async () => {
    await fc.assert(
      fc.asyncProperty(body, header, header, header, async (text, revision, method, name) => {
        const headers: Record<string, string> = {
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
        }
        if (revision !== undefined) headers['MCP-Protocol-Version'] = revision
        if (method !== undefined) headers['Mcp-Method'] = method
        if (name !== undefined) headers['Mcp-Name'] = name
        const answer = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: text })
        expect(answer.status).toBeLessThan(500)
        expect((await answer.text()).match(/invalid_type|Invalid input|Too (?:big|small)|Unrecognized key/)).toBeNull()
      }),
      { numRuns: 100 },
    )
    const unexpected = server.failures.filter(failure => String(failure) !== 'Error: no test fetches anything')
    expect(unexpected).toEqual([])
  })

  it.each([
    ['tools/call', { name: 5 }, 'params.name: must be text'],
    ['tools/call', { name: 'search_web_pages', arguments: 'x' }, 'params.arguments: must be a JSON object'],
    ['initialize', { protocolVersion: 5 }, 'params.protocolVersion: must be text; params.capabilities: required'],
  ])('of a wrong form is refused without words of a library: %s %j', async (method, params, told) => {
    const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const text = await (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: message })).text()
    expect(text).toContain(told)
    expect(libraryPhrasesIn(text)).toEqual([])
  })
})
