import { describe, expect, it } from 'vitest'
import { listTools } from '../../mcp/messages.ts'
import type { ServerOptions } from '../running-server.ts'
import { agent, send, startMcp } from './mcp-servers.ts'

describe('the list of tools', () => {
  interface Entry {
    name: string
    inputSchema: { properties: object; additionalProperties?: unknown }
  }
  async function listed(url: string): Promise<Entry[]> {
    const answer = await send(url, listTools(), { Accept: 'application/json' })
    return ((await answer.json()) as { result: { tools: Entry[] } }).result.tools
  }
  const priced = { url: 'https://docs.example/', text: 'A pool', fields: { price: 5 } }
  const argumentsOf = (tools: readonly Entry[]) =>
    tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties).join(' ')])
  const contract = [
    [
      'search_web_pages',
      'query site acquired_after acquired_before published_after published_before query_time snippet_max_length max_results',
    ],
    ['fetch_page_content', 'url max_chars live prompt'],
  ]

  it('has the arguments of the contract, in at most 5,000 characters', async () => {
    const tools = await listed((await startMcp()).url)
    expect(argumentsOf(tools)).toEqual(contract)
    expect(JSON.stringify(tools).length).toBeLessThan(5_000)
    for (const { inputSchema } of tools) expect(inputSchema.additionalProperties).toBe(undefined)
  })

  it('has the arguments of the contract alone if the operator wants it, whatever fields there are', async () => {
    const { url } = await startMcp({ captures: [priced], http: { mcp: { allArguments: false } } })
    expect(argumentsOf(await listed(url))).toEqual(contract)
  })

  it.each<[string, ServerOptions]>([
    ['if the operator wants it', { http: { mcp: { allArguments: true } } }],
    ['if pages have fields', { captures: [priced] }],
  ])('has every argument %s', async (_, options) => {
    const [search, fetch] = await listed((await startMcp(options)).url)
    expect(Object.keys(search!.inputSchema.properties)).toEqual(expect.arrayContaining(['filter', 'facets', 'cursor']))
    expect(Object.keys(fetch!.inputSchema.properties)).toEqual(expect.arrayContaining(['start_index', 'query_time']))
  })
})

describe('a tool that is not of the contract', () => {
  it('lets agents verify quotes if the operator turned it on, charged as a fetch', async () => {
    const names = async (at: string) => (await (await agent({ url: at })).tools()).map(({ name }) => name)
    expect(await names((await startMcp()).url)).not.toContain('verify_quotes')
    const { url, key } = await startMcp({ http: { mcp: { verify: true } } })
    expect(await names(url)).toEqual(['search_web_pages', 'fetch_page_content', 'verify_quotes'])
    const page = await (await agent({ url })).call('fetch_page_content', { url: 'https://example.com/ships' })
    const words = String(page.structured?.content).match(/\p{L}+/gu) ?? []
    const quotes = [
      { url: 'https://example.com/ships', quote: words.join(' ') },
      { url: 'https://none.example/', quote: 'ships' },
    ]
    const client = await agent({ url, headers: key })
    const { text, structured, meta } = await client.call('verify_quotes', { quotes })
    expect(structured).toMatchObject({ verdicts: [{ verdict: 'verbatim' }, { verdict: 'unknown_page' }] })
    expect(text).toMatch(/1\. verbatim .*\nThe page had the quote verbatim: since .*\n<web-content-/)
    expect(meta['service/usage']).toMatchObject({ sku: 'fetch', credits: 1 })
    const refused = await client.call('verify_quotes', { quotes: Array(11).fill(quotes[0]) })
    expect(refused.text).toMatch(/^Error invalid_request: quotes/)
    const invalid = await client.call('verify_quotes', {
      quotes: [{ url: 'https://example.com/ships', quote: 'a … '.repeat(21) }],
    })
    expect(invalid.text).toMatch(/^Error invalid_request: .*20 parts/)
  })

  it('lets agents ask for passages if the operator turned it on, charged as a search', async () => {
    const { url, key } = await startMcp({ http: { mcp: { passages: true } } })
    const names = (await (await agent({ url })).tools()).map(({ name }) => name)
    expect(names).toEqual(['search_web_pages', 'fetch_page_content', 'find_passages'])
    const client = await agent({ url, headers: key })
    const { text, structured, meta } = await client.call('find_passages', { query: 'ships', max_tokens: '500' })
    expect(structured?.passages).toMatchObject([{ url: 'https://example.com/ships', start: expect.any(Number) }])
    expect(structured?.untrusted).toEqual([
      'passages[].title',
      'passages[].url',
      'passages[].text',
      'passages[].context',
    ])
    expect(text).toMatch(/<web-content-\w+>\n1\. .*\nhttps:\/\/example\.com\/ships\n/)
    expect(meta['service/usage']).toMatchObject({ sku: 'search.pro', credits: 1 })
    const refused = await client.call('find_passages', { query: 'ships', max_tokens: 10_001 })
    expect(refused.text).toMatch(/^Error invalid_request: max_tokens/)
  })

  it('lets callers with a key rate results, unless the operator turned it off or stores no feedback', async () => {
    const submissions: unknown[] = []
    const journal = {
      record: async (submission: unknown) => {
        submissions.push(submission)
        return { refetches: 0 }
      },
    }
    const { url, key, customer } = await startMcp({ parts: async () => ({ journal }) })
    const names = async (headers: Record<string, string>, at = url) =>
      (await (await agent({ url: at, headers })).tools()).map(t => t.name)
    expect(await names({})).toEqual(['search_web_pages', 'fetch_page_content'])
    expect(await names(key)).toEqual(['search_web_pages', 'fetch_page_content', 'submit_search_feedback'])
    const off = await startMcp({ http: { mcp: { feedback: false } }, parts: async () => ({ journal }) })
    expect(await names(off.key, off.url)).toHaveLength(2)
    const without = await startMcp()
    expect(await names(without.key, without.url)).toHaveLength(2)
    const client = await agent({ url, headers: key })
    const feedback = { 'https://example.com/ships': 4 }
    const rated = await client.call('submit_search_feedback', { query: 'ships', feedback })
    expect([rated.text, rated.structured]).toEqual([
      rated.structured!.message,
      { message: expect.stringContaining('1 judgment') },
    ])
    expect(submissions).toMatchObject([{ organization: customer.org, query: 'ships', judgments: [{ score: 4 }] }])
    const wrong = await client.call('submit_search_feedback', {
      query: 'ships',
      feedback: { 'https://example.com/': 9 },
    })
    expect(wrong.text).toMatch(/^Error invalid_request: feedback/)
  })
})
