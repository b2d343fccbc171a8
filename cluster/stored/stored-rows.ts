import { AsofError } from '@asof/core'
import { bodyKey, checksummed, valueIfIntact } from '@asof/core/internal'
import { type Queries, ROWS_AT_ONCE } from '../queries.ts'
import { packed } from './packed-bytes.ts'

/** A row of `value`, the table that has the stored values of pages. */
export interface StoredRow {
  key: Buffer
  value: Buffer
}

/** Makes a row of the table `value`. A checksum is added to its value, as on disk. */
export function rowOf(key: Uint8Array, value: Uint8Array): StoredRow {
  return { key: bufferOf(key), value: bufferOf(checksummed(key, value)) }
}

/** Reads the rows of those keys that exist, in any order. */
export async function storedRows(sql: Queries, keys: readonly Uint8Array[]): Promise<StoredRow[]> {
  const found: StoredRow[] = []
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    const { bytes, starts, lengths } = packed(keys.slice(from, from + ROWS_AT_ONCE))
    const rows = await sql<StoredRow[]>`
      select key, value from value where key = any(array(
        select substring(${bytes}::bytea from start for length)
        from unnest(${starts}::int[], ${lengths}::int[]) as place (start, length)))`
    for (const row of rows) found.push(row)
  }
  return found
}

/** Writes rows, and replaces those with the same keys. */
export async function writeRows(sql: Queries, rows: readonly StoredRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    const keys = packed(some.map(({ key }) => key))
    const values = packed(some.map(({ value }) => value))
    await sql`
      insert into value (key, value)
      select substring(${keys.bytes}::bytea from key_start for key_length),
        substring(${values.bytes}::bytea from value_start for value_length)
      from unnest(${keys.starts}::int[], ${keys.lengths}::int[], ${values.starts}::int[], ${values.lengths}::int[])
        as place (key_start, key_length, value_start, value_length)
      on conflict (key) do update set value = excluded.value`
  }
}

/** Checks the value of a row, and returns it without its checksum. @throws ASOF_STORE_CORRUPT */
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
