import { AsofError, type ModelOptions } from '@asof/core'
import { KeptCaptures, Reranking, type SearchModels, Suggester } from '@asof/core/internal'
import type { ProofCounts, SearchedCluster } from '../search/cluster-search.ts'
import { KnownCounts } from '../search/known-counts.ts'
import type { ClusterDatabase, ClusterState } from '../stored/database.ts'
import { RelevanceVersions } from '../stored/relevance-versions.ts'
import type { TermIndices } from '../terms/term-indices.ts'
import { Vocabulary } from '../terms/vocabulary.ts'
import { ClusterVectors } from '../vectors/cluster-vectors.ts'
import { ClusterWriter } from '../writing/cluster-writer.ts'

interface PartOptions extends ModelOptions {
  /** Called with failures of work in the background, which change no answer. */
  onWarning: (warning: Error) => void
  /** The clock of this server, epoch ms. */
  now: () => number
  /** Memory for captures that searches have read, bytes. */
  cacheBytes: number
  /** Maximum time of one search, ms. */
  searchTimeoutMs: number
}

/** The parts of an open cluster, shared by its engine and the sealed reads of that engine. */
export class ClusterParts implements SearchedCluster {
  readonly database: ClusterDatabase
  readonly terms: TermIndices
  readonly vocabulary: Vocabulary
  readonly writer: ClusterWriter
  readonly relevance: RelevanceVersions
  readonly suggester = new Suggester()
  /** The clock of this server, epoch ms. */
  readonly now: () => number
  /** Time that a search may take, ms. */
  readonly searchTimeoutMs: number
  /** The captures and the numbers that searches have read. */
  readonly kept: KeptCaptures
  readonly counts = new KnownCounts()
  /** Undefined if no embeddings model is in use. */
  readonly vectors: ClusterVectors | undefined
  /** The models that searches use. */
  readonly models: SearchModels
  readonly proofs: ProofCounts = { proved: 0, widened: 0, stale: 0, uncertain: 0 }
  /** Aborts calls of models that are under way when the cluster is closed. */
  readonly #closing = new AbortController()

  /** Number of captures that were purged or had expired when {@link kept} was last cleared. */
  #deleted = 0

  constructor(database: ClusterDatabase, terms: TermIndices, options: PartOptions) {
    const { now, cacheBytes, searchTimeoutMs, embed, rerank, vectorBytes, onWarning } = options
    this.searchTimeoutMs = searchTimeoutMs
    this.database = database
    this.terms = terms
    this.now = now
    this.kept = new KeptCaptures(cacheBytes)
    this.relevance = new RelevanceVersions(database)
    this.vocabulary = new Vocabulary(database, terms)
    const { signal: closing } = this.#closing
    this.vectors = embed && new ClusterVectors(embed, { database, closing, onWarning, vectorBytes })
    this.models = { queries: this.vectors?.model.queries, reranking: rerank && new Reranking(rerank, closing) }
    this.writer = new ClusterWriter(database, terms, this.vocabulary, { now, model: this.vectors?.model.identity })
  }

  /** @throws ASOF_CLOSED */
  expectOpen(): void {
    if (this.#closing.signal.aborted) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
  }

  /** Clears {@link kept} if any captures were purged or expired since the last call. */
  dropDeleted({ purged, dropped }: Pick<ClusterState, 'purged' | 'dropped'>): void {
    if (purged + dropped === this.#deleted) return
    this.#deleted = purged + dropped
    this.kept.clear()
  }

  /** Makes later calls fail, and aborts running calls of models. */
  end(): void {
    this.#closing.abort()
  }

  async disconnect(): Promise<void> {
    await this.terms.close()
    await this.database.close()
  }
}
