import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SharedDatabase } from '../../../../database/index.ts'
import { PostgresAccounts } from '../../../../service/accounts/postgres/postgres-accounts.ts'
import { PostgresLedger } from '../../../../service/accounts/postgres/postgres-ledger.ts'
import { NO_POSTGRES, postgresBin, startPostgres } from '../../../servers/postgres.ts'
import { startTcpProxy } from '../../../servers/tcp-proxy.ts'

if (!postgresBin()) console.warn(`test/service/accounts: ${NO_POSTGRES}`)

const CALLERS = 8
/** An error of PostgreSQL without any field, as a broken pool of connections may send it. */
const ERROR_WITHOUT_CODE = 'E\0\0\0\x05\0'

describe.skipIf(!postgresBin())('credits in a PostgreSQL that goes away', () => {
  it('are charged once for each call that was answered, and all failures have a code', async () => {
    const server = await startPostgres()
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) })
    const url = new URL(server.url)
    url.port = String(proxy.port)
    const database = await SharedDatabase.open(url.href, { schema: 'lost', what: 'the accounts' })
    await (await PostgresAccounts.open(database, { now: Date.now })).close()
    const ledger = new PostgresLedger(database, Date.now)
    const owner = { id: 'org_a', allowance: 1_000_000 }
    const failures: unknown[] = []
    let answered = 0
    let isOver = false
    const caller = async () => {
      while (!isOver) {
        try {
          const hold = await ledger.hold(owner, 'key')
          await hold.capture('fetch')
          answered++
        } catch (error) {
          failures.push(error)
          await sleep(5)
        }
      }
    }
    const callers = Array.from({ length: CALLERS }, caller)
    const answers = async () => {
      const before = answered
      await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThan(before + CALLERS)
    }
    const failsWhile = async (isAway: () => unknown) => {
      await answers()
      const before = failures.length
      await isAway()
      await expect.poll(() => failures.length, { timeout: 30_000 }).toBeGreaterThan(before)
    }
    await failsWhile(() => server.kill())
    await server.start()
    for (const mode of ['cut', { answer: ERROR_WITHOUT_CODE }, 'cut'] as const) {
      await failsWhile(() => {
        proxy.mode = mode
      })
      proxy.mode = 'pass'
    }
    await answers()
    isOver = true
    await Promise.all(callers)
    for (const failure of failures) expect(failure).toMatchObject({ name: 'AsofError', code: 'ASOF_STORE_WRITE' })
    // Charges of calls that failed are taken back in the background.
    await expect.poll(async () => (await ledger.usage(owner)).calls.fetch, { timeout: 30_000 }).toBe(answered)
    await ledger.close()
    expect((await ledger.usage(owner)).calls.fetch).toBe(answered)
    await database.close()
    await proxy.close()
    await server.stop()
  })
})
