import { describe, expect, it, onTestFinished } from 'vitest'
import { startTarget } from '../running-server.ts'
import { agent, startMcp } from './mcp-servers.ts'

describe('pages and their times over /mcp', () => {
  it('prints times in full, so that each, used as query_time, gives the version that it is printed with', async () => {
    const url = 'https://example.com/'
    const versions = [43, 44].map(ms => ({ url, text: `version ${ms}`, acquiredAt: Date.UTC(2025, 0, 1, 8, 0, 0, ms) }))
    const { url: server } = await startMcp({ captures: versions })
    const client = await agent({ url: server })
    const { text } = await client.call('search_web_pages', { query: 'version' })
    const [, query_time] = /indexed (\S+)/.exec(text)!
    const page = await client.call('fetch_page_content', { url, query_time })
    expect(page.structured!.content).toBe('version 44')
    expect(/indexed (\S+)/.exec(page.text)![1]).toBe(query_time)
  })

  it('returns a long page in parts, cut between code points, that together are the page', async () => {
    const { url } = await startMcp({ captures: [{ url: 'https://example.com/', text: '🚢a🚢b🚢c🚢' }] })
    const client = await agent({ url })
    const parts: string[] = []
    let start_index: unknown = 0
    while (start_index !== undefined) {
      const part = await client.call('fetch_page_content', { url: 'https://example.com/', max_chars: 3, start_index })
      parts.push(part.structured!.content as string)
      start_index = part.structured!.next_index
      if (start_index !== undefined) expect(part.text).toContain(`call again with start_index=${start_index}`)
    }
    expect(parts).toEqual(['🚢a🚢', 'b🚢c', '🚢'])
    const beyond = await client.call('fetch_page_content', { url: 'https://example.com/', start_index: 100 })
    expect(beyond.structured).toMatchObject({ content: '' })
    expect(beyond.structured).not.toHaveProperty('next_index')
  })

  it.each([
    [{ start_index: 5, prompt: 'prices' }, 'start_index: not together with prompt'],
    [{ start_index: -1 }, 'start_index'],
    [{ live: true, query_time: '2025-03-01' }, 'query_time: not together with live'],
  ])('refuses %j', async (args, reason) => {
    const { url } = await startMcp()
    const refused = await (await agent({ url })).call('fetch_page_content', { url: 'https://example.com/', ...args })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(reason)])
  })

  it('reads a page as of query_time, with the times between which it was current', async () => {
    const page = { url: 'https://example.com/price', title: 'Price' }
    const { url } = await startMcp({
      captures: [
        { ...page, text: 'twenty', acquiredAt: '2025-01-10' },
        { ...page, text: 'thirty', acquiredAt: '2025-06-10' },
      ],
    })
    const client = await agent({ url })
    const past = await client.call('fetch_page_content', { url: page.url, query_time: '2025-03-01' })
    expect(past.structured).toMatchObject({
      content: expect.stringContaining('twenty'),
      acquired_at: '2025-01-10T00:00:00.000Z',
      superseded_at: '2025-06-10T00:00:00.000Z',
    })
    expect(past.text).toContain('indexed 2025-01-10T00:00:00.000Z')
    const before = await client.call('fetch_page_content', { url: page.url, query_time: '2025-01-09' })
    expect(before.text).toMatch(/^Error not_indexed: .*2025-01-09T00:00:00\.000Z/)
  })

  it('reads a page live, and answers a prompt', async () => {
    const target = await startTarget((_, response) =>
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>The ferry costs 7 euros.<p>It rains.'),
    )
    onTestFinished(() => target.close())
    const { url, key } = await startMcp({ allowPrivate: true })
    const client = await agent({ url, headers: key })
    const page = await client.call('fetch_page_content', {
      url: `${target.url}/`,
      live: true,
      prompt: 'what the ferry costs',
    })
    expect(page.structured!.content).toContain('7 euros')
    expect(page.text).toMatch(/^The answer of the page to the prompt:/)
    expect(page.meta['service/usage']).toMatchObject({ sku: 'fetch.live' })
  })
})
