import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type AdminActName, adminActs, adminAnswers, type Sku } from '../../../service/accounts/index.ts'
import { addCustomer, usageOf } from './accounts.ts'
import { describeAccounts, type OpenedAccounts } from './open-accounts.ts'

describeAccounts('administrative acts', open => {
  let accounts: OpenedAccounts
  beforeEach(async () => {
    accounts = await open()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await accounts.close()
  })

  /** Performs an act, whose answer must have the form that its schema describes. */
  const perform = async (act: AdminActName, input: unknown, actor = 'tests'): Promise<object> => {
    const answer = await accounts.access.administer(act, input, actor)
    expect(() => adminAnswers[act].parse(JSON.parse(JSON.stringify(answer)))).not.toThrow()
    return answer
  }

  it.each(['org.none', '__proto__', 'constructor'])('are refused by name if there is none: %s', async act => {
    await expect(accounts.access.administer(act as AdminActName, {}, 'tests')).rejects.toThrow(
      new TypeError(`there is no act ${act} on accounts`),
    )
  })

  it('create an organization with default settings, a workspace and a key', async () => {
    const created = (await perform('org.create', { name: ' Acme ' })) as { id: string }
    expect(created).toEqual({ id: expect.stringMatching(/^org_[0-9a-z]+$/), name: 'Acme' })
    expect(await perform('org.list', {})).toEqual([
      {
        id: created.id,
        name: 'Acme',
        zdr: false,
        wizards: false,
        rate_limit: 50,
        allowance: 1_000,
        created_at: '2026-11-21T00:00:00.000Z',
      },
    ])
    const workspace = (await perform('workspace.create', { name: 'Main', org: created.id })) as { id: string }
    expect(workspace).toEqual({ id: expect.stringMatching(/^ws_/) })
    const key = await perform('key.create', { workspace: workspace.id })
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^asof_[A-Za-z0-9_-]{43}$/),
    })
    expect(await perform('credits.add', { credits: 5, org: created.id })).toEqual({ balance: 5 })
    expect(await perform('credits.add', { credits: 2, org: created.id })).toEqual({ balance: 7 })
    expect(await usageOf(accounts.access, created.id)).toMatchObject({ allowance_left: 1_000, balance: 7 })
  })

  it('change the settings of an organization that are given, and record them', async () => {
    const { org } = await addCustomer(accounts.access)
    expect(await perform('org.update', { id: org, allowance: 7, zdr: true })).toMatchObject({
      id: org,
      allowance: 7,
      zdr: true,
      rate_limit: 50,
    })
    await accounts.reopen()
    expect(await perform('org.list', {})).toMatchObject([{ id: org, allowance: 7, zdr: true, rate_limit: 50 }])
    expect(await perform('org.audit', { limit: 1 })).toMatchObject([
      { act: 'org.update', target: org, facts: { allowance: 7, zdr: true } },
    ])
    await expect(perform('org.update', { id: org })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('keep the label of a key', async () => {
    const { workspace } = await addCustomer(accounts.access)
    const { id } = (await perform('key.create', { workspace, label: ' web site ' })) as { id: string }
    const keys = (await perform('key.list', { workspace })) as { id: string; label: string | null }[]
    expect(keys.find(key => key.id === id)?.label).toBe('web site')
    expect(keys.find(key => key.id !== id)?.label).toBeNull()
  })

  it('keep the instant at which a key is sealed, which callers with the key have', async () => {
    const { workspace } = await addCustomer(accounts.access)
    const given = { workspace, sealed_at: '2026-01-31T10:00Z' }
    const { id, key } = (await perform('key.create', given)) as { id: string; key: string }
    await accounts.reopen()
    const at = Date.UTC(2026, 0, 31, 10)
    expect((await accounts.access.identify(key)).caller.sealedAt).toBe(at)
    const keys = (await perform('key.list', { workspace })) as { id: string; sealed_at: string | null }[]
    expect(keys.map(({ sealed_at }) => sealed_at).sort()).toEqual([new Date(at).toISOString(), null])
    const rotated = (await perform('key.rotate', { id })) as { key: string }
    expect((await accounts.access.identify(rotated.key)).caller.sealedAt).toBe(at)
    for (const sealed_at of ['soon', '2099-01-01'])
      await expect(perform('key.create', { workspace, sealed_at })).rejects.toMatchObject({
        kind: 'invalid_request',
        details: [{ path: 'sealed_at' }],
      })
  })

  it('show the calls of each day of a month', async () => {
    const { org, key } = await addCustomer(accounts.access)
    const call = async (sku: Sku) => {
      const { caller } = await accounts.access.identify(key)
      await (await accounts.access.hold(caller)).capture(sku)
    }
    const day = 86_400_000
    await call('fetch')
    await call('search.pro')
    accounts.clock.at += day
    await call('search.pro')
    accounts.clock.at += 20 * day
    await call('fetch.live')
    const days = async (month: string) =>
      (await perform('usage.show', { org, month, by_day: true })) as { days: object }
    const none = { 'search.pro': 0, 'search.realtime': 0, fetch: 0, 'fetch.live': 0 }
    expect((await days('2026-11')).days).toEqual([
      { day: '2026-11-21', calls: { ...none, fetch: 1, 'search.pro': 1 } },
      { day: '2026-11-22', calls: { ...none, 'search.pro': 1 } },
    ])
    expect((await days('2026-12')).days).toEqual([{ day: '2026-12-12', calls: { ...none, 'fetch.live': 1 } }])
    expect((await days('2026-10')).days).toEqual([])
  })

  it('list in parts, and by owner', async () => {
    const [first, second] = [await addCustomer(accounts.access), await addCustomer(accounts.access)]
    const all = (await perform('org.list', {})) as { id: string }[]
    expect(all.map(({ id }) => id).sort()).toEqual([first.org, second.org].sort())
    const [one] = (await perform('org.list', { limit: 1 })) as { id: string }[]
    expect(await perform('org.list', { limit: 1, after: one!.id })).toEqual([all[1]])
    expect(await perform('org.list', { after: all[1]!.id })).toEqual([])
    expect(await perform('workspace.list', { org: first.org })).toMatchObject([{ id: first.workspace }])
    expect(await perform('key.list', { workspace: second.workspace })).toMatchObject([{ id: second.keyId }])
    expect(await perform('workspace.list', {})).toHaveLength(2)
  })

  it('are recorded in the audit log with actor, time and facts, except acts that only read', async () => {
    const customer = await addCustomer(accounts.access)
    accounts.clock.at += 1_000
    await perform('key.disable', { id: customer.keyId }, 'command line of ann')
    await perform('credits.add', { credits: 9, org: customer.org }, 'command line of ann')
    await perform('usage.show', { org: customer.org })
    const log = (await perform('org.audit', {})) as { act: string }[]
    expect(log.map(({ act }) => act)).toEqual([
      'credits.add',
      'key.disable',
      'key.create',
      'workspace.create',
      'org.create',
    ])
    expect(log[1]).toEqual({
      sequence: 4,
      at: '2026-11-21T00:00:01.000Z',
      actor: 'command line of ann',
      act: 'key.disable',
      target: customer.keyId,
    })
    expect(log[0]).toMatchObject({ target: customer.org, facts: { credits: 9 } })
    await accounts.reopen()
    await perform('key.enable', { id: customer.keyId })
    expect(await perform('org.audit', { limit: 1 })).toMatchObject([{ sequence: 6, act: 'key.enable' }])
    expect(await perform('org.audit', { limit: 1, before: 5 })).toMatchObject([{ sequence: 4 }])
  })

  it.each([
    ['org.create', {}],
    ['org.create', { name: '' }],
    ['org.create', { name: 'a\u0000b' }],
    ['org.create', { name: 'a', colour: 'red' }],
    ['org.create', { name: 'a', rate_limit: 0 }],
    ['org.create', { name: 'a', allowance: -1 }],
    ['workspace.create', { name: 'a', org: '../../etc' }],
    ['credits.add', { credits: 0, org: 'org_a' }],
    ['credits.add', { credits: -5, org: 'org_a' }],
    ['credits.add', { credits: 1.5, org: 'org_a' }],
    ['org.list', { limit: 1_000_000 }],
    ['usage.show', { org: 'org_a', month: '2026-13' }],
  ] as [AdminActName, object][])('refuse what can not be meant: %s %j', async (act, input) => {
    await expect(perform(act, input)).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it.each([
    ['workspace.create', { name: 'a', org: 'org_none' }],
    ['workspace.suspend', { id: 'ws_none' }],
    ['key.create', { workspace: 'ws_none' }],
    ['key.rotate', { id: 'key_none' }],
    ['credits.add', { credits: 1, org: 'org_none' }],
    ['usage.show', { org: 'org_none' }],
    ['workspace.list', { org: 'org_none' }],
  ] as [AdminActName, object][])('say what there is not: %s %j', async (act, input) => {
    await expect(perform(act, input)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('accept input in string form from a command line', () => {
    const form = { name: '12', zdr: 'true', rate_limit: '5' }
    expect(adminActs['org.create'].parseForm(form)).toEqual({
      name: '12',
      zdr: true,
      wizards: false,
      rate_limit: 5,
      allowance: 1_000,
    })
  })
})
