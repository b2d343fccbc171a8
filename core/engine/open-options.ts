import { availableParallelism } from 'node:os'
import { invalidOption, optionsReader } from '@asof/extract/errors'
import { readRetention } from '../dates/retention.ts'
import type { MergePolicy } from '../merge/merge-policy.ts'
import { checkModels, type ModelOptions } from '../models/model-options.ts'

/** Options for opening a data folder. */
export interface OpenOptions extends ModelOptions {
  /**
   * True to create the data folder and its index if they are missing. Default true. With false, a misspelled path is an
   * error (`ASOF_STORE_MISSING`) instead of an empty index.
   */
  create?: boolean
  /** The clock of the engine, epoch ms. Default `Date.now`. */
  now?: () => number
  /**
   * Memory for cached posting lists and other parts of segments, for all threads together. Default 256 MiB,
   * of an index in memory 32 MiB. Memory-mapped files of the index come on top: up to a quarter of this size, but at
   * least 64 MiB. More memory makes answers faster if the index is much larger than the cache.
   */
  cacheBytes?: number
  /**
   * Number of threads that answer searches, 0 to 64. With 0, the calling thread answers. Answers do not depend on it.
   * Default: the number of cores (0 on a single core). By default, threads start when searches take more than a tenth
   * of the calling thread's time, or with a long query to a large index. With a given number, they start with the first
   * search. They end after a minute without a search. An index in memory has none: the calling thread answers.
   */
  searchThreads?: number
  /**
   * Maximum processor time of one search, milliseconds, 1 to 3,600,000. A longer one fails with `ASOF_SEARCH_TIMEOUT`.
   * Default 5,000.
   */
  searchTimeoutMs?: number
  /**
   * Called for failures that affect no answer, such as a failed merge that will be retried. Default: a process warning.
   */
  onWarning?: (warning: Error) => void
  /**
   * How long superseded captures are kept: a delta (`90d`, `6mo`, `2y`) or milliseconds. Then they are deleted in the
   * background. Current captures are always kept. Default: all captures are kept.
   */
  retain?: string | number
  /** Chooses the segments to merge next. Answers do not depend on it. Default: tiers, see `merge/merge-policy.ts`. */
  mergePolicy?: MergePolicy
}

/** Checks the names and types of the options of `open`. */
export const readOpenOptions = optionsReader<OpenOptions>({
  create: 'boolean',
  now: 'function',
  cacheBytes: 'number',
  searchThreads: 'number',
  searchTimeoutMs: 'number',
  onWarning: 'function',
  retain: 'duration',
  embed: 'object',
  rerank: 'object',
  vectorBytes: 'number',
  mergePolicy: 'function',
})

const MAX_SEARCH_THREADS = 64
const MAX_SEARCH_TIMEOUT_MS = 3_600_000

/**
 * Checks the values of options before anything is created. Their types are already checked.
 *
 * @throws ASOF_INVALID_OPTION - a value is out of range; `details.field` names the option.
 */
export function checkOpenOptions(options: OpenOptions): void {
  const { searchThreads = 0, searchTimeoutMs = MAX_SEARCH_TIMEOUT_MS, cacheBytes = 0, retain } = options
  if (!Number.isInteger(searchThreads) || searchThreads < 0 || searchThreads > MAX_SEARCH_THREADS)
    throw invalidOption('searchThreads', `must be a whole number from 0 to ${MAX_SEARCH_THREADS}`)
  if (!(searchTimeoutMs >= 1 && searchTimeoutMs <= MAX_SEARCH_TIMEOUT_MS))
    throw invalidOption('searchTimeoutMs', `must be a number of milliseconds from 1 to ${MAX_SEARCH_TIMEOUT_MS}`)
  if (!(Number.isFinite(cacheBytes) && cacheBytes >= 0))
    throw invalidOption('cacheBytes', 'must be a number of bytes from 0')
  if (retain !== undefined) readRetention(retain)
  checkModels(options)
}

/** Returns the default number of search threads: 0 on a single core, where threads would gain nothing. */
export function defaultSearchThreads(): number {
  const cores = availableParallelism()
  return cores > 1 ? Math.min(cores, MAX_SEARCH_THREADS) : 0
}
