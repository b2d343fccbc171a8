import {
  type AddReport,
  AsofError,
  type BackupOptions,
  type BackupReport,
  type BulkOptions,
  type BulkReport,
  type EmbedOptions,
  type EmbedReport,
  type Engine,
  type EngineStats,
  type ObservationInput,
  type PageSelection,
  type Relevance,
  type RemoveOptions,
  type TimeInput,
} from '@asof/core'
import {
  ANALYZER,
  AnalysisPool,
  addCaptures,
  CommitQueue,
  checkedRelevance,
  declaredInstant,
  expectPath,
  normalizeUrl,
  pageUrl,
  purgeAll,
  type Retainer,
  readBackupOptions,
  readBulkOptions,
  readEmbedOptions,
  readRemoveOptions,
  removeAll,
} from '@asof/core/internal'
import { backUp } from './backup.ts'
import { type ClusterOptions, readClusterOptions } from './cluster-options.ts'
import { ClusterParts, type ProofCounts } from './cluster-parts.ts'
import { ClusterReads } from './cluster-reads.ts'
import { clockIn, Database } from './database.ts'
import { type ClusterHealth, clusterHealth } from './examination/cluster-health.ts'
import { Moments } from './moments.ts'
import { sealedCluster } from './sealed-cluster.ts'
import { SEARCH_TIMEOUT_MS, withinTime } from './search/search-limit.ts'
import { nameServerFailures, serverFailure } from './server-failures.ts'
import { fieldsNow } from './stored/field-holders.ts'
import { TermIndices } from './terms/term-indices.ts'
import { addMissingVectors } from './vectors/missing-vectors.ts'
import { clusterIndex } from './writing/bulk-deletions.ts'
import { type RetentionOptions, retainerOf } from './writing/retention.ts'

/**
 * Time after which an idle analysis thread ends. Longer than a batch takes: a thread that starts again loads its modules, which takes half a
 * second of processor time.
 */
const IDLE_MS = 30_000

/**
 * An engine over OpenSearch and PostgreSQL. PostgreSQL has the pages and decides; OpenSearch finds candidates. Each answer is that of an
 * engine on one machine with the same history, or a refusal: ASOF_UNSUPPORTED for what a cluster does not do, ASOF_UNCERTAIN for an answer
 * that could not be proved.
 */
export class ClusterEngine extends ClusterReads implements Engine {
  readonly #pool = new AnalysisPool(ANALYZER, { idleMs: IDLE_MS })
  readonly #commits: CommitQueue
  readonly #retainer: Retainer | undefined
  #closing: Promise<void> | undefined

  private constructor(parts: ClusterParts, options: RetentionOptions) {
    super(parts, new Moments(parts))
    this.#retainer = retainerOf(parts, options)
    this.#retainer?.startIfDue()
    parts.writer.deleteUnusedSoon()
    this.#commits = new CommitQueue(entries => this.#changing(parts.writer.write(entries)))
  }

  static async open(given: ClusterOptions): Promise<ClusterEngine> {
    const options = readClusterOptions(given)
    const {
      search,
      database: url,
      name = 'asof',
      objects,
      shards = 1,
      replicas = 0,
      now = Date.now,
      cacheBytes = 256 * 1024 * 1024,
      searchTimeoutMs = SEARCH_TIMEOUT_MS,
      embed,
      rerank,
      onWarning = (warning: Error) => process.emitWarning(warning),
    } = options
    const database = await Database.open(url, name, objects).catch(rethrowNamed)
    try {
      const { termIndex } = await database.clock()
      const terms = await TermIndices.open(search, name, termIndex, { shards, replicas })
      const parts = new ClusterParts(database, terms, { now, cacheBytes, searchTimeoutMs, embed, rerank, onWarning })
      return new ClusterEngine(parts, options)
    } catch (error) {
      await database.close()
      throw serverFailure(error)
    }
  }

  get proofs(): ProofCounts {
    return this.parts.proofs
  }

  /** Reads how the servers of the cluster are. Never fails because one of them does not answer. */
  async health(): Promise<ClusterHealth> {
    this.parts.expectOpen()
    const { database, terms, now } = this.parts
    return clusterHealth({ sql: database.sql, bodies: database.bodies, ...terms.place }, now())
  }

  /**
   * Expects that every server that a search needs answers. Waits for each at most as long as a search may take.
   *
   * @throws ASOF_SEARCH_TIMEOUT - a server did not answer; the message names it.
   * @throws ASOF_STORE_READ, ASOF_SEARCH_FAILED - a server cannot be reached, or does not have the data of this cluster.
   */
  async expectServers(): Promise<void> {
    this.parts.expectOpen()
    const { database, terms, searchTimeoutMs: limitMs } = this.parts
    const { termIndex } = await withinTime(limitMs, () => database.read(clockIn), 'PostgreSQL')
    await Promise.all([
      withinTime(limitMs, () => terms.at(termIndex).expectShards(), 'OpenSearch'),
      withinTime(limitMs, async () => database.bodies?.expectRecognized(), 'the object store'),
    ])
  }

