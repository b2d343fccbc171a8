import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Queries } from '../queries.ts'

/** The lowest level of zstd takes half the time of the default level, and its output is hardly longer. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

/** Number of bytes of changes that are read at a time. A larger change is read alone. */
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** A change that was decided, and that the term index may still lack. */
export interface JournaledChange {
  number: number
  /** The bulk operations, see `bulkText`. */
  text: string
}

/** The times of a change that decide which answers have to wait for it, see `ClusterState`. */
export interface ChangeTimes {
  /** The instant of the change, epoch ms. */
  at: number
  /** The instant of the change before it, epoch ms. */
  follows: number
  /** True if the change affects answers as of instants before it. */
  rewrites: boolean
}

/** Enters a change into the journal. */
export async function enterChange(tx: Queries, { number, text }: JournaledChange, times: ChangeTimes): Promise<void> {
  await tx`insert into journal ${tx([{ number, ...times, bytes: text.length, changes: zstdCompressSync(text, { params }) }])}`
}

/**
 * Reads the oldest open changes, at least one if there are any.
 *
 * @param known - the texts of changes that need not be read, by their numbers.
 */
export async function oldestChanges(tx: Queries, known: ReadonlyMap<number, string>): Promise<JournaledChange[]> {
  // `known` is copied, because other calls may delete from it meanwhile.
  const texts = new Map(known)
  const rows = await tx<{ number: number; changes: Buffer | null }[]>`
    select number, case when number = any(${[...texts.keys()]}::bigint[]) then null else changes end as changes from (
      select number, changes, sum(bytes) over (order by number) - bytes as bytes_before from journal
    ) as open
    where bytes_before < ${BYTES_AT_ONCE} order by number`
  return rows.map(({ number, changes }) => ({
    number,
    text: changes ? zstdDecompressSync(changes).toString() : texts.get(number)!,
  }))
}
