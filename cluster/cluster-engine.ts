import {
  type AddReport,
  AsofError,
  type BulkReport,
  type CaptureHistogram,
  type Engine,
  type EngineStats,
  type ExportPart,
  type HistoryOptions,
  type HistoryPart,
  isAsofError,
  type ObservationInput,
  type Page,
  type PageOptions,
  type QuoteToVerify,
  type QuoteVerdict,
  type RelevanceAsOf,
  type RelevanceOptions,
  type RemoveOptions,
  type SearchAnswer,
  type SearchOptions,
  type Suggestion,
  type TimeInput,
  type Timeline,
} from '@asof/core'
import {
  ANALYZER,
  AnalysisPool,
  addCaptures,
  CommitQueue,
  declaredInstant,
  HistoryReader,
  homeUrls,
  loadPages,
  normalizeUrl,
  type ParsedSearch,
  PartialIndex,
  PartialReads,
  pageUrl,
  parseSearch,
  readHistoryOptions,
  readPageOptions,
  readRelevanceOptions,
  readRemoveOptions,
  readSearchOptions,
  resolveSearch,
  resolveTimes,
  verifyAll,
} from '@asof/core/internal'
import { ClusterWriter } from './cluster-writer.ts'
import { type Clock, Database, StoredPages } from './database.ts'
import { fieldsUpTo } from './field-holders.ts'
import { statisticsUpTo } from './statistics.ts'
import { searchFailed, TermIndex } from './term-index.ts'
import { uncertain, unsupported, WholeView } from './whole-view.ts'

/** Where a cluster is, and how it is laid out when it is created. */
export interface ClusterOptions {
  /** The URL of a node of OpenSearch 3. */
  search: string
  /** The URL of a PostgreSQL database. */
  database: string
  /** The name of the index in OpenSearch and of the schema in PostgreSQL: lower-case letters, digits and `_`. Default `asof`. */
  name?: string
  /** Number of shards of the index, if it is created. Default 1. */
  shards?: number
  /** Number of copies of each shard besides the first, if the index is created. Default 0. */
  replicas?: number
  /** The clock, epoch ms. The clocks of all servers of a cluster should agree to the second. Default `Date.now`. */
  now?: () => number
}

/** What became of the searches of this engine. */
export interface ProofCounts {
  /** Answers that were proved exact. */
  proved: number
  /** Searches for candidates beyond the first of an answer. */
  widened: number
  /** Searches that were refused with ASOF_UNCERTAIN. */
  uncertain: number
}

/** Number of times that a read is begun again because history was declared or purged meanwhile. */
const MOST_TRIES = 5

/**
 * An engine over OpenSearch and PostgreSQL. PostgreSQL has the pages and decides; OpenSearch finds candidates. Each answer is that of an
 * engine on one machine with the same history, or a refusal: ASOF_UNSUPPORTED for what a cluster does not do, ASOF_UNCERTAIN for an answer
 * that could not be proved.
 */
export class ClusterEngine implements Engine {
  readonly proofs: ProofCounts = { proved: 0, widened: 0, uncertain: 0 }
  readonly #database: Database
  readonly #terms: TermIndex
  readonly #writer: ClusterWriter
  readonly #now: () => number
  readonly #pool = new AnalysisPool(ANALYZER)
  readonly #commits: CommitQueue
  #closing: Promise<void> | undefined

  private constructor(database: Database, terms: TermIndex, now: () => number) {
    this.#database = database
    this.#terms = terms
    this.#now = now
    this.#writer = new ClusterWriter(database, terms, now)
    this.#commits = new CommitQueue(entries => this.#writer.write(entries))
  }

