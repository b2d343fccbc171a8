import type { Outcome, PlainEntry } from '../ingest/entry.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { ParsedSelection, SelectedPages, SelectedRange } from './page-selection.ts'

/** Conditions on pages. */
export type Conditions = Exclude<ParsedSelection, { urls: unknown }>

/** The index that bulk deletions change. Instants are epoch ms; undefined means now. */
export interface BulkIndex {
  currentInstant(): number | Promise<number>
  /** Returns the names of the fields that pages had up to an instant, sorted. */
  fieldNames(at: number | undefined): Promise<readonly string[]>
  /** Reads one part of the pages that conditions select. */
  select(conditions: Conditions, range: SelectedRange, at: number | undefined): Promise<SelectedPages>
  /** Reads the histories of URLs, and of what they are aliases of. */
  read<T>(urls: readonly string[], at: number | undefined, work: (snapshot: Snapshot) => T): Promise<T>
  /** The same after all commits, for changes that depend on it. */
  latest<T>(urls: readonly string[], work: (snapshot: Snapshot) => T): Promise<T>
  /** Adds observations in one commit. */
  enter(entries: readonly PlainEntry[]): Promise<readonly (Outcome | undefined)[]>
  /** Deletes URLs from all of time in one commit. Returns the number of URLs that had captures, and of captures. */
  purge(urls: readonly string[]): Promise<Deleted>
}

/** Number of pages and captures that were deleted. */
export interface Deleted {
  pages: number
  captures: number
}
