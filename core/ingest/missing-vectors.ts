import { captureGroups } from '../store/snapshots/capture-groups.ts'
import type { Snapshots } from '../store/snapshots/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { StoredVectors } from '../vectors/stored-vectors.ts'
import type { IndexWriter } from './index-writer.ts'
import type { PassageVectors } from './passage-vectors.ts'

/** The options of {@link Engine.embed}. */
export interface EmbedOptions {
  /** Called with the totals so far. */
  onProgress?: (report: EmbedReport) => void
  /** Stops the call after the current captures. */
  signal?: AbortSignal
}

/** The result of {@link Engine.embed}. */
export interface EmbedReport {
  /** Number of captures checked. */
  captures: number
  /** Number of captures that got a vector. */
  embedded: number
}

interface VectorParts {
  store: Store
  snapshots: Snapshots
  stored: StoredVectors
  passages: PassageVectors
  writer: IndexWriter
}

/** Computes vectors for the captures in the index that have none, see `Engine.embed`. */
export async function addMissingVectors(
  { store, snapshots, stored, passages, writer }: VectorParts,
  { onProgress, signal }: EmbedOptions,
): Promise<EmbedReport> {
  const report: EmbedReport = { captures: 0, embedded: 0 }
  for (const captureIds of captureGroups(snapshots.catalog)) {
    if (signal?.aborted) break
    snapshots.expectOpen()
    const vectors = await passages.ofStored(await stored.lacking(captureIds), store)
    if (vectors.length > 0) report.embedded += await writer.addVectors(vectors)
    report.captures += captureIds.length
    onProgress?.({ ...report })
  }
  return report
}
