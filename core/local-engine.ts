import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { resolveTimes } from './dates/resolve-times.ts'
import { readRetention } from './dates/retention.ts'
import type {
  AddReport,
  BackupOptions,
  BackupReport,
  EmbedOptions,
  EmbedReport,
  Engine,
  EngineStats,
  HistoryPart,
  PageOptions,
  SearchAnswer,
  SearchOptions,
  Suggestion,
  Timeline,
  VersionsOptions,
  VersionsPart,
} from './engine.ts'
import {
  readBackupOptions,
  readEmbedOptions,
  readHistoryOptions,
  readPageOptions,
  readSearchOptions,
  readSuggestOptions,
  readVersionsOptions,
} from './engine-options.ts'
import { AsofError } from './errors.ts'
import { aliased, currentCapture, currentUnder, knownRecord, type StoredReading } from './history/current-capture.ts'
import { storedTimeline, versionsPart } from './history/page-versions.ts'
import { type HistoryCursor, historyPart, storedPage } from './history/stored-history.ts'
import { addCaptures } from './ingest/add-captures.ts'
import { AnalysisPool } from './ingest/analysis-pool.ts'
import type { Outcome } from './ingest/commit-batch.ts'
import { GroupCommit } from './ingest/group-commit.ts'
import { IndexWriter, type Reading, type ReadingThreads } from './ingest/index-writer.ts'
import { PassageVectors } from './ingest/passage-vectors.ts'
import { chooseMerge, type MergePolicy } from './merge/merge-policy.ts'
import { intoNewFolder } from './new-folder.ts'
import { invalidOption, optionsReader } from './options.ts'
import type { CaptureInput, Page, TimeInput } from './page.ts'
import { expectPath } from './repair/index-folder.ts'
import { cacheBudget } from './scheduling/cache-budget.ts'
import { ModelSearch } from './scheduling/model-search.ts'
import { Reranking } from './scheduling/reranking.ts'
import { SearchQueue, type SearchQueueOptions } from './scheduling/search-queue.ts'
import { SearchThreads } from './scheduling/search-threads.ts'
import { answer } from './search/answer.ts'
import { DEFAULT_SEARCH_TIMEOUT_MS } from './search/postings/search-time.ts'
import { parseSearch, resolveSearch, type SearchRequest } from './search/search-request.ts'
import { allUrls, identityKey, urlKey, urlOfKey } from './store/keys.ts'
import { decodeIdentity, encodeIdentity, FORMAT } from './store/manifest.ts'
import { statsOf } from './store/snapshots/index-stats.ts'
import { someCaptures } from './store/snapshots/some-captures.ts'
import { Store } from './store/store.ts'
import { Suggester } from './suggest/suggester.ts'
import { analyzerIdentity } from './text/terms/tokens.ts'
import { normalizeUrl } from './url.ts'
import type { Embedder, Reranker } from './vectors/embedder.ts'
import { QueryVectors } from './vectors/query-vectors.ts'
import { StoredVectors } from './vectors/stored-vectors.ts'
import { VectorTable } from './vectors/vector-table.ts'

