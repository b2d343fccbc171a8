import path from 'node:path'
import { expect, it } from 'vitest'
import { Access, type Agent, examineAccounts } from '../../service/accounts/index.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { killAfterLines } from './kill-after-lines.ts'
import { randomNumbers } from './kill-nine-script.ts'
import { temporaryFolder } from './running-command.ts'

const KILLS = casesOf(10)

interface Told {
  lastOrder: number
  lastGiven: number
  settling: number
  acknowledged: number
}

/** Runs the writer, kills it after a number of lines, and records what it had reported. */
async function killWriter(dir: string, token: string, lines: number, told: Told): Promise<void> {
  await killAfterLines('plans-writer.ts', [dir, token, String(told.lastOrder + 1)], lines, ([what, order]) => {
    if (what === 'o') told.lastOrder = Number(order)
    else if (what === 'g') told.lastGiven = Number(order)
    else if (what === 's') told.settling += 1
    else if (what === 'a') told.acknowledged += 1
  })
}

interface ShownGrant {
  units: number
  units_left: number
  payment: { reference: string }
}

async function grantsOf(access: Access, { id }: Agent): Promise<ShownGrant[]> {
  const { plans } = (await access.administer('agent.show', { id }, 'tests')) as { plans: ShownGrant[] }
  return plans
}

it(`kill -9 while plans are granted and charged: each order is given once, whole, and each acknowledged charge is kept (seed ${seed})`, async () => {
  const folder = await temporaryFolder()
  const dir = path.join(folder.dir, 'access')
  const random = randomNumbers(seed)
  try {
    let access = await Access.open(dir, { now: Date.now })
    const { agent, token } = await access.registerAgent()
    await access.close()
    const told: Told = { lastOrder: 0, lastGiven: 0, settling: 0, acknowledged: 0 }
    // An early kill can leave nothing to examine, so kills go on until some orders and charges were acknowledged.
    for (let kill = 1; kill <= KILLS || told.acknowledged <= KILLS || told.lastGiven <= KILLS; kill++) {
      await killWriter(dir, token, 10 + Math.floor(random() * 800), told)
      expect(await examineAccounts(dir)).toMatchObject({ sound: true })
      access = await Access.open(dir, { now: Date.now })
      try {
        // A buyer whose answer was lost repeats the order.
        const payment = { method: 'operator', reference: String(told.lastOrder) } as const
        await access.grantPlan('tests', agent, access.plans[0]!, payment)
        const grants = await grantsOf(access, agent)
        const orders = grants.map(({ payment }) => Number(payment.reference)).sort((a, b) => a - b)
        expect(orders).toEqual(Array.from({ length: told.lastOrder }, (_, i) => i + 1))
        const charged = grants.reduce((sum, { units, units_left }) => sum + units - units_left, 0)
        expect(charged).toBeGreaterThanOrEqual(told.acknowledged)
        expect(charged).toBeLessThanOrEqual(told.settling)
        // From here on the disk says which of the interrupted charges count.
        told.settling = charged
        told.acknowledged = charged
      } finally {
        await access.close()
      }
    }
  } finally {
    await folder.remove()
  }
})
