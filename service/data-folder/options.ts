import { optionsReader } from '@asof/core/options'
import type { Plan } from '../accounts/index.ts'
import type { EmbeddingsSettings, LlmSettings, RerankSettings } from '../index.ts'
import type { PaymentSetup } from './payment-folder.ts'
import type { PurchaseSetup } from './purchase-folder.ts'

export interface DataFolderOptions {
  /** Creates the folder if it is missing. Default true; false: a missing folder is ASOF_STORE_MISSING. */
  create?: boolean
  /** Lets other processes use the folder through its socket while it is open. Default true. */
  share?: boolean
  /** Allows fetching from loopback, private, link-local and metadata addresses. Default false. */
  allowPrivate?: boolean
  /** Stores pages that are fetched live in the index. Default false. */
  storeLive?: boolean
  /** Obeys robots.txt when a page is fetched live. Default false. */
  liveRobots?: boolean
  /** Fetches pages again, in the background, when feedback says that they did not load. Default false. */
  refetch?: boolean
  /** The current time, epoch milliseconds. Default `Date.now`. */
  now?: () => number
  /** How long superseded captures are kept: `'90d'`, `'6mo'`, `'2y'`. Default: forever. */
  retain?: string
  /** Memory for the caches of the index, bytes. Default: the engine's. */
  cacheBytes?: number
  /** Processor time that one search may take, milliseconds. Default: the engine's. */
  searchTimeoutMs?: number
  /** The language model that answers a `prompt`. Default: the built-in reader answers. */
  llm?: LlmSettings
  /** The model that computes embeddings of pages and queries. Default: none. */
  embeddings?: EmbeddingsSettings
  /** The model that re-ranks the first results. Default: none. */
  reranking?: RerankSettings
  /** How payments are taken. Default: payments are not taken. */
  payments?: PaymentSetup
  /** How plans are sold by MPP and by card. Default: they are sold by x402 alone, if payments are taken. */
  purchases?: PurchaseSetup
  /** The plans that agents can have. Default: those of `defaultPlans`. */
  plans?: readonly Plan[]
  /** Stops the crawls and backups that other processes run through the socket, after the current batch. */
  signal?: AbortSignal
  /** Receives notices for the operator, one line each, about failures that stop nothing. Default: a process warning. */
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
  refetch: 'boolean',
  now: 'function',
  retain: 'string',
  cacheBytes: 'number',
  searchTimeoutMs: 'number',
  llm: 'object',
  embeddings: 'object',
  reranking: 'object',
  payments: 'object',
  purchases: 'object',
  plans: 'list',
  signal: 'signal',
  onNotice: 'function',
})

/**
 * Checks the names and types of options and fills in the defaults.
 *
 * @throws ASOF_INVALID_OPTION
 */
export function resolveOptions(options: DataFolderOptions | undefined): ResolvedOptions {
  return { ...defaults, ...readGiven(options) }
}
