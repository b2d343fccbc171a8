import type { CaptureHistogram, EngineStats, ExportPart, RelevanceAsOf, Suggestion, TimeInput } from '@asof/core'
import {
  type Completion,
  type ExportRange,
  type FieldTypesAsOf,
  normalizeUrl,
  type PageReads,
  type ParsedSearch,
  type ReadableAnswer,
  type ReadableIndex,
  resolveSearch,
} from '@asof/core/internal'
import { searchCluster } from '../search/cluster-search.ts'
import { withinTime } from '../search/search-limit.ts'
import { clusterPages } from '../search/suggested-pages.ts'
import { nameServerFailures } from '../server-failures.ts'
import { countCaptures, histogramOf } from '../stored/captures-by-time.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'
import type { Moment, Moments } from '../stored/moments.ts'
import type { ClusterParts } from './cluster-parts.ts'

/** The reads of a cluster, as the clock goes or as of a seal. */
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

  sealed(at: TimeInput): ReadableIndex {
    return new ClusterReads(this.parts, this.moments.sealed(at))
  }

  async expectTimes(parsed: ParsedSearch): Promise<void> {
    const { clock, requestAt } = await withinTime(this.parts.searchTimeoutMs, () => this.moments.request())
    resolveSearch(parsed, requestAt)
    this.parts.vectors?.see(clock)
  }

  async search(parsed: ParsedSearch, complete: Completion = request => request): Promise<ReadableAnswer> {
    const { parts, moments } = this
    return withinTime(parts.searchTimeoutMs, isOver => searchCluster(parsed, { parts, moments, complete, isOver }))
  }

  async readPages<T>(
    urls: readonly string[],
    times: readonly (TimeInput | undefined)[],
    work: (reads: PageReads) => Promise<T>,
  ): Promise<T> {
    const request = await this.moments.request()
    const { instant } = await this.moments.latestOf(times, request)
    const normal = urls.map(url => normalizeUrl(url))
    const clock = { requestAt: request.requestAt, instant, sealedAt: this.sealedAt }
    const { database } = this.parts
    return work(await database.reading(async tx => (await database.index(tx)).reads(normal, clock)))
  }

  async suggest(
    text: string,
    options: { maxResults: number; queryTime: TimeInput | undefined },
  ): Promise<Suggestion[]> {
    const { database, suggester, searchTimeoutMs } = this.parts
    return withinTime(searchTimeoutMs, () => suggester.suggest(text, options, clusterPages(database, this.moments)))
  }

  async relevance(queryTime: TimeInput | undefined): Promise<RelevanceAsOf | undefined> {
    const { instant, clock } = await this.#momentOf(queryTime)
    return this.parts.relevance.at(instant, clock)
  }

  async fields(queryTime: TimeInput | undefined): Promise<FieldTypesAsOf> {
    const { instant } = await this.#momentOf(queryTime)
    return { instant, types: () => this.parts.database.read(sql => fieldsUpTo(sql, instant)) }
  }

  async captureHistogram(maxBins: number): Promise<CaptureHistogram> {
    await this.moments.request()
    return this.parts.database.reading(tx => histogramOf(tx, this.sealedAt, maxBins))
  }

  async export(range: ExportRange): Promise<ExportPart> {
    const { instant } = await this.#momentOf(undefined)
    const { database } = this.parts
    return database.reading(async tx => (await database.index(tx)).export(range, instant))
  }

  async countCaptures(): Promise<Pick<EngineStats, 'captures' | 'urls' | 'oldest' | 'newest'>> {
    await this.moments.request()
    return this.parts.database.reading(tx => countCaptures(tx, this.sealedAt))
  }

  async #momentOf(queryTime: TimeInput | undefined): Promise<Moment> {
    return this.moments.latestOf([queryTime], await this.moments.request())
  }
}

nameServerFailures(ClusterReads)
