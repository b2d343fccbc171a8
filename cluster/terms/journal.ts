import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Queries } from '../queries.ts'

/** The lowest level of zstd takes half the time of the usual one, and texts are hardly longer. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

/** Most bytes of batches that are read at a time. One batch may have more. */
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** A change that is decided, and that the term index still has to get. */
export interface Batch {
  number: number
  /** The bulk operations, see `bulkText`. */
  text: string
}

/** What answers have to know of a batch, see `Clock`. */
export interface BatchTimes {
  /** Epoch ms. */
  at: number
  follows: number
  rewrites: boolean
}

/** Enters a batch into the journal. */
export async function enterBatch(tx: Queries, { number, text }: Batch, times: BatchTimes): Promise<void> {
  await tx`insert into batch ${tx([{ number, ...times, bytes: text.length, changes: zstdCompressSync(text, { params }) }])}`
}

/**
 * Reads the oldest open batches, at least one if there are any.
 *
 * @param known - the texts of batches that need not be read.
 */
export async function oldestBatches(tx: Queries, known: ReadonlyMap<number, string>): Promise<Batch[]> {
  // Others may end meanwhile, and forget what they know.
  const texts = new Map(known)
  const rows = await tx<{ number: number; changes: Buffer | null }[]>`
    select number, case when number = any(${[...texts.keys()]}::bigint[]) then null else changes end as changes from (
      select number, changes, sum(bytes) over (order by number) - bytes as bytes_before from batch
    ) as open
    where bytes_before < ${BYTES_AT_ONCE} order by number`
  return rows.map(({ number, changes }) => ({
    number,
    text: changes ? zstdDecompressSync(changes).toString() : texts.get(number)!,
  }))
}
