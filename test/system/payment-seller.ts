import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import path from 'node:path'
import { open } from '../../core/index.ts'
import { createService } from '../../service/index.ts'
import { JournalRecords } from '../../service/records/index.ts'
import { store } from '../../store/index.ts'
import { openPayments, PaymentLedger, type PaymentRecord } from '../../store/payments/index.ts'
import { createServer, listen } from '../../transports/http/index.ts'
import { dieAt } from './dying-step.ts'

/**
 * Sells searches, and kills itself at the step that its parent process sends. Writes its address to stdout.
 * Arguments: folder, payment settings as JSON (`maxFeePerGas` as text).
 */
const [dir, json] = process.argv.slice(2) as [string, string]
const { wallet, ...given } = JSON.parse(json)
const settings = { ...given, wallet: wallet && { ...wallet, maxFeePerGas: BigInt(wallet.maxFeePerGas) } }

const die = dieAt()

const ledger = await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments')))
const save = ledger.save.bind(ledger)
ledger.save = async (record: PaymentRecord) => {
  const what = record.deliveredAt === undefined ? record.state : 'delivered'
  die(`before ${what}`)
  await save(record)
  die(`after ${what}`)
}

// Two requests move money: `settle`, which the facilitator's client sends with undici, and the transaction to the node.
for (const [event, at] of [
  ['create', 'before sending'],
  ['trailers', 'after sending'],
] as const)
  subscribe(`undici:request:${event}`, message => {
    if ((message as { request: { path: string } }).request.path.endsWith('/settle')) die(at)
  })

// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
const engine = await open(dir)
await engine.add([
  { url: 'https://example.com/tea', html: '<title>Tea</title><p>Green tea and black tea.</p>' },
  { url: 'https://example.com/coffee', html: '<title>Coffee</title><p>Coffee, ground.</p>' },
])
const payments = await openPayments({
  settings,
  ledger,
  now: Date.now,
  regions: 'off',
  limits: { perSecondByAddress: 10_000, perSecondByWallet: 10_000 },
  onFailure: failure => console.error(failure),
})
const noLive = () => Promise.reject(new Error('nothing is fetched live'))
const app = createServer(createService(engine, noLive), { engine, ways: store({ payments }) })
writeSync(1, `${await listen(app, { host: '127.0.0.1', port: 0 })}\n`)
