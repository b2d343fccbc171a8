import type { ClusterOptions } from './cluster-options.ts'
import { type ClusterHealth, inspectCluster } from './examination/cluster-health.ts'
import { type ClusterExamination, type ExaminationOptions, examineCluster } from './examination/examination.ts'
import { type MoveOptions, type MoveReport, moveIntoCluster, moveIntoFolder } from './maintenance/moving.ts'
import { abandonReindex, type ReindexReport, reindexCluster } from './maintenance/reindexing.ts'
import { sweepObjects } from './maintenance/sweep-objects.ts'

/**
 * The tools by which an operator maintains a cluster. They work whether or not engines have the cluster open. If there is no cluster of the
 * given name, `load` creates it, `health` reports that it is missing, and the other methods throw ASOF_INVALID_OPTION.
 */
export interface ClusterTools {
  /** Reads the condition of the servers. A server that does not answer is reported, and is no error. @throws ASOF_PACKAGE_MISSING */
  health(): Promise<ClusterHealth>
  /**
   * Compares the data of the servers, and reports what is wrong. It only reads.
   *
   * @throws ASOF_PACKAGE_MISSING, ASOF_STORE_READ, ASOF_SEARCH_FAILED - a server stopped answering meanwhile.
   */
  examine(options?: ExaminationOptions): Promise<ClusterExamination>
  /**
   * Builds the index of OpenSearch again from PostgreSQL, with `shards` and `replicas`, while engines write and search. A build that was
   * stopped or killed continues.
   *
   * @throws ASOF_STORE_WRITE, ASOF_STORE_READ, ASOF_STORE_CORRUPT, ASOF_SEARCH_FAILED, ASOF_PACKAGE_MISSING
   */
  reindex(options?: MoveOptions): Promise<ReindexReport>
  /**
   * Abandons the unfinished build of an index. Returns `abandoned: false` if no build is unfinished.
   *
   * @throws ASOF_STORE_WRITE, ASOF_STORE_READ, ASOF_SEARCH_FAILED
   */
  abandonReindex(): Promise<{ abandoned: boolean }>
  /**
   * Frees space in the object store. Objects whose bodies were all deleted are deleted. Objects of which less than half is used are replaced
   * by smaller ones. Objects of changes that were never made are deleted if they are older than a day; `deleted` is their number.
   *
   * @throws ASOF_INVALID_OPTION - the cluster has no object store, or another one.
   * @throws ASOF_STORE_READ
   */
  sweepObjects(): Promise<{ deleted: number }>
  /**
   * Moves the index of a data folder into an empty cluster. The folder is not changed. If the move is interrupted, the same call
   * continues it. Nothing should write to the cluster meanwhile.
   *
   * @throws ASOF_STORE_MISSING, ASOF_STORE_LOCKED, ASOF_STORE_FORMAT - the index in the folder cannot be opened.
   * @throws ASOF_INVALID_OPTION - the cluster has pages that are not those of the folder.
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE, ASOF_SEARCH_FAILED
   */
  load(dir: string, options?: MoveOptions): Promise<MoveReport>
  /**
   * Moves the index of the cluster into a new data folder. The cluster is not changed. A move that is interrupted leaves no index; the
   * same call begins again from the start.
   *
   * @throws ASOF_INVALID_OPTION - the folder has an index.
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE
   */
  save(dir: string, options?: MoveOptions): Promise<MoveReport>
}

/**
 * Returns the tools of a cluster. Nothing is read or checked before one of them is called, which then throws ASOF_INVALID_OPTION if an option
 * is wrong.
 */
export function clusterTools(cluster: ClusterOptions): ClusterTools {
  return {
    health: () => inspectCluster(cluster),
    examine: options => examineCluster(cluster, options),
    reindex: options => reindexCluster(cluster, options),
    abandonReindex: () => abandonReindex(cluster),
    sweepObjects: () => sweepObjects(cluster),
    load: (dir, options) => moveIntoCluster(dir, cluster, options),
    save: (dir, options) => moveIntoFolder(dir, cluster, options),
  }
}
