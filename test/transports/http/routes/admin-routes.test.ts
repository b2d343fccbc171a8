import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, noLimits, post, type RunningServer, startServer } from '../running-server.ts'

describe('administration over TCP', () => {
  const token = 'a-token-of-some-length'
  const admin = { Authorization: `Bearer ${token}` }
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ accounts: true, http: { adminToken: token, keylessLimits: noLimits } })
  })
  afterAll(() => server.close())

  const item = (body: unknown) => body as { id: string; key: string; balance: number }

  it('rejects a short token', async () => {
    await expect(startServer({ accounts: true, http: { adminToken: 'fifteen-letters' } })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
  })
  it('is absent without a token', async () => {
    const without = await startServer({ accounts: true })
    try {
      expect((await post(`${without.url}/admin/org/create`, { name: 'A' }, admin)).status).toBe(404)
      expect((await get(`${without.url}/admin/org/list`, admin)).status).toBe(404)
    } finally {
      await without.close()
    }
  })

  it.each([
    ['no token', {}],
    ['another token', { Authorization: 'Bearer a-token-of-some-lengtH' }],
    ['a part of it', { Authorization: 'Bearer a-token' }],
    ['it in another header', { 'X-API-Key': token }],
  ])('refuses %s with 401, and does nothing', async (_, headers) => {
    const before = await get(`${server.url}/admin/org/list`, admin)
    expect(
      (await post(`${server.url}/admin/org/create`, { name: 'A' }, headers as Record<string, string>)).status,
    ).toBe(401)
    expect((await get(`${server.url}/admin/org/list`, headers as Record<string, string>)).status).toBe(401)
    expect((await get(`${server.url}/admin/org/list`, admin)).body).toEqual(before.body)
  })

  it('does the same as the command line, and records the author', async () => {
    const act = async (path: string, body: unknown) =>
      item((await post(`${server.url}/admin/${path}`, body, admin)).body)
    const org = await act('org/create', { name: 'Acme', allowance: 0 })
    const workspace = await act('workspace/create', { name: 'Main', org: org.id })
    const { id, key } = await act('key/create', { workspace: workspace.id })
    expect(await act('credits/add', { credits: 1, org: org.id })).toEqual({ balance: 1 })
    const search = () => post(`${server.url}/v1/search`, { query: 'words' }, { 'X-API-Key': key })
    expect((await search()).status).toBe(200)
    expect((await search()).status).toBe(402)
    expect((await get(`${server.url}/admin/usage/show?org=${org.id}`, admin)).body).toMatchObject({ credits_paid: 1 })
    await act('key/revoke', { id })
    expect((await search()).status).toBe(401)
    const log = (await get(`${server.url}/admin/org/audit?limit=1`, admin)).body
    expect(log).toMatchObject([{ act: 'key.revoke', target: id, actor: 'admin token, from 127.0.0.1' }])
    expect(JSON.stringify(log)).not.toContain(token)
  })

  it('refuses bad input and wrong methods like every route', async () => {
    expect((await post(`${server.url}/admin/org/create`, '{', admin)).status).toBe(400)
    expect((await post(`${server.url}/admin/org/create`, { name: 'A', x: 1 }, admin)).body.details).toEqual([
      { path: 'x', reason: 'unknown field' },
    ])
    expect((await post(`${server.url}/admin/key/rotate`, { id: 'key_none' }, admin)).status).toBe(404)
    expect((await get(`${server.url}/admin/org/create`, admin)).status).toBe(405)
    expect((await get(`${server.url}/admin/org/nothing`, admin)).status).toBe(404)
    expect((await get(`${server.url}/admin/org/list?limit=0`, admin)).status).toBe(400)
  })

  it('lets nobody try tokens fast', async () => {
    const guessed = await startServer({ accounts: true, http: { adminToken: token } })
    try {
      const statuses = await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          const headers = { Authorization: i < 190 ? `Bearer guess${i}` : `Bearer ${token}` }
          return (await get(`${guessed.url}/admin/org/list`, headers)).status
        }),
      )
      expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0)
    } finally {
      await guessed.close()
    }
  })
})
