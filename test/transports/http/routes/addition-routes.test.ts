import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { additionResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { get, noLimits, post, type RunningServer, startServer } from '../running-server.ts'

const adminToken = 'a-token-of-some-length'
const admin = { Authorization: `Bearer ${adminToken}` }
const lines = [
  { url: 'https://a.example/1', text: 'a heron by the river', acquired_at: '2025-01-01' },
  { url: 'https://a.example/2', markdown: '# Egret\n\nwhite', fields: { price: 3 } },
]
  .map(record => JSON.stringify(record))
  .join('\n')

describe('POST /admin/pages/add', () => {
  let server: RunningServer
  beforeEach(async () => {
    await server?.close()
    server = await startServer({ accounts: true, captures: [], http: { adminToken, keylessLimits: noLimits } })
  })
  afterAll(() => server.close())

  const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = admin, query = '') => {
    const response = await fetch(`${server.url}/admin/pages/add${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...headers },
      body,
    })
    const answer = (await response.json()) as Record<string, unknown>
    if (response.status === 200) expect(() => additionResponse.parse(answer)).not.toThrow()
    return { status: response.status, body: answer }
  }
  const found = async (query: string) => {
    const { body } = await post(`${server.url}/v1/search/public`, { query }, { 'X-Service-Title': 'tests' })
    return (body.results as { url: string }[]).map(({ url }) => url)
  }

  it('adds pages that the next search finds, and changes nothing the second time', async () => {
    const first = await send(lines)
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ read: 2, added: 2, failed: 0, failures: [], warnings: [], unknown_fields: [] })
    expect(await found('heron')).toEqual(['https://a.example/1'])
    expect((await send(lines)).body).toMatchObject({ read: 2, added: 0, revised: 0, unchanged: 2, failed: 0 })
    expect((await send(gzipSync(lines))).body).toMatchObject({ read: 2, unchanged: 2 })
  })

  it('takes removals, sightings and relative addresses', async () => {
    await send(lines)
    const removal = JSON.stringify({ url: 'https://a.example/1', removed_at: '2025-06-01' })
    expect((await send(removal)).body).toMatchObject({ removed: 1 })
    expect(await found('heron')).toEqual([])
    await send(JSON.stringify({ url: 'deep', text: 'a bittern' }), admin, '?base_url=https://b.example/birds/')
    expect(await found('bittern')).toEqual(['https://b.example/birds/deep'])
  })

  it('adds the other lines if some are not valid, and names these by number', async () => {
    const { status, body } = await send(`${lines}\nnot json\n\n{"url":"https://a.example/3"}\n{"url":"x","text":"y"}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ read: 5, added: 2, failed: 3 })
    const failures = body.failures as { line: number; code: string; message: string }[]
    expect(failures.map(({ line }) => line)).toEqual([3, 5, 6])
    expect(failures.every(({ code, message }) => code.startsWith('ASOF_') && message !== '')).toBe(true)
    expect(await found('egret')).toEqual(['https://a.example/2'])
  })

  it('is for administrators only, and takes JSON Lines only', async () => {
    expect((await send(lines, {})).status).toBe(401)
    expect((await send(lines, { Authorization: 'Bearer wrong' })).body.error).toBe('unauthorized')
    for (const type of ['application/json', 'text/plain']) {
      const other = await send('{}', { ...admin, 'Content-Type': type })
      expect([other.status, other.body.message]).toEqual([415, 'The body must be application/x-ndjson.'])
    }
    const empty = await fetch(`${server.url}/admin/pages/add`, { method: 'POST', headers: admin })
    expect(empty.status).toBe(400)
    expect((await send(lines, admin, '?map=x')).status).toBe(400)
    expect(await found('heron')).toEqual([])
  })

  it('refuses a body over 64 MiB before anything is added, and says the limit', async () => {
    const { status, body } = await send(`${lines}\n${' '.repeat(64 * 1024 * 1024)}`)
    expect([status, body.error]).toEqual([413, 'payload_too_large'])
    expect(body.message).toContain('64 MiB')
    expect(await found('heron')).toEqual([])
  })

  it('is in the audit log', async () => {
    await send(lines)
    expect((await get(`${server.url}/admin/org/audit`, admin)).body).toEqual([
      expect.objectContaining({ act: 'pages.add', target: 'pages', facts: { bytes: lines.length } }),
    ])
  })

  it('is a call of the client', async () => {
    const client = createClient({ url: server.url, adminToken })
    const added = await client.addPages([
      { url: 'https://c.example/', text: 'a stork' },
      '{"url":"https://d.example/","text":"a crane"}',
    ])
    expect(added).toMatchObject({ added: 2, failed: 0 })
    expect(await found('crane')).toEqual(['https://d.example/'])
    await expect(createClient({ url: server.url, title: 'x' }).addPages([])).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })

  it('is described with its media type', async () => {
    const { body } = await get(`${server.url}/openapi.json`, admin)
    const { paths } = body as { paths: Record<string, { post: { requestBody: { content: object } } }> }
    const operation = paths['/admin/pages/add']
    expect(Object.keys(operation!.post.requestBody.content)).toEqual(['application/x-ndjson'])
  })
})
