import { AsofError, isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import type { SqlClient, Transaction } from '../database/index.ts'

/** A pool of connections, or the connection of a transaction. */
export type Queries = SqlClient | Transaction

/** Number of rows in one statement, so that their parameters stay below the limit of the protocol. */
export const ROWS_AT_ONCE = 5_000

/** Reads from PostgreSQL. @throws ASOF_STORE_READ - it cannot be reached, did not answer in time, or refused to: the message says why. */
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
