import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../mcp/agents.ts'
import { type Answer, get, post, type RunningServer, startServer } from '../running-server.ts'

const now = Date.parse('2026-05-10T14:23:45Z')
const page = 'https://a.example/'
const named = { 'X-Service-Title': 'tests' }

let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    now: () => now,
    captures: [{ url: page, text: 'a ticket', acquiredAt: '2025-03-01' }],
  })
})
afterAll(() => server.close())

const refused = ({ status, body }: Answer, path: string, reason: string) =>
  expect([status, body.error, body.details]).toEqual([400, 'invalid_request', [{ path, reason }]])

describe('a misspelled field', () => {
  it.each([
    ['queryTime', 'query_time'],
    ['querytime', 'query_time'],
    ['query_tme', 'query_time'],
    ['limit', 'max_results'],
    ['maxResults', 'max_results'],
    ['acquiredAfter', 'acquired_after'],
    ['publised_after', 'published_after'],
  ])(
    'of a search is 400 and names the one that was meant, posted and in a query string: %s is %s',
    async (wrong, meant) => {
      const reason = `unknown field; did you mean ${meant}?`
      refused(await post(`${server.url}/v1/search/public`, { query: 'ticket', [wrong]: '5' }), wrong, reason)
      refused(await get(`${server.url}/v1/search/public?query=ticket&${wrong}=5`, named), wrong, reason)
    },
  )

  it('of a fetch or suggestion is refused with 400, which suggests the right name', async () => {
    const fetch = (query: string) => get(`${server.url}/v1/fetch/public?url=${page}&${query}`, named)
    refused(await fetch('maxchars=5'), 'maxchars', 'unknown field; did you mean max_chars?')
    refused(await fetch('promt=x'), 'promt', 'unknown field; did you mean prompt?')
    const { status, body } = await fetch('querytime=2025-01-01')
    expect([status, body.details?.[0]?.path]).toEqual([400, 'querytime'])
    refused(await get(`${server.url}/v1/suggest?q=tick&limt=5`), 'limt', 'unknown field; did you mean limit?')
  })

  it('of a tool call is an error that suggests the right name', async () => {
    const agent = await connect({ url: `${server.url}/mcp` })
    try {
      const failed = await agent.call('search_web_pages', { query: 'ticket', queryTime: '2025-01-01' })
      expect(failed.text).toContain('queryTime: unknown field; did you mean query_time?')
      const fetched = await agent.call('fetch_page_content', { url: page, maxChars: 5 })
      expect(fetched.text).toContain('maxChars: unknown field; did you mean max_chars?')
    } finally {
      await agent.close()
    }
  })
})

describe('a query_time ahead of the server', () => {
  const search = (query_time: string) => post(`${server.url}/v1/search/public`, { query: 'ticket', query_time })

  it.each(['2026-05-10T14:24:45Z', '2026-05-10T16:24+0200', '1778423085', '1778423085000'])(
    'by up to 60 s means now: %s',
    async query_time => {
      const { status, headers, body } = await search(query_time)
      expect([status, body.results?.length, body.warning]).toEqual([200, 1, undefined])
      const receipt = JSON.parse(headers.get('x-asof-receipt')!) as { instant: number | string }
      expect(new Date(receipt.instant).getTime()).toBe(now)
    },
  )

  it('by more is refused with 400, which names the time of the server', async () => {
    for (const query_time of ['2026-05-10T14:24:46Z', '1778423086', '1778423085001', '2026-05-11']) {
      const { status, body } = await search(query_time)
      expect([status, body.details?.[0]?.path]).toEqual([400, 'query_time'])
      expect(body.message).toContain('lies in the future: the clock here says 2026-05-10T14:23:45.000Z')
    }
  })
})

describe('an index that holds no page as of query_time', () => {
  const asked = { query: 'ticket', query_time: '2025-01-01' }
  const said = 'the index holds no page as of 2025-01-01T00:00:00.000Z'

  it('is reported in the warning', async () => {
    const { body } = await post(`${server.url}/v1/search/public`, asked)
    expect([body.results, body.warning]).toEqual([[], said])
  })

  it('is reported to agents, in the text and in the structured content', async () => {
    const agent = await connect({ url: `${server.url}/mcp` })
    try {
      const found = await agent.call('search_web_pages', asked)
      expect(found.text).toContain(`Note: ${said}`)
      expect(found.structured).toMatchObject({ warning: said })
    } finally {
      await agent.close()
    }
  })
})
