import { availableParallelism } from 'node:os'
import { readRetention } from './dates/retention.ts'
import type { MergePolicy } from './merge/merge-policy.ts'
import type { Embedder, Reranker } from './models/embedder.ts'
import { invalidOption, optionsReader } from './options.ts'
import { languageOfTag } from './text/languages/language-detection.ts'

/** How a data folder is opened. `undefined` means "not given" everywhere. */
export interface OpenOptions {
  /**
   * True if the data folder and the index in it are to be created when they are missing. Default true. Pass false to open
   * only an existing index: then a misspelled path is an error (`ASOF_STORE_MISSING`) instead of an empty index.
   */
  create?: boolean
  /** The engine's clock, epoch ms. Default `Date.now`. */
  now?: () => number
  /**
   * Memory for cached posting lists and other parts of segments, on all threads together. In addition, a quarter of this,
   * and at least 64 MiB, of the index's files may be memory-mapped. Default 256 MiB. A larger cache makes answers faster if
   * the index is much larger than the cache.
   */
  cacheBytes?: number
  /**
   * Number of threads that answer searches, 0 to 64. With 0, the calling thread answers every search. The number
   * changes no answer. Default: the number of cores (0 on a single core); these threads start when searches take more than
   * a tenth of the calling thread's time, or with a long query to a large index. If you pass a number, the threads start
   * with the first search. In both cases they end after a minute without a search.
   */
  searchThreads?: number
  /**
   * Processor time that one search may take on its thread, in milliseconds, 1 to 3,600,000. A search that takes more ends
   * with `ASOF_SEARCH_TIMEOUT`. Default 5,000.
   */
  searchTimeoutMs?: number
  /** Called with failures that harm no answer, such as a merge that has to be retried. Default: a process warning. */
  onWarning?: (warning: Error) => void
  /**
   * How long captures are kept after a newer one has superseded them or their page was removed: a delta (`90d`, `6mo`,
   * `2y`) or milliseconds. Older captures are deleted in the background; current ones never are. Default: all are kept.
   */
  retain?: string | number
  /**
   * An embeddings model. The vectors of captures are stored and take part in the ranking `pro`. A model that fails or is
   * slow delays neither captures nor searches: see {@link Engine.embed} and the `warning` of an answer. Default: no model;
   * no vectors are stored.
   */
  embed?: Embedder
  /**
   * A model that reads the 25 best results of `pro` together with the query and orders them. If it fails, or takes longer
   * than 3 s, the order stays as it was: see the `warning` of an answer. Default: no model.
   */
  rerank?: Reranker
  /** Chooses the segments to merge next. No answer depends on it. Default: tiers, see `merge/merge-policy.ts`. */
  mergePolicy?: MergePolicy
}

/** Checks the options of `open`: names and types. */
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
  mergePolicy: 'function',
})

const MAX_SEARCH_THREADS = 64
const MAX_SEARCH_TIMEOUT_MS = 3_600_000
const MAX_MODEL_LANGUAGES = 200

/**
 * Checks the values of options whose types are right, before anything is created.
 *
 * @throws ASOF_INVALID_OPTION - a value is out of range; `details.field` names the option.
 */
export function checkOpenOptions(options: OpenOptions): void {
  const { searchThreads = 0, searchTimeoutMs = MAX_SEARCH_TIMEOUT_MS, cacheBytes = 0, retain, embed, rerank } = options
  if (!Number.isInteger(searchThreads) || searchThreads < 0 || searchThreads > MAX_SEARCH_THREADS)
    throw invalidOption('searchThreads', `must be a whole number from 0 to ${MAX_SEARCH_THREADS}`)
  if (!(searchTimeoutMs >= 1 && searchTimeoutMs <= MAX_SEARCH_TIMEOUT_MS))
    throw invalidOption('searchTimeoutMs', `must be a number of milliseconds from 1 to ${MAX_SEARCH_TIMEOUT_MS}`)
  if (!(Number.isFinite(cacheBytes) && cacheBytes >= 0))
    throw invalidOption('cacheBytes', 'must be a number of bytes from 0')
  if (retain !== undefined) readRetention(retain)
  if (embed) checkModel('embed', embed.model, embed.embed)
  if (embed) checkLanguages(embed.languages)
  if (rerank) checkModel('rerank', rerank.model, rerank.rerank)
}

/** @param method - the method that calls the model. */
function checkModel(option: 'embed' | 'rerank', model: unknown, method: unknown): void {
  if (typeof model !== 'string' || model === '' || model.length > 200)
    throw invalidOption(option, 'must name its model: model is a string of 1 to 200 characters')
  if (typeof method !== 'function') throw invalidOption(option, `must have a function ${option}`)
}

function checkLanguages(languages: unknown): void {
  if (languages === undefined) return
  const isList = Array.isArray(languages) && languages.length >= 1 && languages.length <= MAX_MODEL_LANGUAGES
  if (!isList || !languages.every(tag => typeof tag === 'string' && languageOfTag(tag) !== ''))
    throw invalidOption(
      'embed',
      `must name the languages of its model as 1 to ${MAX_MODEL_LANGUAGES} language tags, such as ['en', 'de'], or leave out languages if it knows all`,
    )
}

/** The default number of search threads: with one core a thread would gain nothing. */
export function defaultSearchThreads(): number {
  const cores = availableParallelism()
  return cores > 1 ? Math.min(cores, MAX_SEARCH_THREADS) : 0
}