/** How a data folder is opened. `undefined` means "not given" everywhere. */
export interface OpenOptions {
  /**
   * Whether a missing data folder, or the index in it, is created. Default true; false suits whoever only reads, since a
   * misspelt path then is an error (`ASOF_STORE_MISSING`) instead of an empty index.
   */
  create?: boolean
  /** The engine's clock, epoch ms. Default `Date.now`. */
  now?: () => number
  /**
   * Memory for posting lists and other pieces of segments, on all threads together; a quarter as much again, 64 MiB at
   * least, of the index's files may be mapped. Default 256 MiB. Of an index that is far larger, more makes answers faster.
   */
  cacheBytes?: number
  /**
   * Threads that answer searches, 0 to 64; 0 answers every search in place. Changes no answer. Default: as many as the
   * machine has cores (0 on a single one), started when searches take a tenth of the time of the thread that calls, and
   * ended after a minute without a search. A number given here starts that many with the first search.
   */
  searchThreads?: number
  /**
   * Processor time that one search may take on its thread, milliseconds, 1 to 3,600,000: one that takes more is broken
   * off with `ASOF_SEARCH_TIMEOUT`. Default 5,000.
   */
  searchTimeoutMs?: number
  /** Told of failures that harm no answer, such as a merge that has to be tried again. Default: a process warning. */
  onWarning?: (warning: Error) => void
  /**
   * How long captures are kept once a newer one has superseded them or their page was removed: a delta (`90d`, `6mo`,
   * `2y`) or milliseconds. Older ones are let go in the background; current ones never are. Default: all are kept.
   */
  retain?: string | number
  /**
   * What pages and queries mean, as a model tells: their vectors are stored with the captures and rank in `pro`. A model that
   * fails or is slow keeps no capture and no query waiting: see {@link Engine.embed} and the `warning` of an answer.
   * Default: none; nothing is stored of one and nothing asked.
   */
  embed?: Embedder
  /**
   * Reads the 25 best results of `pro` together with the query, and puts them in order. One that fails or takes over 3 s
   * leaves the order as it was: see the `warning` of an answer. Default: none.
   */
  rerank?: Reranker
  /** Which segments to merge next. Changes no answer. Default: tiers, see `store/merge-policy.ts`. */
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

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024

/**
 * Checks the values of options whose types are right, before anything is created.
 *
 * @throws ASOF_INVALID_OPTION - one is out of range; `details.field` names it.
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
  if (rerank) checkModel('rerank', rerank.model, rerank.rerank)
}
const MAX_SEARCH_THREADS = 64
const MAX_SEARCH_TIMEOUT_MS = 3_600_000
/** Maximum number of versions in one part. */
const MAX_VERSIONS = 1_000
/** A merge of so many needs the memory of an idle thread more than the next page needs its half second. */
const LARGE_MERGE_CAPTURES = 250_000

/** The {@link Engine} over a LevelDB folder of this machine. */
export class LocalEngine implements Engine {
  readonly #store: Store
  readonly #writer: IndexWriter
  readonly #commits: GroupCommit
  readonly #pool: AnalysisPool
  readonly #searches: SearchQueue
  readonly #suggester: Suggester
  readonly #meaning: Meaning | undefined
  readonly #modelSearch: ModelSearch
  readonly #stopModels: AbortController
  readonly #searchTimeoutMs: number
  #closing: Promise<void> | undefined

