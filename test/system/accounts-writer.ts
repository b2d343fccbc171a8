import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Access, type Sku, skus } from '../../service/accounts/index.ts'
import { chargeCall } from '../service/accounts/accounts.ts'

/**
 * Charges concurrent calls until it is killed. Writes to stdout: `s` when a call starts to be settled, `a` when it is
 * acknowledged, `b N` and `p N` when a purchase of N credits starts and is acknowledged. Some calls never end, and some
 * fail. Arguments: folder, key, organization.
 */
const [dir, key, org] = process.argv.slice(2) as [string, string, string]
const CALLERS = 24
const access = await Access.open(dir, { now: Date.now })
const { caller } = await access.identify(key)
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'ready\n')
for (let i = 0; i < 5; i++) await access.hold(caller)

async function call(sku: Sku, turns: number, fails: boolean): Promise<void> {
  const work = async () => {
    for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve))
    if (fails) throw new Error('fails')
  }
  const skuOf = () => {
    writeSync(1, 's\n')
    return sku
  }
  try {
    await chargeCall(access, { key }, { work, skuOf })
    writeSync(1, 'a\n')
  } catch (error) {
    if (!(error instanceof Error && error.message === 'fails')) throw error
  }
}

async function calls(who: number): Promise<void> {
  for (let n = who; ; n++) await call(skus[n % skus.length]!, n % 4, n % 7 === 0)
}

async function purchases(): Promise<void> {
  for (let n = 1; ; n = (n % 5) + 1) {
    writeSync(1, `b ${n}\n`)
    await access.administer('credits.add', { credits: n, org }, 'tests')
    writeSync(1, `p ${n}\n`)
    for (let i = 0; i < 200; i++) await new Promise(resolve => setImmediate(resolve))
  }
}

await Promise.all([...Array.from({ length: CALLERS }, (_, who) => calls(who)), purchases()])
