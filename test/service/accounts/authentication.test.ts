import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addCustomer, type Customer } from './accounts.ts'
import { describeAccounts, type OpenedAccounts } from './open-accounts.ts'

describeAccounts('keys', open => {
  let accounts: OpenedAccounts
  let customer: Customer
  beforeEach(async () => {
    accounts = await open()
    customer = await addCustomer(accounts.access)
  })
  afterEach(async () => {
    await accounts.close()
  })

  const identify = (key: string) => accounts.access.identify(key)
  const perform = (act: Parameters<typeof accounts.access.administer>[0], input: object) =>
    accounts.access.administer(act, input, 'tests')

  it('identify their organization, workspace and key', async () => {
    expect((await identify(customer.key)).caller).toMatchObject({
      organization: { id: customer.org },
      workspace: customer.workspace,
      key: customer.keyId,
    })
  })

  it.each([
    ['an empty one', ''],
    ['a key that was never issued', `asof_${'A'.repeat(43)}`],
    ['something else', 'x'.repeat(10_000)],
  ])('are refused as unauthorized: %s', async (_, key) => {
    await expect(identify(key)).rejects.toMatchObject({ kind: 'unauthorized' })
  })

  it('stop working immediately when rotated or revoked', async () => {
    await identify(customer.key)
    const { key } = (await perform('key.rotate', { id: customer.keyId })) as { key: string }
    await expect(identify(customer.key)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await identify(key)).caller.key).toBe(customer.keyId)
    await perform('key.revoke', { id: customer.keyId })
    await expect(identify(key)).rejects.toMatchObject({ kind: 'unauthorized' })
    await perform('key.revoke', { id: customer.keyId })
    for (const act of ['key.rotate', 'key.enable', 'key.disable'] as const) {
      await expect(perform(act, { id: customer.keyId })).rejects.toMatchObject({ kind: 'invalid_request' })
    }
  })

  it('are forbidden while they are disabled or their workspace is suspended', async () => {
    const refusal = async () => (await identify(customer.key)).refusal?.kind
    expect(await refusal()).toBeUndefined()
    await perform('key.disable', { id: customer.keyId })
    expect(await refusal()).toBe('forbidden')
    await perform('key.enable', { id: customer.keyId })
    expect(await refusal()).toBeUndefined()
    await perform('workspace.suspend', { id: customer.workspace })
    expect(await refusal()).toBe('forbidden')
    await perform('workspace.resume', { id: customer.workspace })
    expect(await refusal()).toBeUndefined()
  })

  it('have one valid secret after concurrent rotations', async () => {
    const rotated = (await Promise.all(
      Array.from({ length: 5 }, () => perform('key.rotate', { id: customer.keyId })),
    )) as { key: string }[]
    const known = await Promise.allSettled(rotated.map(({ key }) => identify(key)))
    expect(known.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('keep the changes of concurrent acts of different kinds', async () => {
    await Promise.all([perform('key.disable', { id: customer.keyId }), perform('key.rotate', { id: customer.keyId })])
    expect(await perform('key.list', { workspace: customer.workspace })).toMatchObject([{ disabled: true }])
  })

  it('are stored nowhere in plain text: not on disk, not in lists, not in the audit log', async () => {
    const { key } = (await perform('key.rotate', { id: customer.keyId })) as { key: string }
    const shown = JSON.stringify([
      await perform('key.list', {}),
      await perform('org.audit', {}),
      await perform('org.list', {}),
    ])
    let kept = ''
    await accounts.reopen(async () => {
      kept = await accounts.kept()
    })
    // The hash is stored, which proves that the test reads the right folder.
    expect(kept).toContain(createHash('sha256').update(key).digest('hex').slice(0, 16))
    for (const secret of [key, customer.key]) {
      for (const place of [kept, shown]) {
        expect(place).not.toContain(secret)
        expect(place).not.toContain(secret.slice(5, 25))
      }
    }
    expect(shown).not.toContain(createHash('sha256').update(key).digest('hex'))
  })
})
