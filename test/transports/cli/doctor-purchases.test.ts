import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { Access } from '../../../service/accounts/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PaymentLedger } from '../../../store/payments/index.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { buildProgram } from '../../../transports/cli/program.ts'
import { statesIn } from '../../file-states.ts'
import { paymentRecord } from '../../store/payments/payment-record.ts'
import { useCommandOutput } from './command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-doctor-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
})

it('asof doctor writes nothing into a data folder with sales', async () => {
  const engine = await open(dir)
  await engine.add([{ url: 'https://pages.example/', text: 'A page.' }])
  await engine.close()
  await (await Access.open(path.join(dir, 'access'), { now: Date.now })).close()
  await (await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments')))).close()
  await (await PurchaseLedger.open(await JournalRecords.open(path.join(dir, 'purchases')))).close()
  const before = await statesIn(dir)
  await buildProgram().parseAsync(['node', 'asof', 'doctor', '--data', dir])
  expect(output.stdout).toContain('the purchases are sound')
  expect(process.exitCode ?? 0).toBe(0)
  expect(await statesIn(dir)).toEqual(before)
})

it('asof doctor names a settled purchase without a plan, and exits with 1', async () => {
  await (await open(dir)).close()
  const access = await Access.open(path.join(dir, 'access'), { now: Date.now })
  const [plan] = access.plans
  const { agent } = await access.registerAgent()
  await access.close()
  const record = paymentRecord(1, 'settled', { kind: 'purchase', transaction: '0xa1', settledAt: 1 })
  const payments = await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments')))
  await payments.save(record)
  await payments.close()
  const purchases = await PurchaseLedger.open(await JournalRecords.open(path.join(dir, 'purchases')))
  const proof = `${record.payer}:${record.nonce}`.toLowerCase()
  await purchases.begin({ method: 'x402', proof, payment: '', agent: agent.id, plan: plan!, at: 0 })
  await purchases.close()

  await buildProgram().parseAsync(['node', 'asof', 'doctor', '--data', dir])
  const text = output.stdout.replace(/\s+/g, ' ')
  expect(text).toContain('the purchases are sound: 0 plans bought, 1 payment undecided')
  expect(text).toContain(`plans that were paid but not given: ${record.payer} paid`)
  expect(text).toContain(`in transaction 0xa1, but agent ${agent.id} does not have the plan ${plan!.id} yet`)
  expect(text).toContain('Start `asof serve`')
  expect(process.exitCode).toBe(1)
})
