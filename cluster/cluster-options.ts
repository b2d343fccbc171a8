import type { AsofError, ModelOptions } from '@asof/core'
import { checkModels, readRetention } from '@asof/core/internal'
import { invalidOption, optionsReader } from '@asof/extract/errors'

/** How long a cluster keeps superseded versions. */
export interface RetentionOptions {
  /**
   * How long superseded versions are kept: a delta such as `90d`, `6mo` or `2y`, or milliseconds. Give all servers of a cluster the same.
   * Default: forever.
   */
  retain?: string | number
  /** Called with failures of work in the background, such as that of retention. Default `process.emitWarning`. */
  onWarning?: (warning: Error) => void
}

/** Where a cluster is, and how it is laid out when it is created. */
export interface ClusterOptions extends RetentionOptions, ModelOptions {
  /** URL of a node of OpenSearch 3. With the URLs of several nodes of one OpenSearch cluster, searches survive the loss of a node. */
  search: string | readonly string[]
  /** The URL of a PostgreSQL database. */
  database: string
  /**
   * URL of the object store for the bodies of pages: `s3://bucket/prefix?region=…&endpoint=…`, or `file:///path` of a folder that all
   * servers share. It is fixed when the cluster is created. Default: the bodies are stored in PostgreSQL.
   */
  objects?: string
  /** The name of the index in OpenSearch and of the schema in PostgreSQL: lower-case letters, digits and `_`. Default `asof`. */
  name?: string
  /** Number of shards of the index, if it is created. Default 1. */
  shards?: number
  /** Number of copies of each shard besides the first, if the index is created. Default 0. */
  replicas?: number
  /** Memory for pages that searches have read, bytes. 0 keeps none. Default 256 MiB. */
  cacheBytes?: number
  /**
   * Maximum time of one search, including the time that it waits for servers, ms, 1 to 3,600,000. A longer search fails with
   * ASOF_SEARCH_TIMEOUT. Default 10,000.
   */
  searchTimeoutMs?: number
  /** Reads the clock of this server, epoch ms. The clocks of all servers of a cluster should agree to the second. Default `Date.now`. */
  now?: () => number
}

const MAX_SEARCH_TIMEOUT_MS = 3_600_000

const typesOf = optionsReader<ClusterOptions>(
  {
    search: 'string or list',
    database: 'string',
    objects: 'string',
    name: 'string',
    shards: 'number',
    replicas: 'number',
    cacheBytes: 'number',
    searchTimeoutMs: 'number',
    now: 'function',
    embed: 'object',
    rerank: 'object',
    vectorBytes: 'number',
    retain: 'duration',
    onWarning: 'function',
  },
  { required: ['search', 'database'] },
)

/** Checks options, and returns a copy. @throws ASOF_INVALID_OPTION */
export function readClusterOptions(given: ClusterOptions): ClusterOptions {
  const options = typesOf(given)
  const { search, database, name, shards, replicas, cacheBytes } = options
  if ([search].flat().length === 0) throw invalidOption('search', 'must be at least one URL')
  for (const url of [search].flat()) expectUrl('search', url, ['http:', 'https:'])
  expectUrl('database', firstHostOf(database), ['postgres:', 'postgresql:'])
  if (name !== undefined && !/^[a-z][a-z0-9_]{0,50}$/.test(name))
    throw invalidOption('name', 'must be lower-case letters, digits and _, and begin with a letter')
  expectInteger('shards', shards, 1)
  expectInteger('replicas', replicas, 0)
  expectInteger('cacheBytes', cacheBytes, 0)
  const { searchTimeoutMs = 1 } = options
  if (!(searchTimeoutMs >= 1 && searchTimeoutMs <= MAX_SEARCH_TIMEOUT_MS))
    throw invalidOption('searchTimeoutMs', `must be a number of milliseconds from 1 to ${MAX_SEARCH_TIMEOUT_MS}`)
  if (options.retain !== undefined) readRetention(options.retain)
  checkModels(options)
  return options
}

/** Checks the URL of a server. No error message contains the URL, because it may have a password. */
function expectUrl(field: string, url: unknown, protocols: readonly string[]): void {
  if (typeof url === 'string' && URL.canParse(url)) {
    const { protocol, username, password } = new URL(url)
    if (protocols.includes(protocol) && isEncoded(username) && isEncoded(password)) return
    if (protocols.includes(protocol))
      throw wrongUrl(field, 'must have its user and password percent-encoded: a % in them is %25')
  }
  throw wrongUrl(field, `must be a URL that begins with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
}

/** Returns the URL of a database with only the first of its hosts. A URL of PostgreSQL may name several hosts, separated by commas. */
function firstHostOf(url: string): string {
  return url.replace(/^(\w+:\/\/(?:[^/@]*@)?[^/?,]*),[^/?]*/, '$1')
}

const wrongUrl = (field: string, reason: string): AsofError =>
  invalidOption(field, `${reason}; it is not repeated here`)

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function expectInteger(field: string, value: number | undefined, least: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
    throw invalidOption(field, `must be an integer of at least ${least}`)
}
