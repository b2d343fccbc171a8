import { availableParallelism } from 'node:os'
import { readRetention } from './dates/retention.ts'
import type { MergePolicy } from './merge/merge-policy.ts'
import type { Embedder, Reranker } from './models/embedder.ts'
import { invalidOption, optionsReader } from './options.ts'
import { languageOfTag } from './text/languages/language-detection.ts'

/** How a data folder is opened. For every option `undefined` means "not given". */
export interface OpenOptions {
  /**
   * True if the data folder and the index in it are created when they are missing. Default true. With false, only an existing index is
   * opened: a misspelled path is an error (`ASOF_STORE_MISSING`) and does not create an empty index.
   */
  create?: boolean
  /** The clock of the engine, epoch ms. Default `Date.now`. */
  now?: () => number
  /**
   * Memory for cached posting lists and other parts of segments, of all threads together. Default 256 MiB. In addition, files of the index
   * may be memory-mapped: a quarter of this size, and at least 64 MiB. A larger cache makes answers faster if the index is much larger
   * than the cache.
   */
  cacheBytes?: number
  /**
   * Number of threads that answer searches, 0 to 64. With 0, the calling thread answers every search. The number changes no answer.
   * Default: the number of cores (0 on a single core). The default threads start when searches take more than a tenth of the calling
   * thread's time, or with a long query to a large index. If you pass a number, the threads start with the first search. In both cases they
   * end after a minute without a search.
   */
  searchThreads?: number
  /**
   * Maximum processor time of one search on its thread, milliseconds, 1 to 3,600,000. A search that takes more fails with
   * `ASOF_SEARCH_TIMEOUT`. Default 5,000.
   */
  searchTimeoutMs?: number
  /** Called for failures that do not affect any answer, such as a merge that must be tried again. Default: a process warning. */
  onWarning?: (warning: Error) => void
  /**
   * How long captures are kept after a newer capture or a removal has superseded them: a delta (`90d`, `6mo`, `2y`) or milliseconds. Older
   * captures are deleted in the background; current ones never are. Default: all are kept.
   */
  retain?: string | number
  /**
   * An embeddings model. The vectors of captures are stored and take part in the ranking `pro`. A model that fails or is slow delays
   * neither captures nor searches: see `Engine.embed` and the `warning` of an answer. Default: no model, and no vectors are stored.
   */
  embed?: Embedder
  /**
   * A model that reads the 25 best results of `pro` together with the query, and orders them. If it fails, or takes longer than 3 s, their
   * order does not change: see the `warning` of an answer. Default: no model.
   */
  rerank?: Reranker
  /** Chooses which segments are merged next. No answer depends on it. Default: tiers, see `merge/merge-policy.ts`. */
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
  mergePolicy: 'function',
})

const MAX_SEARCH_THREADS = 64
const MAX_SEARCH_TIMEOUT_MS = 3_600_000
const MAX_MODEL_LANGUAGES = 200

/**
 * Checks the values of options that have the right types, before anything is created.
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

/** @param method - the method of the model that the engine calls. */
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

/** Returns the default number of search threads. It is 0 on a single core, where a thread would gain nothing. */
export function defaultSearchThreads(): number {
  const cores = availableParallelism()
  return cores > 1 ? Math.min(cores, MAX_SEARCH_THREADS) : 0
}
