import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keptText } from '../service/accounts/kept-text.ts'
import { endCommands, type Finished, run, serve, temporaryFolder } from './running-command.ts'

describe('asof org, workspace, key, credits and usage', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: string
  beforeEach(async () => {
    folder = await temporaryFolder()
    data = path.join(folder.dir, 'data')
  })
  afterEach(async () => {
    await endCommands()
    await folder.remove()
  })

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await run([...args, '--data', data, '--json'])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as T
  }

  async function customer(...flags: string[]): Promise<{ org: string; workspace: string; keyId: string; key: string }> {
    const { id: org } = await json<{ id: string }>('org', 'create', 'Acme', ...flags)
    const { id: workspace } = await json<{ id: string }>('workspace', 'create', 'Main', '--org', org)
    const { id: keyId, key } = await json<{ id: string; key: string }>('key', 'create', '--workspace', workspace)
    return { org, workspace, keyId, key }
  }

  const search = (url: string, key: string) => fetch(`${url}/v1/search?query=ships`, { headers: { 'X-API-Key': key } })

  it('work without a server, and a server accepts the keys that they created', async () => {
    const { org, key } = await customer('--allowance', '1', '--rate-limit', '7')
    expect(await json('credits', 'add', '1', '--org', org)).toEqual({ balance: 1 })
    const { url } = await serve(data)
    const answers = [await search(url, key), await search(url, key), await search(url, key)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402])
    expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe('7')
    expect(await json('usage', '--org', org)).toMatchObject({
      calls: { 'search.pro': 2 },
      credits_charged: 2,
      credits_paid: 1,
      allowance_left: 0,
      balance: 0,
    })
  })

  it('take effect at once through the socket of a running server', async () => {
    const { url, command } = await serve(data)
    const { org, workspace, keyId, key } = await customer('--zdr')
    const status = async (given = key) => (await search(url, given)).status
    expect(await status()).toBe(200)
    await json('key', 'disable', keyId)
    expect(await status()).toBe(403)
    await json('key', 'enable', keyId)
    await json('workspace', 'suspend', workspace)
    expect(await status()).toBe(403)
    await json('workspace', 'resume', workspace)
    const rotated = await json<{ id: string; key: string }>('key', 'rotate', keyId)
    expect([await status(), await status(rotated.key)]).toEqual([401, 200])
    await json('key', 'revoke', keyId)
    expect(await status(rotated.key)).toBe(401)
    expect(await json('org', 'list')).toMatchObject([{ id: org, zdr: true }])
    const log = await json<{ act: string; actor: string }[]>('org', 'audit')
    expect(log.map(({ act }) => act)).toEqual([
      'key.revoke',
      'key.rotate',
      'workspace.resume',
      'workspace.suspend',
      'key.enable',
      'key.disable',
      'key.create',
      'workspace.create',
      'org.create',
    ])
    for (const { actor } of log) expect(actor).toMatch(/^command line of ./)
    // Neither the output of the server nor its files contain a key.
    command.signal('SIGTERM')
    const { stdout, stderr } = await command.finished
    const kept = await keptText(path.join(data, 'access'))
    for (const secret of [key, rotated.key]) expect([stdout, stderr, kept].join('\n')).not.toContain(secret.slice(5))
  })

  it('report errors by exit code and message', async () => {
    const outcome = ({ code, stderr }: Finished) => [code, stderr]
    const told = async (...args: string[]) => outcome(await run([...args, '--data', data]))
    expect(await told('org', 'create')).toEqual([2, expect.stringContaining('name')])
    expect(await told('org', 'create', 'A', '--rate-limit', 'many')).toEqual([
      2,
      expect.stringContaining('--rate-limit'),
    ])
    expect(await told('workspace', 'create', 'A')).toEqual([2, expect.stringContaining('--org')])
    expect(await told('credits', 'add', '0', '--org', 'org_a')).toEqual([2, expect.stringContaining('credits')])
    expect(await told('key', 'revoke', 'key_none')).toEqual([1, expect.stringContaining('There is no key key_none')])
  })

  it('are available over TCP only with the admin token from the environment', async () => {
    const plain = await serve(data)
    const headers = { Authorization: 'Bearer token-of-the-operator' }
    expect((await fetch(`${plain.url}/admin/org/list`, { headers })).status).toBe(404)
    plain.command.signal('SIGTERM')
    await plain.command.finished
    const { url } = await serve(data, [], { ASOF_ADMIN_TOKEN: 'token-of-the-operator' })
    expect((await fetch(`${url}/admin/org/list`)).status).toBe(401)
    expect(await (await fetch(`${url}/admin/org/list`, { headers })).json()).toEqual([])
  })

  it('have their data in a backup, which works without the original', async () => {
    const { org, key } = await customer('--allowance', '3')
    const { url, command } = await serve(data)
    await search(url, key)
    const target = path.join(folder.dir, 'backup')
    expect((await run(['backup', target, '--data', data])).code).toBe(0)
    await search(url, key)
    command.signal('SIGTERM')
    await command.finished
    data = target
    expect(await json('usage', '--org', org)).toMatchObject({ credits_charged: 1, allowance_left: 2 })
    expect((await search((await serve(data)).url, key)).status).toBe(200)
  })

  it('have all answered calls charged after a kill -9 of the server', async () => {
    const { org, key } = await customer()
    const { url, command } = await serve(data)
    const answers = await Promise.all(Array.from({ length: 30 }, () => search(url, key)))
    command.signal('SIGKILL')
    await command.finished
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await json('usage', '--org', org)).toMatchObject({ credits_charged: 30, allowance_left: 970 })
  })
})
