import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { isError } from '@asof/extract/errors'
import type { SqlClient, Transaction } from './queries.ts'

/**
 * Time between two statements that only show that the process is alive, ms. Without them, PostgreSQL would end the transaction of a process
 * that computes or waits for another server.
 */
const ALIVE_MS = 5_000
/**
 * Time that work which reported a lost connection waits for `begin` to fail, ms. If `begin` has not failed by then, the work lost another
 * connection than that of the transaction. The transaction is then rolled back, because it would otherwise keep its locks forever.
 */
const LOSS_MS = 1_000

/** Never settles. Work whose connection is lost waits for it, because `begin` has failed, or is about to, and ignores what the work returns. */
const abandoned = new Promise<never>(() => {})

/**
 * Runs a transaction, as `begin` of the client does. That function sends statements, such as `rollback`, also to a connection that is
 * lost, and then the client throws where nobody can catch it, which ends the process (postgres 3.4.9; porsager/postgres#1154, #1208). So
 * nothing is sent from then on.
 *
 * @param mode - such as `isolation level repeatable read`.
 */
export async function transact<T>(sql: SqlClient, work: (tx: Transaction) => Promise<T>, mode = ''): Promise<T> {
  let isOver = false
  let alive: NodeJS.Timeout | undefined
  try {
    return (await sql.begin(mode, async tx => {
      const guarded = new Proxy(tx, {
        apply: (target, self, [first, ...rest]) => {
          // Fragments, such as a list of columns, are not sent.
          if (isOver && Array.isArray(first) && 'raw' in first) throw connectionLost()
          return Reflect.apply(target, self, [first, ...rest])
        },
        get: (target, name, receiver) => {
          if (isOver && name === 'unsafe') throw connectionLost()
          return Reflect.get(target, name, receiver)
        },
      })
      alive = setInterval(() => {
        if (!isOver) tx`select 1`.catch(() => {})
      }, ALIVE_MS)
      try {
        const result = await work(guarded)
        return isOver ? await abandoned : result
      } catch (error) {
        // The loss of a connection shows in the same turn of the event loop as the failure of a statement by it.
        await (endsConnection(error) ? sleep(LOSS_MS) : setImmediate())
        if (isOver) return await abandoned
        throw error
      } finally {
        clearInterval(alive)
      }
    })) as T
  } finally {
    isOver = true
    // Abandoned work never ends, so it stops the timer nowhere else.
    clearInterval(alive)
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost in the transaction'), { code: 'CONNECTION_CLOSED' })
}

/** True for an error of the client, after which it closes the connection. */
function endsConnection(error: unknown): boolean {
  if (!isError(error) || !('query' in error) || !('code' in error)) return false
  if ('severity' in error) return error.severity === 'FATAL' || error.severity === 'PANIC'
  // A connection that this process closes itself refuses statements without harm.
  return 'errno' in error && error.code !== 'CONNECTION_DESTROYED'
}
