import { inject } from 'vitest'
import { type ClusterEngine, type ClusterOptions, openCluster } from '../../cluster/index.ts'

/** The servers of the tests; undefined if this machine lacks them, and the tests skip. */
export const servers = inject('servers')

let opened = 0

/** Maximum time of one search. A busy machine needs more than the default. */
const SEARCH_TIMEOUT_MS = 120_000

/** Opens a cluster of its own on the servers of the tests. */
export function openTestCluster(options: Partial<ClusterOptions> = {}): Promise<ClusterEngine> {
  if (!servers) throw new Error('the servers are missing: skip the test')
  return openCluster({ ...servers, name: newName(), searchTimeoutMs: SEARCH_TIMEOUT_MS, ...options })
}

/** A name that no other cluster on the servers has. */
export function newName(): string {
  return `t${process.pid}_${opened++}`
}

/** The URL of a node of OpenSearch. */
export function anyNode(): string {
  return [servers!.search].flat()[0]!
}
