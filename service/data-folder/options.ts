import { invalidOption, optionsReader } from '@asof/extract/errors'
import type { Plan } from '../accounts/index.ts'
import type { JobLimits } from '../crawl-jobs/job-store.ts'
import type { EmbeddingsSettings, LlmSettings, RerankSettings } from '../index.ts'
import type { LocalModelOptions, LocalRerankerOptions } from '../local-models/index.ts'
import type { FolderPart } from './folder-part.ts'

/** Where a cluster is, and how it is laid out when it is created; see `ClusterOptions`. */
export interface ClusterSetup {
  search: string | readonly string[]
  database: string
  objects?: string
  name?: string
  shards?: number
  replicas?: number
}

/** An embeddings model that `asof model add` has added, see `localModel`. */
export interface LocalModelSettings extends LocalModelOptions {
  /** The name of the model, such as `minilm`. */
  local: string
}

/** An embeddings model that `asof model add` has added and onnxruntime runs, see `onnxModel`. */
export interface OnnxModelSettings extends LocalModelOptions {
  /** The name of the model, such as `minilm`. */
  onnx: string
}

/** A reranking model that `asof model add` has added, see `localReranker`. */
export interface LocalRerankerSettings extends LocalRerankerOptions {
  /** The name of the model. */
  local: string
}

/** The options of {@link openDataFolder} and {@link reachDataFolder}. Every field has a default. */
export interface DataFolderOptions {
  /** True to create the folder if it is missing. With false, a missing folder is ASOF_STORE_MISSING. Default true. */
  create?: boolean
  /** True to let other processes use the folder through its socket. Default true. */
  share?: boolean
  /** True to allow fetching from loopback, private, link-local and metadata addresses. Default false. */
  allowPrivate?: boolean
  /** True to store pages that are fetched live in the index. Default false. */
  storeLive?: boolean
  /** True to obey robots.txt when a page is fetched live. Default false. */
  liveRobots?: boolean
  /** How much one organization may crawl. Default: see `defaultJobLimits`. */
  crawlJobs?: Partial<JobLimits>
  /** True to fetch pages again, in the background, if feedback says that they did not load. Default false. */
  refetch?: boolean
  /** Returns the current time, epoch ms. Default `Date.now`. */
  now?: () => number
  /**
   * URL of a PostgreSQL database for what several processes share: the frontiers of crawls, accounts, payments and feedback. Default: they
   * are in the folder.
   */
  database?: string
  /**
   * The cluster that has the index. A process that shares the folder waits until the cluster can be reached. Default: the
   * index is in the folder.
   */
  cluster?: ClusterSetup
  /** How long superseded captures are kept: `'90d'`, `'6mo'`, `'2y'`. Default: forever. */
  retain?: string
  /** Memory for the caches of the index, bytes. Default: that of the engine. */
  cacheBytes?: number
  /** Memory for the vectors of captures, bytes. Default: that of the engine. */
  vectorBytes?: number
  /** Maximum processor time of one search, ms; of an index in a cluster, the time with all waiting. Default: that of the engine. */
  searchTimeoutMs?: number
  /** The language model that answers a `prompt`. Default: the built-in reader answers. */
  llm?: LlmSettings
  /** The model that computes vectors of pages and queries: at an endpoint, or in this process. Default: none. */
  embeddings?: EmbeddingsSettings | LocalModelSettings | OnnxModelSettings
  /** The model that re-ranks the first results: at an endpoint, or in this process. Default: none. */
  reranking?: RerankSettings | LocalRerankerSettings
  /** Parts that other rooms add to the folder, such as `storePart`. Default: none. */
  parts?: readonly FolderPart[]
  /** The plans that agents can have. Default: those of `defaultPlans`. */
  plans?: readonly Plan[]
  /** Stops crawls and backups of other processes in this folder once what they hold is stored. */
  signal?: AbortSignal
  /** Called with a line for the operator about each failure that stops nothing. Default: a process warning. */
  onNotice?: (line: string) => void
}

const defaults = {
  create: true,
  share: true,
  allowPrivate: false,
  refetch: false,
  now: Date.now,
  onNotice: (line: string): void => process.emitWarning(line),
}

/** Options with the defaults filled in. */
export type ResolvedOptions = DataFolderOptions & typeof defaults

const readGiven = optionsReader<DataFolderOptions>({
  create: 'boolean',
  share: 'boolean',
  allowPrivate: 'boolean',
  storeLive: 'boolean',
  liveRobots: 'boolean',
  crawlJobs: 'object',
  refetch: 'boolean',
  now: 'function',
  database: 'string',
  cluster: 'object',
  retain: 'string',
  cacheBytes: 'number',
  vectorBytes: 'number',
  searchTimeoutMs: 'number',
  llm: 'object',
  embeddings: 'object',
  reranking: 'object',
  parts: 'list',
  plans: 'list',
  signal: 'signal',
  onNotice: 'function',
})

/**
 * Checks the names and types of options, and the parts, and fills in the defaults.
 *
 * @throws ASOF_INVALID_OPTION
 */
export function resolveOptions(options: DataFolderOptions | undefined): ResolvedOptions {
  const given = readGiven(options)
  for (const [i, part] of (given.parts ?? []).entries()) {
    if (typeof part?.open !== 'function') throw invalidOption(`parts[${i}]`, 'must be a part with the function open')
    if (given.parts?.indexOf(part) !== i) throw invalidOption('parts', 'has the same part twice')
  }
  return { ...defaults, ...given }
}
