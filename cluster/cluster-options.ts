import type { ModelOptions } from '@asof/core'
import type { RetentionOptions } from './writing/retention.ts'

/** Where a cluster is, and how it is laid out when it is created. */
export interface ClusterOptions extends RetentionOptions, ModelOptions {
  /** The URL of a node of OpenSearch 3, or those of several nodes of one cluster, so that each may fail. */
  search: string | readonly string[]
  /** The URL of a PostgreSQL database. */
  database: string
  /**
   * The URL of the object store that has the bodies of pages, `s3://bucket/prefix?region=…&endpoint=…` or `file:///path` of a folder that
   * all servers share. It is decided when the cluster is created. Default: PostgreSQL has them.
   */
  objects?: string
  /** The name of the index in OpenSearch and of the schema in PostgreSQL: lower-case letters, digits and `_`. Default `asof`. */
  name?: string
  /** Number of shards of the index, if it is created. Default 1. */
  shards?: number
  /** Number of copies of each shard besides the first, if the index is created. Default 0. */
  replicas?: number
  /** Memory for pages that searches have read, bytes. Default 256 MiB. */
  cacheBytes?: number
  /** The clock, epoch ms. The clocks of all servers of a cluster should agree to the second. Default `Date.now`. */
  now?: () => number
}
