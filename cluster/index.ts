import type { ClusterOptions } from './cluster-options.ts'
import { ClusterEngine } from './engine/cluster-engine.ts'

export type { ClusterOptions, RetentionOptions } from './cluster-options.ts'
export { type ClusterTools, clusterTools } from './cluster-tools.ts'
export type { ClusterEngine } from './engine/cluster-engine.ts'
export type {
  ClusterHealth,
  DatabaseHealth,
  ObjectsHealth,
  SearchHealth,
  ShardState,
} from './examination/cluster-health.ts'
export type { ClusterExamination, ExaminationOptions, Finding } from './examination/examination.ts'
export type { MoveOptions, MoveReport } from './maintenance/moving.ts'
export type { ReindexReport } from './maintenance/reindexing.ts'
export type { ProofCounts } from './search/cluster-search.ts'
export { isUnreachable } from './server-failures.ts'

/**
 * Opens a cluster, and creates its index and tables if they are missing. Any number of servers may have the cluster open.
 *
 * @throws ASOF_PACKAGE_MISSING - `@opensearch-project/opensearch` or `postgres` is not installed.
 * @throws ASOF_INVALID_OPTION - an option is unknown, missing, out of range or of another type.
 * @throws ASOF_STORE_READ, ASOF_SEARCH_FAILED - a server cannot be reached; `retryable` is true.
 * @throws ASOF_STORE_WRITE, ASOF_STORE_FORMAT - the tables cannot be created, or a later version of asof made them.
 */
export function openCluster(options: ClusterOptions): Promise<ClusterEngine> {
  return ClusterEngine.open(options)
}
