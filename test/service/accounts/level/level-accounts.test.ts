import { ClassicLevel } from 'classic-level'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Access } from '../../../../service/accounts/index.ts'
import { addCustomer, chargeCall, usageOf } from '../accounts.ts'
import { openAccounts } from '../open-accounts.ts'

describe('accounts in a folder', () => {
  let accounts: Awaited<ReturnType<typeof openAccounts>>
  beforeEach(async () => {
    accounts = await openAccounts()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await accounts.close()
  })

  it('are not read again for a key that was identified', async () => {
    const { key } = await addCustomer(accounts.access)
    await accounts.access.identify(key)
    const reads = vi.spyOn(ClassicLevel.prototype, 'getSync')
    for (let i = 0; i < 10; i += 1) await accounts.access.identify(key)
    expect(reads).not.toHaveBeenCalled()
  })

  it('are copied as a snapshot of keys and balances', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 0, credits: 3 })
    const call = { work: async () => 1, skuOf: () => 'fetch' as const }
    await chargeCall(accounts.access, customer, call)
    const copy = `${accounts.dir}-copy`
    await accounts.access.copyTo(copy)
    await chargeCall(accounts.access, customer, call)
    const copied = await Access.open(copy, { now: () => accounts.clock.at })
    try {
      expect(await usageOf(copied, customer.org)).toMatchObject({ credits_charged: 1, balance: 2 })
      expect((await copied.identify(customer.key)).caller.organization.id).toBe(customer.org)
    } finally {
      await copied.close()
    }
  })
})
