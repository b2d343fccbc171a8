import { IndexEngine } from '@asof/core/internal'
import { type ClusterOptions, type RetentionOptions, readClusterOptions } from '../cluster-options.ts'
import { type ClusterHealth, clusterHealth } from '../examination/cluster-health.ts'
import type { ProofCounts } from '../search/cluster-search.ts'
import { SEARCH_TIMEOUT_MS, withinTime } from '../search/search-limit.ts'
import { nameServerFailures, serverFailure } from '../server-failures.ts'
import { ClusterDatabase, stateIn } from '../stored/database.ts'
import { TermIndices } from '../terms/term-indices.ts'
import { ClusterIndex } from './cluster-index.ts'
import { ClusterParts } from './cluster-parts.ts'

/**
 * An engine over OpenSearch and PostgreSQL. PostgreSQL stores the pages and orders the changes; OpenSearch finds contenders. Each answer
 * equals that of an engine on one machine with the same history. Otherwise the call fails: with ASOF_UNSUPPORTED if a cluster cannot do what
 * was asked, with ASOF_UNCERTAIN if the answer could not be proved.
 */
export class ClusterEngine extends IndexEngine {
  readonly #parts: ClusterParts

  private constructor(parts: ClusterParts, options: RetentionOptions) {
    super(new ClusterIndex(parts, options), parts.models)
    this.#parts = parts
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
      vectorBytes,
      onWarning = (warning: Error) => process.emitWarning(warning),
    } = options
    const database = await ClusterDatabase.open(url, name, objects).catch(rethrowNamed)
    try {
      const { termIndex } = await database.state()
      const terms = await TermIndices.open(search, name, termIndex, { shards, replicas })
      const parts = new ClusterParts(database, terms, {
        now,
        cacheBytes,
        searchTimeoutMs,
        embed,
        rerank,
        vectorBytes,
        onWarning,
      })
      return new ClusterEngine(parts, options)
    } catch (error) {
      await database.close()
      throw serverFailure(error)
    }
  }

  /** Counts of how searches ended since the engine was opened. */
  get proofs(): ProofCounts {
    return this.#parts.proofs
  }

  /** Reads the condition of the servers. A server that does not answer is reported, and is no error. */
  async health(): Promise<ClusterHealth> {
    this.#parts.expectOpen()
    const { database, terms, now } = this.#parts
    return clusterHealth({ sql: database.sql, bodies: database.bodies, ...terms.place }, now())
  }

  /**
   * Checks that every server that a search needs answers. Waits for each at most as long as a search may take.
   *
   * @throws ASOF_SEARCH_TIMEOUT - a server did not answer; the message names it.
   * @throws ASOF_STORE_READ, ASOF_SEARCH_FAILED - a server cannot be reached, or does not have the data of this cluster.
   */
  async expectServers(): Promise<void> {
    this.#parts.expectOpen()
    const { database, terms, searchTimeoutMs: limitMs } = this.#parts
    const { termIndex } = await withinTime(limitMs, () => database.read(stateIn), 'PostgreSQL')
    await Promise.all([
      withinTime(limitMs, () => terms.at(termIndex).expectShards(), 'OpenSearch'),
      withinTime(limitMs, async () => database.bodies?.expectRecognized(), 'the object store'),
    ])
  }
}

nameServerFailures(ClusterEngine)

function rethrowNamed(error: unknown): never {
  throw serverFailure(error)
}
