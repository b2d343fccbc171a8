import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { LevelAccounts } from '../../service/accounts/level/level-accounts.ts'
import { LevelLedger } from '../../service/accounts/level/level-ledger.ts'
import { Grants } from '../../service/accounts/plans/grants.ts'
import { openDataFolder } from '../../service/data-folder/index.ts'
import { createService } from '../../service/index.ts'
import { store, storePart } from '../../store/index.ts'
import { PaymentLedger, type PaymentRecord } from '../../store/payments/index.ts'
import { PurchaseLedger } from '../../store/purchases/index.ts'
import { createServer, listen } from '../../transports/http/index.ts'
import { dieAt } from './dying-step.ts'

/**
 * Sells plans, and kills itself at the given step, or at the one that its parent process sends. Writes its address to stdout.
 * Arguments: folder, payment settings as JSON (`maxFeePerGas` as text, and those of MPP and cards), step.
 */
const [dir, json, step] = process.argv.slice(2) as [string, string, string]
const { wallet, mpp, card, ...given } = JSON.parse(json)
const settings = { ...given, wallet: { ...wallet, maxFeePerGas: BigInt(wallet.maxFeePerGas) } }

const die = dieAt(step)

/** Replaces a method by one that can kill the process before and after it. */
function watch<Given extends unknown[]>(part: object, method: string, nameOf: (...given: Given) => string): void {
  const real = Reflect.get(part, method) as (...given: Given) => Promise<unknown>
  Reflect.set(part, method, async function (this: unknown, ...given: Given) {
    die(`before ${nameOf(...given)}`)
    const result = await real.apply(this, given)
    die(`after ${nameOf(...given)}`)
    return result
  })
}

watch(PaymentLedger.prototype, 'save', (record: PaymentRecord) =>
  record.deliveredAt === undefined ? record.state : 'granted',
)
watch(PurchaseLedger.prototype, 'begin', () => 'purchase')
watch(PurchaseLedger.prototype, 'save', ({ isReceiptSent }: { isReceiptSent: boolean }) =>
  isReceiptSent ? 'sent' : 'receipt',
)
watch(Grants.prototype, 'grant', () => 'grant')

let sold = false
const { purchase } = LevelLedger.prototype
LevelLedger.prototype.purchase = function (...given) {
  die('before units')
  sold = true
  return purchase.apply(this, given)
}
const { change } = LevelAccounts.prototype
LevelAccounts.prototype.change = async function <T>(...given: Parameters<typeof change<T>>) {
  const result = await change.apply(this, given as Parameters<typeof change>)
  if (sold) die('after units')
  return result as T
}

const hold = LevelLedger.prototype.hold
LevelLedger.prototype.hold = async function (...given) {
  const held = await hold.apply(this, given)
  watch(held, 'capture', () => 'charge')
  return held
}

const part = storePart({ payments: { settings, regions: 'off' }, purchases: { mpp, card } })
const folder = await openDataFolder(dir, { parts: [part], onNotice: () => {} })
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
const { engine } = folder
const payments = (await folder.part(part).takePayments())!
const purchases = (await folder.part(part).sellPlans(payments))!
const service = createService(engine, folder.readLive)
const app = createServer(service, { engine, access: await folder.access(), ways: store({ payments, purchases }) })
writeSync(1, `${await listen(app, { host: '127.0.0.1', port: 0 })}\n`)
