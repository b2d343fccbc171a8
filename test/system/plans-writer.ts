import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Access } from '../../service/accounts/index.ts'

/**
 * Gives plans to an agent and charges calls to them, until it is killed. Writes to stdout: `o N` and `g N` when order N starts
 * and is acknowledged, `s` and `a` when a charge starts and is acknowledged. Every order is given twice at once. Arguments:
 * folder, token, first order.
 */
const [dir, token, first] = process.argv.slice(2) as [string, string, string]
const CALLERS = 12
const access = await Access.open(dir, { now: Date.now })
const agent = (await access.agentOf(token))!
const plan = access.plans[0]!
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'ready\n')

async function buy(): Promise<void> {
  for (let order = Number(first); ; order++) {
    writeSync(1, `o ${order}\n`)
    const payment = { method: 'operator', reference: String(order) } as const
    await Promise.all([0, 1].map(() => access.grantPlan('tests', agent, plan, payment)))
    writeSync(1, `g ${order}\n`)
    for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve))
  }
}

async function charge(): Promise<void> {
  for (;;) {
    const hold = await access
      .agentAccount(agent)
      .hold('search')
      .catch(() => undefined)
    if (hold) {
      writeSync(1, 's\n')
      await hold.capture('search.pro')
      writeSync(1, 'a\n')
    } else await new Promise(resolve => setImmediate(resolve))
  }
}

await Promise.all([buy(), ...Array.from({ length: CALLERS }, () => charge())])
