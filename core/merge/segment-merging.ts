import { AsofError, messageOf } from '@asof/extract/errors'
import type { MergeRequest, MergeResult } from './merge-segments.ts'

/** Runs merges, one at a time. */
export interface SegmentMerging {
  /**
   * Runs one merge.
   *
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped. The index does not use anything that the merge wrote.
   */
  run(request: MergeRequest): Promise<MergeResult>
  /** Ends a running merge at its next write and frees what merges need. {@link run} may be called again afterwards. */
  stop(): Promise<void>
}

/** Returns the error of a failed merge. */
export function mergeError(cause: unknown): AsofError {
  const reason = messageOf(cause)
  return new AsofError('ASOF_STORE_WRITE', `a merge failed: ${reason}`, { cause })
}
