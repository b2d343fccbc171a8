import type { Failure } from '@asof/extract/errors'
import type { TimeInput } from '../page.ts'

/** Options of {@link Engine.removeAll} and {@link Engine.purgeAll}. */
export interface BulkOptions {
  /**
   * An instant, which must not be in the future. Pages are selected as they were then. A removal is declared history of that
   * instant. Default: pages are selected as they are when their turn comes.
   */
  at?: TimeInput
  /** True to change nothing, and only report what would be changed. Default false. */
  dryRun?: boolean
  /** Stops after the current round. */
  signal?: AbortSignal
  /** Called after each round with the report so far. */
  onProgress?: (report: BulkReport) => void
}

/** The result of {@link Engine.removeAll} and {@link Engine.purgeAll}. */
export interface BulkReport {
  /** Number of pages that were removed or purged. */
  pages: number
  /** Number of captures that were purged. 0 for removals. */
  captures: number
  /** Number of URLs of a list that are not valid. */
  failed: number
  /** The failures, at most the first 100. */
  failures: Failure[]
  /** False if `signal` stopped the call. The same call finishes the rest. */
  finished: boolean
}
