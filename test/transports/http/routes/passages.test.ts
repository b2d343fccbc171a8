import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchResponse, passagesResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { get, post, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://example.com/pools'
const now = '# Pools\n\nA pool keeps connections.\n\n## Idle\n\nA pool closes idle connections after **30** s.'
let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    accounts: true,
    captures: [
      { url, markdown: '# Pools\n\nA pool closes idle connections after **10** s.', acquiredAt: '2025-01-10' },
      { url, markdown: now, acquiredAt: '2025-06-10' },
    ],
  })
})
afterAll(() => server.close())
const ask = (body: object) => post(`${server.url}/v1/passages/public`, body)

describe('POST /v1/passages', () => {
  it('answers with parts of the content that fetch returns, as of now and as of query_time', async () => {
    for (const [query_time, seconds] of [
      [undefined, '30'],
      ['2025-02-01', '10'],
    ]) {
      const { status, body } = await ask({ query: 'idle connections', query_time })
      expect(status).toBe(200)
      const { passages, chars } = passagesResponse.parse(body)
      const text = `A pool closes idle connections after **${seconds}** s.`
      expect(passages.map(passage => passage.text)).toContain(text)
      expect(chars).toBe(passages.reduce((sum, passage) => sum + passage.text.length, 0))
      const time = query_time === undefined ? '' : `&query_time=${query_time}`
      const page = await get(`${server.url}/v1/fetch/public?url=${encodeURIComponent(url)}${time}`)
      const { content } = fetchResponse.parse(page.body)
      for (const passage of passages) expect(content.slice(passage.start, passage.end)).toBe(passage.text)
    }
  })

  it('gives what is above a passage, and with include a link to its version that leads to it', async () => {
    const { body } = await ask({ query: 'idle connections', include: ['citation'] })
    const passage = passagesResponse.parse(body).passages.find(({ text }) => text.includes('closes'))
    expect(passage).toMatchObject({
      url,
      title: 'Pools',
      context: ['Pools', 'Idle'],
      acquired_at: '2025-06-10T00:00:00.000Z',
    })
    expect(passage?.citation?.url).toContain(
      '/memento/20250610000000000/https://example.com/pools#:~:text=A%20pool%20closes',
    )
  })

  it('answers GET with the same fields, and says from which state of the index', async () => {
    const response = await fetch(`${server.url}/v1/passages/public?query=idle&max_chars=180&include=citation`, {
      headers: { 'X-Service-Title': 'tests' },
    })
    expect(response.status).toBe(200)
    expect(JSON.parse(response.headers.get('x-asof-receipt') ?? '')).toMatchObject({ captures: 1 })
    const { chars } = passagesResponse.parse(await response.json())
    expect(chars).toBeLessThanOrEqual(180)
  })

  it.each([
    [{}, ['query']],
    [{ query: 'a', max_chars: 179 }, ['max_chars']],
    [{ query: 'a', max_chars: 50_001 }, ['max_chars']],
    [{ query: 'a', max_tokens: 49, max_per_page: 0 }, ['max_tokens', 'max_per_page']],
    [{ query: 'a', query_time: 'x', acquired_after: 'soon' }, ['query_time', 'acquired_after']],
    [{ query: 'a', max_results: 5 }, ['max_results']],
  ])('refuses %j, naming what is wrong', async (request, fields) => {
    const { status, body } = await ask(request)
    expect(status).toBe(400)
    expect(body.details?.map(({ path }: { path: string }) => path).sort()).toEqual(fields.toSorted())
  })

  it('needs a key for the full query language', async () => {
    expect((await ask({ query: 'idle AND pool', mode: 'webql' })).status).toBe(401)
    const { key } = await addCustomer(server.access, { allowance: 10 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    expect((await client.passages({ query: 'idle AND pool', mode: 'webql' })).passages).not.toEqual([])
  })

  it('costs as much as one search with a key, and nothing if it is refused', async () => {
    const { key, org } = await addCustomer(server.access, { allowance: 10 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    const skus: string[] = []
    const onUsage = ({ sku }: { sku: string }) => void skus.push(sku)
    await client.passages({ query: 'idle' }, { onUsage })
    await client.passages({ query: 'idle', mode: 'realtime' }, { onUsage })
    expect(skus).toEqual(['search.pro', 'search.realtime'])
    const charged = (await usageOf(server.access, org)).credits_charged
    expect(charged).toBe(2)
    await expect(client.passages({ query: 'idle', max_tokens: 1 })).rejects.toMatchObject({ status: 400 })
    expect((await usageOf(server.access, org)).credits_charged).toBe(2)
  })

  it('refuses the full query language under zero data retention', async () => {
    const { key } = await addCustomer(server.access, { allowance: 10, zdr: true })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    await expect(client.passages({ query: 'idle', mode: 'webql' })).rejects.toMatchObject({
      error: 'zdr_unsupported_profile',
    })
    expect((await client.passages({ query: 'idle' })).passages).not.toEqual([])
  })

  it('shows a sealed key nothing later', async () => {
    const { workspace } = await addCustomer(server.access, { allowance: 10 })
    const created = await server.access.administer('key.create', { workspace, sealed_at: '2025-03-01' }, 'tests')
    const { key } = created as { key: string }
    const client = createClient({ url: server.url, key, maxTries: 1 })
    const { passages } = await client.passages({ query: 'idle connections' })
    expect(passages.map(({ text }) => text)).toEqual(['A pool closes idle connections after **10** s.'])
    await expect(client.passages({ query: 'idle', query_time: '2025-04-01' })).rejects.toMatchObject({ status: 400 })
  })
})