  static async open(options: ClusterOptions): Promise<ClusterEngine> {
    const { search, database: url, name = 'asof', shards = 1, replicas = 0, now = Date.now } = options
    if (!/^[a-z][a-z0-9_]{0,50}$/.test(name))
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        'name must be lower-case letters, digits and _, and begin with a letter',
        {
          details: { field: 'name' },
        },
      )
    const database = await Database.open(url, name)
    try {
      return new ClusterEngine(database, await TermIndex.open(search, name, { shards, replicas }), now)
    } catch (error) {
      await database.close()
      throw error
    }
  }

  async add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport> {
    const { lastStampAt } = await this.#clock()
    const now = (): number => Math.max(this.#now(), lastStampAt)
    return addCaptures(observations, { pool: this.#pool, commits: this.#commits, now })
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    this.#expectOpen()
    const parsed = parseSearch(query, readSearchOptions(options))
    const clock = await this.#clock()
    resolveSearch(parsed, this.#currentInstant(clock))
    expectSupported(parsed)
    try {
      const answer = await this.#search(parsed, clock)
      this.proofs.proved++
      return answer
    } catch (error) {
      if (isAsofError(error, 'ASOF_UNCERTAIN')) this.proofs.uncertain++
      throw error
    }
  }

  async #search(parsed: ParsedSearch, first: Clock): Promise<SearchAnswer> {
    let now = first
    let last: unknown
    for (let i = 0; i < MOST_TRIES; i++) {
      const resolved = resolveSearch(parsed, this.#currentInstant(now))
      const { instant, clock } = await this.#moment(resolved.instant, now)
      const pages = new StoredPages(this.#database.sql)
      const part = new PartialIndex(clock)
      const { captures, length, declared } = await statisticsUpTo(this.#database.sql, instant)
      const statistics = { captures, averageLength: captures > 0 ? length / captures : 0, declared }
      // Pages that are looked up by their URLs, not found by their words.
      const { url, onlySite, sites } = resolved
      const homes = onlySite ? [onlySite.site, ...sites].flatMap(homeUrls) : []
      await loadPages(part, url === undefined ? homes : [url], pages)
      const readFields = () => fieldsUpTo(this.#database.sql, instant)
      const view = new WholeView({ part, pages, terms: this.#terms, instant, statistics, readFields })
      try {
        const answer = await view.answer(resolved)
        this.proofs.widened += Math.max(0, view.searches - 1)
        now = await this.#database.clock()
        if (now.rewrites === clock.rewrites) return { ...answer, receipt: { ...answer.receipt, segments: 0 } }
        last = uncertain('history was declared or purged meanwhile')
      } catch (error) {
        // While history is declared or purged, counts do not fit one another, and anything may fail.
        const isOvertaken = (await this.#database.clock()).rewrites !== clock.rewrites
        if (!isOvertaken && !isAsofError(error, 'ASOF_UNCERTAIN'))
          throw isAsofError(error) ? error : searchFailed(error)
        last = isOvertaken ? uncertain('history was declared or purged meanwhile') : error
        // A dead writer may have left a batch open.
        await this.#writer.applyOpen()
        now = await this.#database.clock()
      }
    }
    throw last
  }

  async check(query: string, options?: SearchOptions): Promise<void> {
    this.#expectOpen()
    resolveSearch(parseSearch(query, readSearchOptions(options)), await this.#requestAt())
  }

  async page(url: string, options?: PageOptions): Promise<Page | undefined> {
    const read = readPageOptions(options)
    return this.#readPages([url], [read.queryTime], reads => reads.history.page(url, read))
  }

  async history(url: string, options?: HistoryOptions): Promise<HistoryPart> {
    const read = readHistoryOptions(options)
    return this.#readPages([url], [read.queryTime], reads => reads.history.history(url, read))
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#readPages([url], [], reads => reads.history.timeline(url))
  }

  async verify(quote: QuoteToVerify): Promise<QuoteVerdict> {
    const [verdict] = await this.verifyAll([quote])
    return verdict!
  }

  async verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]> {
    this.#expectOpen()
    const list = Array.isArray(quotes) ? quotes.filter(quote => typeof quote?.url === 'string') : []
    const urls = list.map(({ url }) => url)
    return this.#readPages(
      urls,
      list.map(({ queryTime }) => queryTime),
      ({ reads }) => verifyAll(quotes, reads),
    )
  }

  /** Brings URLs into memory and reads them there. */
  async #readPages<T>(
    urls: readonly string[],
    times: readonly (TimeInput | undefined)[],
    work: (reads: { reads: PartialReads; history: HistoryReader }) => Promise<T>,
  ): Promise<T> {
    this.#expectOpen()
    const now = await this.#clock()
    const requestAt = this.#currentInstant(now)
    const instants = times.map(queryTime => resolveTimes({ queryTime }, requestAt).instant)
    const latest =
      instants.some(at => at === undefined) || times.length === 0 ? undefined : Math.max(...instants.map(at => at!))
    const { instant } = await this.#moment(latest, now)
    const normal = urls.map(url => normalizeUrl(url))
    const part = await this.#database.reading(async tx => {
      const [clock] = await tx<
        [Clock]
      >`select next_capture_id as "nextCaptureId", last_stamp_at as "lastStampAt", urls, purged from clock`
      const loaded = new PartialIndex(clock)
      await loadPages(loaded, normal, new StoredPages(tx))
      return loaded
    })
    const reads = new PartialReads(part, { requestAt, instant })
    return work({ reads, history: new HistoryReader(part.store, reads) })
  }

  async markSeen(url: string): Promise<boolean> {
    this.#expectOpen()
    const outcome = await this.#writer.writeAbout(normalizeUrl(url), part => ({
      kind: 'sighting',
      url: pageUrl(url, part.snapshot(Number.POSITIVE_INFINITY)),
    }))
    return outcome === 'unchanged'
  }

  async remove(url: string, options?: RemoveOptions): Promise<boolean> {
    this.#expectOpen()
    const { at } = readRemoveOptions(options)
    const instant = at === undefined ? undefined : declaredInstant(at, 'at', await this.#requestAt())
    const outcome = await this.#writer.writeAbout(normalizeUrl(url), part => ({
      kind: 'removal',
      ...(instant === undefined
        ? { url: pageUrl(url, part.snapshot(Number.POSITIVE_INFINITY)) }
        : { url: normalizeUrl(url), at: instant }),
    }))
    return outcome === 'removed'
  }

  async purge(url: string): Promise<number> {
    this.#expectOpen()
    return this.#writer.purge(normalizeUrl(url))
  }

  async stats(): Promise<EngineStats> {
    const { urls } = await this.#clock()
    const { sql } = this.#database
    const [{ captures, oldest, newest }] = await sql<
      [{ captures: number; oldest: number | null; newest: number | null }]
    >`
      select coalesce(sum(captures), 0)::bigint as captures, min(at) as oldest, max(at) as newest
      from statistic where level = 0 and captures > 0`
    const { bytes, segments } = await this.#terms.size()
    return {
      ...{ captures, urls, segments, bytes },
      ...{ terms: 0, merges: 0, cacheHits: 0, cacheMisses: 0 },
      oldest: oldest ?? undefined,
      newest: newest ?? undefined,
    }
  }

  async relevance(options?: RelevanceOptions): Promise<RelevanceAsOf> {
    this.#expectOpen()
    const { queryTime } = readRelevanceOptions(options)
    resolveTimes({ queryTime }, await this.#requestAt())
    return { relevance: {} }
  }

  async setRelevance(): Promise<number> {
    throw this.#lacks('relevance', 'has no relevance of the index')
  }

  async suggest(): Promise<Suggestion[]> {
    throw this.#lacks('suggest', 'suggests nothing')
  }

  async export(): Promise<ExportPart> {
    throw this.#lacks('export', 'has no export')
  }

  async captureHistogram(): Promise<CaptureHistogram> {
    throw this.#lacks('captureHistogram', 'has no histogram')
  }

  async removeAll(): Promise<BulkReport> {
    throw this.#lacks('removeAll', 'removes pages one by one: call remove')
  }

  async purgeAll(): Promise<BulkReport> {
    throw this.#lacks('purgeAll', 'purges pages one by one: call purge')
  }

  async embed(): Promise<never> {
    throw this.#lacks('embed', 'has no models')
  }

  async backup(): Promise<never> {
    throw this.#lacks('backup', 'is backed up by snapshots of OpenSearch and dumps of PostgreSQL')
  }

  sealed(): Engine {
    throw this.#lacks('sealed', 'cannot be sealed')
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#pool.close()
    await this.#terms.close()
    await this.#database.close()
  }

  /**
   * The instant that a read is answered as of, and the clock then. Later changes are stamped after it, and the term index has all up to it.
   *
   * @param asked - epoch ms; undefined for now, which means the last instant that is complete.
   * @param now - the clock as it was just read.
   */
  async #moment(asked: number | undefined, now: Clock): Promise<{ instant: number; clock: Clock }> {
    let clock = now
    const isNever = clock.lastStampAt < -8e15
    const complete = Math.min(isNever ? this.#now() : clock.lastStampAt, (clock.openAt ?? Number.POSITIVE_INFINITY) - 1)
    const instant = asked ?? complete
    if (clock.answeredAt < instant) clock = await this.#database.answering(instant)
    if (clock.openRewrites || (clock.openAt !== null && instant >= clock.openAt)) await this.#writer.applyOpen()
    return { instant, clock }
  }

  async #requestAt(): Promise<number> {
    return this.#currentInstant(await this.#clock())
  }

  #currentInstant({ lastStampAt }: Clock): number {
    return Math.max(this.#now(), lastStampAt)
  }

  #clock(): Promise<Clock> {
    this.#expectOpen()
    return this.#database.clock()
  }

  #expectOpen(): void {
    if (this.#closing) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
  }

  #lacks(what: string, does: string): AsofError {
    this.#expectOpen()
    return unsupported(what, `a cluster ${does}`)
  }
}

/** @throws ASOF_UNSUPPORTED - a cluster cannot answer the request exactly. */
function expectSupported(search: ParsedSearch): void {
  const { typing, weights } = search
  const refused: [string, unknown, string][] = [
    ['typing', typing, 'does not search while somebody is typing'],
    ['weights', weights, 'has fixed weights of titles and fields'],
  ]
  for (const [what, isAsked, does] of refused) if (isAsked) throw unsupported(what, `a cluster ${does}`)
}
