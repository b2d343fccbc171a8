import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  examineAccountsOf,
  type LocalDataFolder,
  moveAccountsOf,
  openDataFolder,
} from '../../../service/data-folder/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { addCustomer, chargeCall, usageOf } from '../accounts/accounts.ts'

if (noDatabase) console.warn(`test/service/data-folder: ${noDatabase}`)

const call = { work: async () => 'answer', skuOf: () => 'fetch' as const }

describe.skipIf(noDatabase)('data folders with the accounts in one database', () => {
  let test: TestDatabase
  let name: string
  let url: string
  let parent: string
  const folders: LocalDataFolder[] = []
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())
  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'asof-accounts-'))
    name = `test_${randomUUID().replaceAll('-', '')}`
    await test.sql`create database ${test.sql(name)}`
    url = new URL(`/${name}`, test.url).href
  })
  afterEach(async () => {
    for (const folder of folders.splice(0)) await folder.close()
    await test.sql`drop database ${test.sql(name)} with (force)`
    await rm(parent, { recursive: true })
  })

  async function openFolder(dir: string, database?: string): Promise<LocalDataFolder> {
    const folder = await openDataFolder(path.join(parent, dir), { share: false, database })
    folders.push(folder)
    return folder
  }

  it('know the same keys, and charge the same credits', async () => {
    const [first, second] = [await openFolder('a', url), await openFolder('b', url)]
    const customer = await addCustomer(await first.access(), { allowance: 0, credits: 2 })
    await chargeCall(await first.access(), customer, call)
    await chargeCall(await second.access(), customer, call)
    await expect(chargeCall(await first.access(), customer, call)).rejects.toMatchObject({
      kind: 'insufficient_credits',
    })
    expect(await usageOf(await second.access(), customer.org)).toMatchObject({ balance: 0, credits_charged: 2 })
    expect(await examineAccountsOf(path.join(parent, 'a'), url)).toMatchObject({ sound: true })
    expect(await examineAccountsOf(path.join(parent, 'a'))).toBeUndefined()
  })

  it('try again after the database could not be reached', async () => {
    const folder = await openFolder('a', new URL(`/${name}_later`, test.url).href)
    await expect(folder.access()).rejects.toMatchObject({ code: 'ASOF_STORE_READ' })
    await test.sql`create database ${test.sql(`${name}_later`)}`
    try {
      const customer = await addCustomer(await folder.access(), { allowance: 1 })
      await chargeCall(await folder.access(), customer, call)
    } finally {
      await Promise.all(folders.splice(0).map(opened => opened.close()))
      await test.sql`drop database ${test.sql(`${name}_later`)} with (force)`
    }
  })

  it('have the accounts that a folder had before, once these were moved', async () => {
    const alone = await openFolder('a')
    const customer = await addCustomer(await alone.access(), { allowance: 0, credits: 2 })
    await chargeCall(await alone.access(), customer, call)
    await expect(moveAccountsOf(path.join(parent, 'a'), url)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await Promise.all(folders.splice(0).map(opened => opened.close()))
    const moved = await moveAccountsOf(path.join(parent, 'a'), url)
    expect(moved?.added).toBeGreaterThan(5)
    expect(await moveAccountsOf(path.join(parent, 'none'), url)).toBeUndefined()
    const shared = await openFolder('a', url)
    await chargeCall(await shared.access(), customer, call)
    expect(await usageOf(await shared.access(), customer.org)).toMatchObject({ balance: 0, credits_charged: 2 })
  })
})
