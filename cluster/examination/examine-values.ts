import { describeKey, valueIfIntact } from '@asof/core/internal'
import type { StoredRow } from '../stored/stored-rows.ts'
import type { Examined } from './examined.ts'

const ROWS_AT_ONCE = 1_000
/** Maximum number of values that a finding names. */
const MAX_NAMED = 5

/** Checks the checksums of all stored values in PostgreSQL. */
export async function examineValues({ sql, add }: Examined): Promise<void> {
  const damaged: string[] = []
  for (let after: Buffer = Buffer.alloc(0), isOver = false; !isOver; ) {
    const rows = await sql<StoredRow[]>`
      select key, value from value where key > ${after} order by key limit ${ROWS_AT_ONCE}`
    for (const { key, value } of rows) if (!valueIfIntact(key, value)) damaged.push(describeKey(key))
    isOver = rows.length < ROWS_AT_ONCE
    after = rows.at(-1)?.key ?? after
  }
  if (damaged.length > 0)
    add(
      `${damaged.length} of the values in PostgreSQL have a wrong checksum: ${damaged.slice(0, MAX_NAMED).join(', ')}`,
      'restore a backup of PostgreSQL, then run asof cluster reindex',
    )
}
