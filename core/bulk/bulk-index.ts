import type { Outcome, PlainEntry } from '../ingest/entry.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { Conditions, SelectedPages, SelectedRange } from './page-selection.ts'

/** Number of keys that are read at a time in search of selected pages. A purge waits for reads, so they must be short. */
const KEYS_AT_ONCE = 4_096

/** The index that bulk deletions change. Instants are epoch ms; undefined means now. */
export interface BulkIndex {
  currentInstant(): number | Promise<number>
  /** Returns the names of the fields that pages had up to an instant, sorted. */
  fieldNames(at: number | undefined): Promise<readonly string[]>
  /** Reads one part of the pages that conditions select. */
  select(conditions: Conditions, range: SelectedRange, at: number | undefined): Promise<SelectedPages>
  /** Reads the histories of URLs, and of the pages whose aliases the URLs are. */
  read<T>(urls: readonly string[], at: number | undefined, work: (snapshot: Snapshot) => T): Promise<T>
  /** Reads the latest histories, after all commits, including those that readers cannot see yet. Used by changes that depend on what is read. */
  latest<T>(urls: readonly string[], work: (snapshot: Snapshot) => T): Promise<T>
  /** Adds observations in one commit. */
  enter(entries: readonly PlainEntry[]): Promise<readonly (Outcome | undefined)[]>
  /** Deletes URLs from all of time in one commit. Returns the number of URLs that had captures, and the number of their captures. */
  purge(urls: readonly string[]): Promise<Deleted>
}

/** Number of pages and captures that were deleted. */
export interface Deleted {
  pages: number
  captures: number
}

/** Yields the pages that conditions select, one part at a time. A part may be empty. */
export async function* selectedPages(
  index: BulkIndex,
  conditions: Conditions,
  range: Pick<SelectedRange, 'atMost' | 'isOfAllTime'>,
  at: number | undefined,
): AsyncGenerator<SelectedPages['pages']> {
  let after: string | undefined
  do {
    const { pages, next } = await index.select(conditions, { ...range, after, mostRead: KEYS_AT_ONCE }, at)
    yield pages
    after = next
  } while (after !== undefined)
}
