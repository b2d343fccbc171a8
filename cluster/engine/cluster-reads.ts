import type { CaptureHistogram, EngineStats, ExportSlice, RelevanceAsOf, Suggestion } from '@asof/core'
import {
  type ExportRange,
  type FieldTypesAsOf,
  type InstantOf,
  normalizeUrl,
  type PageReads,
  type ReadableAnswer,
  type ReadableIndex,
  type UntimedSearch,
} from '@asof/core/internal'
import { searchCluster } from '../search/cluster-search.ts'
import { withinTime } from '../search/search-limit.ts'
import { clusterPages } from '../search/suggested-pages.ts'
import { nameServerFailures } from '../server-failures.ts'
import { countCaptures, histogramOf } from '../stored/captures-by-time.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'
import type { Moment, Moments } from '../stored/moments.ts'
import type { ClusterParts } from './cluster-parts.ts'

/** The reads of a cluster: as of now, or as of a seal. */
export class ClusterReads implements ReadableIndex {
  protected readonly parts: ClusterParts
  protected readonly moments: Moments

  constructor(parts: ClusterParts, moments: Moments) {
    this.parts = parts
    this.moments = moments
  }

  get sealedAt(): number {
    return this.moments.sealedAt
  }

  expectOpen(): void {
    this.parts.expectOpen()
  }

  sealed(instantOf: (latestAt: number) => number): ReadableIndex {
    return new ClusterReads(this.parts, this.moments.sealed(instantOf))
  }

  async expectTimes(request: UntimedSearch): Promise<void> {
    const { state, requestedAt } = await withinTime(this.parts.searchTimeoutMs, () => this.moments.request())
    request.at(requestedAt)
    this.parts.vectors?.see(state)
  }

  async search(request: UntimedSearch): Promise<ReadableAnswer> {
    const { parts, moments } = this
    return withinTime(parts.searchTimeoutMs, isOver => searchCluster(request, { parts, moments, isOver }))
  }

  async readPages<T>(
    urls: readonly string[],
    instants: readonly InstantOf[],
    work: (reads: PageReads) => Promise<T>,
  ): Promise<T> {
    const request = await this.moments.request()
    const { instant } = await this.moments.latestOf(instants, request)
    const normal = urls.map(url => normalizeUrl(url))
    const times = { requestedAt: request.requestedAt, instant, sealedAt: this.sealedAt }
    const { database } = this.parts
    return work(await database.reading(async tx => (await database.index(tx)).reads(normal, times)))
  }

  async suggest(text: string, options: { maxResults: number; instantOf: InstantOf }): Promise<Suggestion[]> {
    const { database, suggester, searchTimeoutMs } = this.parts
    return withinTime(searchTimeoutMs, () => suggester.suggest(text, options, clusterPages(database, this.moments)))
  }

  async relevance(instantOf: InstantOf): Promise<RelevanceAsOf | undefined> {
    const { instant, state } = await this.#momentOf(instantOf)
    return this.parts.relevance.at(instant, state)
  }

  async fields(instantOf: InstantOf): Promise<FieldTypesAsOf> {
    const { instant } = await this.#momentOf(instantOf)
    return { instant, types: () => this.parts.database.read(sql => fieldsUpTo(sql, instant)) }
  }

  async captureHistogram(maxBins: number): Promise<CaptureHistogram> {
    await this.moments.request()
    return this.parts.database.reading(tx => histogramOf(tx, this.sealedAt, maxBins))
  }

  async export(range: ExportRange): Promise<ExportSlice> {
    const { instant } = await this.#momentOf(() => undefined)
    const { database } = this.parts
    return database.reading(async tx => (await database.index(tx)).export(range, instant))
  }

  async countCaptures(): Promise<Pick<EngineStats, 'captures' | 'urls' | 'oldest' | 'newest'>> {
    await this.moments.request()
    return this.parts.database.reading(tx => countCaptures(tx, this.sealedAt))
  }

  async #momentOf(instantOf: InstantOf): Promise<Moment> {
    return this.moments.latestOf([instantOf], await this.moments.request())
  }
}

nameServerFailures(ClusterReads)