  sealed(at: TimeInput): Engine {
    this.parts.expectOpen()
    return sealedCluster(this.parts, this.moments.sealed(at))
  }

  async add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport> {
    const { clock } = await this.moments.request()
    const now = (): number => Math.max(this.parts.now(), clock.lastStampAt)
    this.parts.vectors?.see(clock)
    const { passages } = this.parts.vectors ?? {}
    return addCaptures(observations, { pool: this.#pool, commits: this.#commits, now, passages })
  }

  async markSeen(url: string): Promise<boolean> {
    this.parts.expectOpen()
    const sighting = this.parts.writer.writeAbout(normalizeUrl(url), part => ({
      kind: 'sighting',
      url: pageUrl(url, part.snapshot(Number.POSITIVE_INFINITY)),
    }))
    const outcome = await this.#changing(sighting)
    return outcome === 'unchanged'
  }

  async remove(url: string, options?: RemoveOptions): Promise<boolean> {
    this.parts.expectOpen()
    const { at } = readRemoveOptions(options)
    const instant = at === undefined ? undefined : declaredInstant(at, 'at', (await this.moments.request()).requestAt)
    const removal = this.parts.writer.writeAbout(normalizeUrl(url), part => ({
      kind: 'removal',
      ...(instant === undefined
        ? { url: pageUrl(url, part.snapshot(Number.POSITIVE_INFINITY)) }
        : { url: normalizeUrl(url), at: instant }),
    }))
    return (await this.#changing(removal)) === 'removed'
  }

  async purge(url: string): Promise<number> {
    this.parts.expectOpen()
    const captures = await this.#changing(this.parts.writer.purge(normalizeUrl(url)))
    this.parts.dropDeleted(await this.parts.database.clock())
    return captures
  }

  async stats(): Promise<EngineStats> {
    const { clock } = await this.moments.request()
    this.parts.vectors?.see(clock)
    const { bytes, segments } = await this.parts.terms.at(clock.termIndex).size()
    return {
      ...(await this.captureStats()),
      ...{ urls: clock.urls, segments, bytes },
      ...{ terms: 0, merges: 0, cacheHits: 0, cacheMisses: 0 },
      vectors: this.parts.vectors?.models.count,
    }
  }

  async setRelevance(relevance: Relevance): Promise<number> {
    this.parts.expectOpen()
    const checked = checkedRelevance(relevance)
    await this.#expectNoKeywords(checked.weights?.fields ?? {})
    const at = await this.parts.relevance.set(checked, this.parts.now())
    // As long as an earlier change is not finished, "now" is before it.
    await this.parts.writer.applyOpen()
    return at
  }

  /** @throws ASOF_UNSUPPORTED - a field with a weight above 0 has keywords. */
  async #expectNoKeywords(weights: Readonly<Record<string, number>>): Promise<void> {
    const weighted = Object.keys(weights).filter(field => weights[field]! > 0)
    if (weighted.length === 0) return
    const fields = await this.parts.database.read(fieldsNow)
    const keyword = weighted.find(field => fields.get(field)?.type === 'keyword')
    if (keyword !== undefined)
      throw this.lacks(
        'weights of keywords',
        `does not search the words of keywords such as ${keyword}: make them texts`,
      )
  }

  async removeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    this.parts.expectOpen()
    return removeAll(clusterIndex(this.parts, this.moments, this.#commits), selection, readBulkOptions(options))
  }

  async purgeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport> {
    this.parts.expectOpen()
    return purgeAll(clusterIndex(this.parts, this.moments, this.#commits), selection, readBulkOptions(options))
  }

  async embed(options?: EmbedOptions): Promise<EmbedReport> {
    this.parts.expectOpen()
    const read = readEmbedOptions(options)
    const { database, writer, vectors } = this.parts
    if (!vectors)
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        'embed needs an embeddings model: give `openCluster` the option embed',
        { details: { field: 'embed' } },
      )
    return addMissingVectors({ database, writer, vectors, expectOpen: () => this.parts.expectOpen() }, read)
  }

  async backup(dir: string, options?: BackupOptions): Promise<BackupReport> {
    expectPath(dir)
    const read = readBackupOptions(options)
    const { requestAt: instant } = await this.moments.request()
    const { database } = this.parts
    await database.answering(instant)
    return backUp(dir, database, { ...read, instant })
  }

  /** Waits for a change, after which versions may have expired. */
  async #changing<T>(change: Promise<T>): Promise<T> {
    const result = await change
    this.#retainer?.startIfDue()
    return result
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.parts.end()
    await this.#retainer?.stop()
    await this.#pool.close()
    await this.parts.disconnect()
  }
}

nameServerFailures(ClusterEngine)

function rethrowNamed(error: unknown): never {
  throw serverFailure(error)
}
