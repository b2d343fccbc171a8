import type {
  AddOptions,
  AddReport,
  BackupOptions,
  BackupReport,
  EmbedOptions,
  EmbedReport,
  EngineStats,
  ObservationInput,
  Relevance,
} from '@asof/core'
import {
  type BulkIndex,
  type Entry,
  Intake,
  type Outcome,
  type Retainer,
  type Snapshot,
  type WritableIndex,
} from '@asof/core/internal'
import { fieldKinds } from '@asof/extract/field-kinds'
import type { RetentionOptions } from '../cluster-options.ts'
import { backUp } from '../maintenance/backup.ts'
import { unsupported } from '../not-answered.ts'
import { nameServerFailures } from '../server-failures.ts'
import { fieldsNow } from '../stored/field-holders.ts'
import { Moments } from '../stored/moments.ts'
import { bulkIndexOf } from '../writing/bulk-deletions.ts'
import { addClusterVectors } from '../writing/missing-vectors.ts'
import { retainerOf } from '../writing/retention.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { ClusterReads } from './cluster-reads.ts'

/**
 * Time after which an idle analysis thread ends, ms. It is longer than a change takes, because a new thread loads its modules again, which
 * takes half a second of processor time.
 */
const IDLE_MS = 30_000

/** The index of an open cluster: its reads and its writes. */
export class ClusterIndex extends ClusterReads implements WritableIndex {
  readonly bulk: BulkIndex
  readonly #intake: Intake
  readonly #retainer: Retainer | undefined

  constructor(parts: ClusterParts, options: RetentionOptions) {
    super(parts, new Moments(parts))
    this.#retainer = retainerOf(parts, options)
    this.#retainer?.startIfDue()
    parts.writer.deleteUnusedSoon()
    this.#intake = new Intake({ write: entries => this.#changing(parts.writer.write(entries)), idleMs: IDLE_MS })
    this.bulk = bulkIndexOf(parts, this.moments, this.#intake)
  }

  async add(
    observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>,
    { vectors }: AddOptions,
  ): Promise<AddReport> {
    const { state } = await this.moments.request()
    const now = (): number => Math.max(this.parts.now(), state.lastStampAt)
    this.parts.vectors?.see(state)
    const passages = vectors === 'later' ? undefined : this.parts.vectors?.model.passages
    return this.#intake.add(observations, { now, passages })
  }

  async setRelevance(relevance: Relevance): Promise<number> {
    await this.#expectNoKeywords(relevance.weights?.fields ?? {})
    const at = await this.parts.relevance.set(relevance, this.parts.now())
    // Until OpenSearch has all earlier changes, "now" is an instant before them, so searches would not use this relevance.
    await this.parts.writer.applyOpen()
    return at
  }

  /** Checks that no field with a weight above 0 has keywords, which a cluster does not weigh. @throws ASOF_UNSUPPORTED */
  async #expectNoKeywords(weights: Readonly<Record<string, number>>): Promise<void> {
    const weighted = Object.keys(weights).filter(field => weights[field]! > 0)
    if (weighted.length === 0) return
    const fields = await this.parts.database.read(fieldsNow)
    const keyword = weighted.find(name => {
      const field = fields.get(name)
      return field && fieldKinds[field.type].hasWordsInValues
    })
    if (keyword !== undefined)
      throw unsupported(
        'weights of keywords',
        `a cluster does not search the words of keywords such as ${keyword}: make them texts`,
      )
  }

  async change(url: string, entryOf: (latest: Snapshot) => Entry): Promise<Outcome | undefined> {
    return this.#changing(this.parts.writer.writeAbout(url, entryOf))
  }

  async purge(url: string): Promise<number> {
    const captures = await this.#changing(this.parts.writer.purge(url))
    this.parts.dropDeleted(await this.parts.database.state())
    return captures
  }

  async stats(): Promise<EngineStats> {
    const { state } = await this.moments.request()
    this.parts.vectors?.see(state)
    const { bytes, segments } = await this.parts.terms.at(state.termIndex).size()
    return {
      ...(await this.countCaptures()),
      urls: state.urls,
      segments,
      bytes,
      vectors: this.parts.vectors?.models.count,
    }
  }

  async embed(options: EmbedOptions): Promise<EmbedReport> {
    const { database, writer, vectors } = this.parts
    return addClusterVectors({ database, writer, vectors: vectors!, expectOpen: () => this.expectOpen() }, options)
  }

  async backup(dir: string, options: BackupOptions): Promise<BackupReport> {
    const { requestedAt: instant } = await this.moments.request()
    const { database } = this.parts
    await database.answering(instant)
    return backUp(dir, database, { ...options, instant })
  }

  async close(): Promise<void> {
    this.parts.end()
    await this.#retainer?.stop()
    await this.#intake.close()
    await this.parts.disconnect()
  }

  /** Waits for a change, and then lets retention run, because versions may have expired by it. */
  async #changing<T>(change: Promise<T>): Promise<T> {
    const result = await change
    this.#retainer?.startIfDue()
    return result
  }
}

nameServerFailures(ClusterIndex)
