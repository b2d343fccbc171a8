import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { SharedDatabase } from '../../database/index.ts'
import { PostgresAccounts } from '../../service/accounts/postgres/postgres-accounts.ts'
import { skus } from '../../service/contract/sku.ts'
import { ServiceError } from '../../service/index.ts'

/**
 * Charges concurrent calls to accounts of a database, purchases credits and takes charges back, until it is killed. Writes to
 * stdout: `s` when a call starts to be settled, `a` when its charge is acknowledged, `r` and `t` when the refund of a charge
 * starts and is acknowledged, `b N` and `p N` when a purchase of N credits starts and is acknowledged. Some calls never end, and
 * some fail. Arguments: URL, schema, account, allowance.
 */
const [url, schema, account, allowance] = process.argv.slice(2) as [string, string, string, string]
const CALLERS = 8
/** Holds of a killed process expire while the other one still runs. */
const HOLD_MS = 2_000
const owner = { id: account, allowance: Number(allowance) }
const settings = { application_name: schema }
const database = await SharedDatabase.open(url, { schema, what: 'the accounts', settings })
const { ledger, ...accounts } = await openAccounts()
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'ready\n')

async function openAccounts() {
  const store = await PostgresAccounts.open(database, { now: Date.now, holdMs: HOLD_MS })
  return { ledger: store.ledger, change: store.change.bind(store) }
}

let charged = 0

async function calls(who: number): Promise<void> {
  for (let n = who; ; n++) {
    const hold = await ledger.hold(owner, 'key').catch((error: unknown) => {
      if (error instanceof ServiceError && error.kind === 'insufficient_credits') return undefined
      throw error
    })
    if (!hold) continue
    if (n % 23 === 0) continue
    if (n % 7 === 0) {
      await hold.void()
      continue
    }
    writeSync(1, 's\n')
    await hold.capture(skus[n % skus.length]!)
    charged++
    writeSync(1, 'a\n')
    if (n % 11 !== 0) continue
    writeSync(1, 'r\n')
    await hold.refund()
    writeSync(1, 't\n')
  }
}

async function purchases(): Promise<void> {
  for (let credits = 1; ; credits = (credits % 9) + 1) {
    writeSync(1, `b ${credits}\n`)
    await accounts.change(account, async () => ({ result: undefined, act: { purchase: { account, credits } } }))
    writeSync(1, `p ${credits}\n`)
    // Credits are scarce, so that callers compete for the last ones.
    const enough = charged + credits / 2
    while (charged < enough) await new Promise(resolve => setImmediate(resolve))
  }
}

await Promise.all([...Array.from({ length: CALLERS }, (_, who) => calls(who)), purchases()])
