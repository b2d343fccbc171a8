import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Access } from '../../service/accounts/index.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { addCustomer, type Customer, chargeCall, usageOf } from '../service/accounts/accounts.ts'
import { killAfterLines } from './kill-after-lines.ts'
import { randomNumbers } from './kill-nine-script.ts'
import { temporaryFolder } from './running-command.ts'

const KILLS = casesOf(15)
const ALLOWANCE = 300
const BOUGHT = 1_000_000

interface Told {
  settling: number
  acknowledged: number
  buying: number
  bought: number
}

interface Entry {
  sequence: number
  kind: 'purchase' | 'charge'
  credits: number
  source: 'purchased' | 'allowance'
}

/** Runs the writer, kills it after a number of lines, and adds up what it had reported. */
async function killWriter(dir: string, { key, org }: Customer, lines: number, told: Told): Promise<void> {
  await killAfterLines('accounts-writer.ts', [dir, key, org], lines, ([what, count]) => {
    if (what === 's') told.settling += 1
    else if (what === 'a') told.acknowledged += 1
    else if (what === 'b') told.buying += Number(count)
    else if (what === 'p') told.bought += Number(count)
  })
}

async function entriesOf(access: Access, org: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const after = entries.at(-1)?.sequence ?? 0
    const page = (await access.administer('credits.list', { org, after, limit: 1_000 }, 'tests')) as Entry[]
    if (page.length === 0) return entries
    entries.push(...page)
  }
}

describe(`kill -9 of a process that charges calls (seed ${seed})`, () => {
  it(`keeps every acknowledged charge and nothing that was not settled, in ${KILLS} kills or more`, async () => {
    const folder = await temporaryFolder()
    const dir = path.join(folder.dir, 'access')
    const random = randomNumbers(seed)
    try {
      let access = await Access.open(dir, { now: Date.now })
      const customer = await addCustomer(access, { allowance: ALLOWANCE, credits: BOUGHT })
      await access.close()
      const told: Told = { settling: 0, acknowledged: 0, buying: BOUGHT, bought: BOUGHT }
      // An early kill can leave nothing to examine, so kills go on until some charges were acknowledged.
      for (let kill = 1; kill <= KILLS || told.acknowledged <= KILLS; kill++) {
        await killWriter(dir, customer, Math.floor(random() * 1_500), told)
        access = await Access.open(dir, { now: Date.now })
        try {
          const entries = await entriesOf(access, customer.org)
          expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, i) => i + 1))
          const sum = (of: Entry[]) => of.reduce((total, { credits }) => total + credits, 0)
          const charges = entries.filter(({ kind }) => kind === 'charge')
          expect(charges.length).toBeGreaterThanOrEqual(told.acknowledged)
          expect(charges.length).toBeLessThanOrEqual(told.settling)
          const bought = sum(entries.filter(({ kind }) => kind === 'purchase'))
          expect(bought).toBeGreaterThanOrEqual(told.bought)
          expect(bought).toBeLessThanOrEqual(told.buying)
          const usage = await usageOf(access, customer.org)
          expect(usage.balance).toBe(sum(entries.filter(({ source }) => source === 'purchased')))
          expect(usage.credits_charged).toBe(charges.length)
          expect(Object.values(usage.calls).reduce((total, count) => total + count)).toBe(charges.length)
          expect(usage.allowance_left).toBe(Math.max(0, ALLOWANCE - charges.length))
          // The state on disk is the reference from here on: calls interrupted by this kill are either charged or not.
          told.settling = charges.length
          told.acknowledged = charges.length
          told.buying = bought
          told.bought = bought
        } finally {
          await access.close()
        }
      }
      console.log(`${told.acknowledged} charges after all kills`)
    } finally {
      await folder.remove()
    }
  })

  it('voids holds: the last credits can be spent afterwards, and no more', async () => {
    const folder = await temporaryFolder()
    const dir = path.join(folder.dir, 'access')
    try {
      let access = await Access.open(dir, { now: Date.now })
      const customer = await addCustomer(access, { allowance: 0, credits: 10_000 })
      await access.close()
      await killWriter(dir, customer, 300, { settling: 0, acknowledged: 0, buying: 0, bought: 0 })
      access = await Access.open(dir, { now: Date.now })
      try {
        const { balance } = await usageOf(access, customer.org)
        const call = () => chargeCall(access, customer, { work: async () => 1, skuOf: () => 'fetch' })
        const outcomes = await Promise.allSettled(Array.from({ length: balance + 50 }, call))
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(balance)
        expect((await usageOf(access, customer.org)).balance).toBe(0)
      } finally {
        await access.close()
      }
    } finally {
      await folder.remove()
    }
  })
})
