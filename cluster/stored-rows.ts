import { AsofError } from '@asof/core'
import { bodyKey, checksummed, valueIfIntact } from '@asof/core/internal'
import { type Queries, ROWS_AT_ONCE } from './queries.ts'

/** A row of `value`, the table that has the stored values of pages. */
export interface StoredRow {
  key: Buffer
  value: Buffer
}

/** Makes a row of `value`. Its value ends with a checksum, as on disk. */
export function rowOf(key: Uint8Array, value: Uint8Array): StoredRow {
  return { key: bufferOf(key), value: bufferOf(checksummed(key, value)) }
}

/** Reads the rows of keys that there are, in any order. */
export async function storedRows(sql: Queries, keys: readonly Uint8Array[]): Promise<StoredRow[]> {
  const found: StoredRow[] = []
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    const some = keys.slice(from, from + ROWS_AT_ONCE).map(bufferOf)
    found.push(...(await sql<StoredRow[]>`select key, value from value where key in ${sql(some)}`))
  }
  return found
}

/** Returns the value of a row without its checksum. @throws ASOF_STORE_CORRUPT */
export function intactValue({ key, value }: StoredRow): Uint8Array {
  const intact = valueIfIntact(key, value)
  if (intact) return intact
  throw new AsofError(
    'ASOF_STORE_CORRUPT',
    'a value in PostgreSQL has a wrong checksum: restore a backup of the database',
  )
}

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** True for the key of a body. */
export function isBody(key: Uint8Array): boolean {
  return key[0] === BODY
}

const BODY = bodyKey(0)[0]
