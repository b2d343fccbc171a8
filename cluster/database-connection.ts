import net from 'node:net'
import { AsofError, isAsofError } from '@asof/core'
import { loadOptional } from '@asof/core/internal'
import type { Options, Sql, TransactionSql } from 'postgres'
import { clusterPackages } from './cluster-packages.ts'

/** Longest time that a connection waits for another one, as for the lock of the clock. */
const LOCK_MS = 50_000
/** A transaction whose client says nothing for this time is rolled back, so that a server that hangs, or is cut off, delays no other one for longer. */
const IDLE_IN_TRANSACTION_MS = 45_000
/** A connection without an answer for this time is given up: PostgreSQL cannot be reached. More than it waits for a lock. */
const SILENCE_MS = 60_000
/** A connection that is not used for this time is closed. Less than {@link SILENCE_MS}. */
const UNUSED_S = 20
const CONNECT_S = 10
/** Time between two signs of life of a transaction, milliseconds. */
const ALIVE_MS = 5_000

/** A connection or a transaction. */
export type Queries = Sql<{ bigint: number }> | TransactionSql<{ bigint: number }>

/** Connects to PostgreSQL. No call of the connection waits for ever. @throws ASOF_PACKAGE_MISSING */
export async function connect(url: string, schema: string): Promise<Sql<{ bigint: number }>> {
  const { default: postgres } = await loadOptional(clusterPackages, () => import('postgres'))
  let attempts = 0
  // The types of the package lack this option.
  const socket = {
    socket: ({ host, port, path }: { host: string[]; port: number[]; path?: string }) => {
      const at = attempts++ % host.length
      const opened = path ? net.connect(path) : net.connect(port[at]!, host[at])
      opened.setNoDelay(true)
      return opened.setTimeout(SILENCE_MS, () =>
        opened.destroy(new Error(`PostgreSQL has not answered for ${SILENCE_MS / 1000} s`)),
      )
    },
  }
  const options: Options<{
    bigint: { to: number; from: number[]; parse: (text: string) => number; serialize: (value: number) => string }
  }> = {
    // Instants and counts are whole numbers below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    connection: {
      search_path: `"${schema}"`,
      lock_timeout: LOCK_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    connect_timeout: CONNECT_S,
    idle_timeout: UNUSED_S,
    onnotice: () => {},
  }
  return postgres(url, { ...options, ...socket })
}

/**
 * Runs work in a transaction. The package ends the whole process if anything is asked of the connection of a transaction after it was
 * lost, and it asks itself, to roll back. So nothing is asked of it then: the work is left as it is, and its transaction fails.
 *
 * @param mode - such as `isolation level repeatable read`.
 */
export async function transaction<T>(
  sql: Sql<{ bigint: number }>,
  work: (tx: TransactionSql<{ bigint: number }>) => Promise<T>,
  mode = '',
): Promise<T> {
  let lost: unknown
  const never = new Promise<never>(() => {})
  const run = async (tx: TransactionSql<{ bigint: number }>): Promise<T> => {
    const guarded = new Proxy(tx, {
      apply(target, self, words) {
        if (lost) throw lost
        return Reflect.apply(target, self, words)
      },
    })
    // Else PostgreSQL would take this server for dead while it decides a large change, or OpenSearch works.
    const alive = setInterval(() => {
      if (!lost) void tx`select 1`.catch(() => {})
    }, ALIVE_MS)
    try {
      const result = await work(guarded)
      return lost ? never : result
    } catch (error) {
      // The loss of a connection shows in the same turn as the failure of a query by it.
      await new Promise(resolve => setImmediate(resolve))
      if (lost) return never
      throw error
    } finally {
      clearInterval(alive)
    }
  }
  const done = sql.begin(mode, run) as Promise<T>
  done.catch((error: unknown) => {
    lost = error ?? new Error('the connection was lost')
  })
  return done
}

/** Reads from PostgreSQL. @throws ASOF_STORE_READ - it cannot be reached, or did not answer in time. */
export async function readFromDatabase<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    throw new AsofError('ASOF_STORE_READ', 'PostgreSQL did not answer a read: see the cause, and try again', { cause })
  }
}