  private constructor(
    store: Store,
    writer: IndexWriter,
    pool: AnalysisPool,
    searches: Omit<SearchQueueOptions, 'writer' | 'captures' | 'answerHere'>,
    searchTimeoutMs: number,
    { meaning, reranking, stop }: Models,
  ) {
    this.#meaning = meaning
    this.#stopModels = stop
    this.#searchTimeoutMs = searchTimeoutMs
    this.#store = store
    this.#writer = writer
    this.#pool = pool
    this.#commits = new GroupCommit(entries => writer.write(entries))
    this.#searches = new SearchQueue({
      ...searches,
      writer,
      captures: () => writer.catalog.segments.reduce((total, { captures }) => total + captures, 0),
      answerHere: (request, reading) => this.#answer(request, reading),
    })
    this.#modelSearch = new ModelSearch(
      { ...(meaning && { queries: meaning.queries }), ...(reranking && { reranking }) },
      { searches: this.#searches, writer, store, mustBeOpen: () => this.#mustBeOpen() },
    )
    this.#suggester = new Suggester({
      read: work => {
        this.#mustBeOpen()
        return writer.read(
          () => ({ queryAt: undefined }),
          (_, reading) => {
            this.#mustBeOpen()
            return work({ store, ...reading })
          },
        )
      },
      elapsedMs: () => performance.now(),
    })
  }

  static async open(location: string, options: OpenOptions = {}): Promise<LocalEngine> {
    const {
      now = Date.now,
      cacheBytes = DEFAULT_CACHE_BYTES,
      onWarning = (warning: Error) => process.emitWarning(warning),
      mergePolicy = chooseMerge,
      retain,
      searchThreads,
      searchTimeoutMs = DEFAULT_SEARCH_TIMEOUT_MS,
      embed,
      rerank,
    } = options
    checkOpenOptions(options)
    const count = searchThreads ?? coresToSpread()
    const { storeCacheBytes, postings } = cacheBudget(cacheBytes)
    const retainAt = retain === undefined ? undefined : readRetention(retain)
    const store = await Store.open(location, { cacheBytes: storeCacheBytes, mappedBytes: cacheBytes / 4 })
    try {
      await checkIdentity(store)
      const vectors = embed ? new StoredVectors(store, embed.model, new VectorTable()) : new StoredVectors(store)
      const threads =
        count === 0
          ? undefined
          : new SearchThreads({
              count,
              location: store.location,
              cacheBytes,
              timeoutMs: searchTimeoutMs,
              ...(vectors.table && { vectors: vectors.table.memory }),
              catalog: () => writer.catalog,
              onWarning,
            })
      const readers: ReadingThreads = {
        follow: change => threads?.follow(change),
        caughtUp: async () => threads?.caughtUp(),
        release: async () => threads?.stop(),
      }
      // Without a thread until it has something to do.
      const pool = new AnalysisPool()
      const writer: IndexWriter = await IndexWriter.open(store, postings, {
        now,
        onWarning,
        mergePolicy,
        readers,
        vectors,
        build: plan => pool.build(plan),
        onMergeAtRest: captures => {
          if (captures >= LARGE_MERGE_CAPTURES) pool.rest()
        },
        ...(retainAt && { retainAt }),
      })
      const onThreads = (): void => {
        postings.clear()
        store.clearCache()
      }
      const stop = new AbortController()
      const meaning = embed && meaningOf(embed, { stored: vectors, store, closing: stop.signal, onWarning })
      return new LocalEngine(
        store,
        writer,
        pool,
        { ...(threads && { threads }), eager: searchThreads !== undefined, onThreads },
        searchTimeoutMs,
        { ...(meaning && { meaning }), ...(rerank && { reranking: new Reranking(rerank, stop.signal) }), stop },
      )
    } catch (error) {
      await store.close()
      throw error
    }
  }

  async add(captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>): Promise<AddReport> {
    this.#mustBeOpen()
    return addCaptures(captures, {
      pool: this.#pool,
      commits: this.#commits,
      now: () => this.#writer.currentInstant(),
      ...(this.#meaning && { passages: this.#meaning.passages }),
    })
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    this.#mustBeOpen()
    const read = readSearchOptions(options)
    return this.#modelSearch.search(parseSearch(query, read), read.models !== false)
  }

  async check(query: string, options?: SearchOptions): Promise<void> {
    this.#mustBeOpen()
    resolveSearch(parseSearch(query, readSearchOptions(options)), this.#writer.currentInstant())
  }

  #answer(request: SearchRequest, { instant, catalog }: Reading): SearchAnswer {
    const reading = { store: this.#store, catalog, instant }
    const table = this.#meaning?.stored.table
    return answer(request, {
      ...reading,
      table,
      timeoutMs: this.#searchTimeoutMs,
      currentOf: url => currentCapture(url, reading),
    })
  }

  async suggest(text: string, options?: { limit?: number }): Promise<Suggestion[]> {
    this.#mustBeOpen()
    const { limit = 10 } = readSuggestOptions(options)
    return this.#suggester.suggest(text, limit)
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    this.#mustBeOpen()
    const { queryTime, supersededAt: isAsked = false } = readPageOptions(options)
    return this.#readUrl(url, queryTime, (normal, reading, isPast) => {
      const current = currentCapture(normal, reading)
      if (!current) return undefined
      const page = storedPage(current, reading)
      // As of now a page is current, whatever a commit under way may hold already.
      if (!isAsked || !isPast) return page
      const { supersededAt } = current
      return supersededAt === undefined ? page : { ...page, supersededAt }
    })
  }

  async versions(url: string, options?: VersionsOptions): Promise<VersionsPart> {
    this.#mustBeOpen()
    const { queryTime, after, limit = 100 } = readVersionsOptions(options)
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_VERSIONS)
      throw invalidOption('limit', `must be a whole number from 1 to ${MAX_VERSIONS}`)
    return this.#readUrl(url, queryTime, (normal, reading) => versionsPart(normal, { after, limit }, reading))
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#readUrl(url, undefined, storedTimeline)
  }

  async #readUrl<T>(
    url: string,
    queryTime: TimeInput | undefined,
    work: (normal: string, reading: StoredReading, isPast: boolean) => T,
  ): Promise<T> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    return this.#writer.read(
      requestAt => resolveTimes({ queryTime }, requestAt),
      ({ queryAt }, reading) => {
        this.#mustBeOpen()
        return work(normal, { ...reading, store: this.#store }, queryAt !== undefined)
      },
    )
  }

  async history(options?: { after?: string; limit?: number }): Promise<HistoryPart> {
    this.#mustBeOpen()
    const { after, limit = 100 } = readHistoryOptions(options)
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
      throw invalidOption('limit', 'must be a whole number from 1 to 1,000')
    const cursor = after === undefined ? undefined : readCursor(after)
    const urls = await this.#urlsFrom(cursor?.url, limit + 1)
    return this.#writer.read(
      () => ({ queryAt: undefined }),
      (_, reading) => {
        this.#mustBeOpen()
        const { captures, end } = historyPart(urls, { after: cursor, limit }, { ...reading, store: this.#store })
        // Where the last URL ended nothing says whether there are more.
        const next = end ?? (urls.length > limit ? { url: urls.at(-1)!, given: Number.MAX_SAFE_INTEGER } : undefined)
        return next ? { captures, next: `${next.given} ${next.url}` } : { captures }
      },
    )
  }

  async #urlsFrom(url: string | undefined, count: number): Promise<string[]> {
    const urls: string[] = []
    const range = url === undefined ? allUrls : { ...allUrls, gte: urlKey(url) }
    for await (const [key] of this.#store.iterate(range)) if (urls.push(urlOfKey(key)) === count) break
    return urls
  }

  async seen(url: string): Promise<boolean> {
    return (await this.#observe('sighting', url)) === 'unchanged'
  }

  async remove(url: string): Promise<boolean> {
    return (await this.#observe('removal', url)) === 'removed'
  }

  async #observe(kind: 'sighting' | 'removal', url: string): Promise<Outcome> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    const latest = { ...(await this.#writer.latest()), store: this.#store }
    const isKnown = currentUnder(normal, latest) !== undefined
    const target = isKnown ? normal : (aliased(normal, latest) ?? normal)
    const [outcome] = await this.#commits.submit([{ kind, url: target }], 0)
    return outcome
  }

  async purge(url: string): Promise<number> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    // A page that was removed is still known by its own URL.
    const latest = { ...(await this.#writer.latest()), store: this.#store }
    const own = knownRecord(normal, latest)
    if (own.some(({ kind }) => kind === 'capture')) return this.#writer.purge(normal)
    // A URL that was removed or seen before its page came may lead to another page all the same.
    const target = aliased(normal, latest)
    if (own.length > 0) await this.#writer.purge(normal)
    return target === undefined ? 0 : this.#writer.purge(target)
  }

  async stats(): Promise<EngineStats> {
    this.#mustBeOpen()
    const bytes = await this.#store.bytesOnDisk()
    return {
      ...statsOf(this.#writer.catalog),
      bytes,
      merges: this.#writer.mergesUnderWay,
      ...(this.#meaning && { vectors: this.#meaning.stored.count }),
    }
  }

  async embed(options?: EmbedOptions): Promise<EmbedReport> {
    this.#mustBeOpen()
    const { onProgress, signal } = readEmbedOptions(options)
    if (!this.#meaning) throw invalidOption('embed', 'needs an embeddings model: give `open` the option embed')
    const { stored, passages } = this.#meaning
    const report: EmbedReport = { captures: 0, embedded: 0 }
    for (const captureIds of someCaptures(this.#writer.catalog)) {
      if (signal?.aborted) break
      this.#mustBeOpen()
      const vectors = await passages.ofStored(await stored.lacking(captureIds))
      if (vectors.length > 0) report.embedded += await this.#writer.addVectors(vectors)
      report.captures += captureIds.length
      onProgress?.({ ...report })
    }
    return report
  }

  async backup(dir: string, options?: BackupOptions): Promise<BackupReport> {
    this.#mustBeOpen()
    expectPath(dir)
    const read = readBackupOptions(options)
    return intoNewFolder(dir, async partial => {
      await read.beside?.(partial)
      this.#mustBeOpen()
      return this.#writer.backup(join(partial, 'index'), read)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopModels.abort()
    try {
      await this.#searches.close()
      await this.#writer.close()
    } finally {
      await this.#pool.close().finally(() => this.#store.close())
    }
  }

  #mustBeOpen(): void {
    if (this.#closing) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
  }
}

/** What a model is asked for, and what it answered. */
interface Meaning {
  stored: StoredVectors
  passages: PassageVectors
  queries: QueryVectors
}

interface Models {
  meaning?: Meaning
  reranking?: Reranking
  /** Ends what models are being asked. */
  stop: AbortController
}

function meaningOf(
  embedder: Embedder,
  options: { stored: StoredVectors; store: Store; closing: AbortSignal; onWarning: (warning: Error) => void },
): Meaning {
  const { stored, closing } = options
  const passages = new PassageVectors(embedder, options)
  return { stored, passages, queries: new QueryVectors(embedder, stored, closing) }
}

/** @param call - what asks the model. */
function checkModel(option: 'embed' | 'rerank', model: unknown, call: unknown): void {
  if (typeof model !== 'string' || model === '' || model.length > 200)
    throw invalidOption(option, 'must name its model: model is a string of 1 to 200 characters')
  if (typeof call !== 'function') throw invalidOption(option, `must have a function ${option}`)
}

/** More than one core is needed for a thread to gain anything. */
function coresToSpread(): number {
  const cores = availableParallelism()
  return cores > 1 ? Math.min(cores, MAX_SEARCH_THREADS) : 0
}

function readCursor(text: string): HistoryCursor {
  const [, given, url] = /^(\d{1,16}) (.+)$/s.exec(text) ?? []
  if (url === undefined) throw invalidOption('after', 'is not a cursor: expected the `next` of the previous part')
  return { url, given: Number(given) }
}

async function checkIdentity(store: Store): Promise<void> {
  const stored = store.get(identityKey)
  if (!stored) {
    const value = encodeIdentity({ format: FORMAT, analyzer: analyzerIdentity })
    await store.commit([{ type: 'put', key: identityKey, value }])
    return
  }
  const { analyzer } = decodeIdentity(stored)
  if (analyzer !== analyzerIdentity)
    throw new AsofError(
      'ASOF_ANALYZER_CHANGED',
      `the index was made with the text rules ${analyzer}, and this version of asof has ${analyzerIdentity}: export its pages with the version that made it (asof export --out pages.jsonl) and import them into a new folder with this one (asof import pages.jsonl), or go on with that version`,
    )
}
