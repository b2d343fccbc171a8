import { AsofError, isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import type { SqlClient, Transaction } from '../database/index.ts'

/** Runs statements: a pool of connections, or the connection of one transaction. */
export type Queries = SqlClient | Transaction

/** Maximum number of rows in one statement. It keeps the number of parameters below the limit of the protocol. */
export const ROWS_AT_ONCE = 5_000

/**
 * Reads from PostgreSQL.
 *
 * @throws ASOF_STORE_READ - PostgreSQL cannot be reached, did not answer in time, or reported an error: the message says which.
 */
export async function readFromDatabase<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    const isRefused = isError(cause) && cause.name === 'PostgresError'
    const what = isRefused ? `refused a read: ${cause.message}` : 'did not answer a read: see the cause, and try again'
    throw new AsofError('ASOF_STORE_READ', `PostgreSQL ${what}`, { cause })
  }
}
