import type { Queries } from '../queries.ts'
import { oldestChanges } from './journal.ts'
import type { TermIndex } from './term-index.ts'

/** The indices that a cluster has in OpenSearch. They change only under the lock of {@link lockApplying}. */
export interface TermIndexState {
  /** The number of the index that searches read. */
  number: number
  /** The number of the index that a reindex builds to replace it; null if no reindex is under way. Each change is applied to both. */
  building: number | null
  /** The number of the last capture that was copied to the index that is built. */
  copiedId: number
  /** The number of the last capture that has to be copied. Later captures come with their changes. */
  lastId: number
  /** The number of an index that was replaced or abandoned and must be deleted; else null. */
  unused: number | null
}

/** Takes the lock of the journal until the transaction ends. Only its holder changes the term index. */
export async function lockApplying(tx: Queries): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(current_schema() || ' apply'))`
}

export async function termIndexIn(queries: Queries): Promise<TermIndexState> {
  const [state] = await queries<[TermIndexState]>`
    select number, building, copied_id as "copiedId", last_id as "lastId", unused from term_index`
  return state
}

/**
 * Applies the oldest open changes, at least one, to all given indices. Returns false if no change is open.
 *
 * @param known - the texts of changes that this server decided, by their numbers.
 */
export async function applyOldest(
  tx: Queries,
  indices: readonly TermIndex[],
  known: ReadonlyMap<number, string> = new Map(),
): Promise<boolean> {
  const open = await oldestChanges(tx, known)
  if (open.length === 0) return false
  await Promise.all(indices.map(index => index.apply(open)))
  await tx`delete from journal where number in ${tx(open.map(({ number }) => number))}`
  await tx`update applied set number = greatest(number, ${open.at(-1)!.number})`
  return true
}
