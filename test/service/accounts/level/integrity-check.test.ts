import { ClassicLevel } from 'classic-level'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examineAccounts } from '../../../../service/accounts/index.ts'
import { decodeRecord, encodeRecord } from '../../../../service/records/journal.ts'
import { addCustomer, chargeCall } from '../accounts.ts'
import { openAccounts } from '../open-accounts.ts'

const DAY = 24 * 60 * 60 * 1000

describe('an integrity check of accounts', () => {
  let accounts: Awaited<ReturnType<typeof openAccounts>>
  let org: string
  beforeEach(async () => {
    accounts = await openAccounts()
    const { access } = accounts
    const customer = await addCustomer(access, { allowance: 1, credits: 5 })
    org = customer.org
    await addCustomer(access, { credits: 3 })
    const call = { work: async () => 'answer', skuOf: () => 'search.pro' as const }
    for (let i = 0; i < 4; i++) {
      if (i === 2) accounts.clock.at += 40 * DAY
      await chargeCall(access, customer, call)
    }
    let asked = 0
    await chargeCall(access, customer, { ...call, isTooLate: () => ++asked > 1 })
    await access.close()
  })
  afterEach(() => accounts.close())

  async function change(work: (db: ClassicLevel<string, string>) => Promise<void>): Promise<void> {
    const db = new ClassicLevel<string, string>(accounts.dir)
    await work(db)
    await db.close()
  }

  it('finds no problem in undamaged accounts with purchases, charges, a refund and two months', async () => {
    expect(await examineAccounts(accounts.dir)).toMatchObject({
      sound: true,
      problems: [],
      records: expect.any(Number),
    })
  })

  it('names only the kind of a damaged record', async () => {
    let secret = ''
    await change(async db => {
      ;[secret] = (await db.keys({ gt: 'secret/', lt: 'secret0', limit: 1 }).all()) as [string]
      await db.put(secret, `${await db.get(secret)} `)
    })
    const { problems, sound } = await examineAccounts(accounts.dir)
    expect(sound).toBe(false)
    expect(problems).toEqual([expect.stringContaining('(secret)')])
    expect(problems[0]).not.toContain(secret.slice('secret/'.length))
  })

  it.each([
    ['lacks 1 entry', async (db, key) => db.del(`ledger/${key}/000000000000002`)],
    ['lacks 1 entry', async (db, key) => db.del(`ledger/${key}/000000000000007`)],
    ['its balance is 400', (db, key) => edit(db, `account/${key}`, { balance: 400 })],
    ['its totals of 2026-11', (db, key) => edit(db, `month/${key}/2026-11`, { paid: 0 })],
  ] as [string, (db: ClassicLevel<string, string>, org: string) => Promise<void>][])(
    'adds ledgers up: %s',
    async (what, tamper) => {
      await change(db => tamper(db, org))
      const { problems, problemCount } = await examineAccounts(accounts.dir)
      expect([problemCount, problems]).toEqual([1, [expect.stringContaining(what)]])
      expect(problems[0]).toContain(org)
    },
  )

  it('finds no problem with plans that are charged', async () => {
    await accounts.reopen()
    const { access } = accounts
    const { agent } = await access.registerAgent()
    await access.grantPlan('test', agent, access.plans[0]!, { method: 'operator', reference: 'order' })
    await (await access.agentAccount(agent).hold('search')).capture('search.pro')
    await access.close()
    expect(await examineAccounts(accounts.dir)).toMatchObject({ sound: true })
  })

  it('is rejected while a process has the accounts open', async () => {
    await accounts.reopen()
    await expect(examineAccounts(accounts.dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
  })
})

/** Changes a record and updates its checksum. */
async function edit(db: ClassicLevel<string, string>, key: string, change: object): Promise<void> {
  const record = decodeRecord(key, (await db.get(key))!) as object
  await db.put(key, encodeRecord(key, { ...record, ...change }))
}
