import { LRUCache } from 'lru-cache'
import { answer } from './answer.ts'
import type { AddReport, Engine, EngineStats, SearchAnswer, SearchOptions } from './engine.ts'
import { AsofError } from './errors.ts'
import { addCaptures } from './ingest/add-captures.ts'
import { AnalysisPool } from './ingest/analysis-pool.ts'
import { GroupCommit } from './ingest/group-commit.ts'
import { currentAt } from './ingest/history.ts'
import { IndexWriter } from './ingest/index-writer.ts'
import type { CaptureInput, Page, TimeInput } from './page.ts'

import type { PostingCache } from './segment/segment.ts'
import { placeOf } from './store/catalog.ts'
import { aliasKey, identityKey, urlKey } from './store/keys.ts'
import { decodeIdentity, encodeIdentity, FORMAT } from './store/manifest.ts'
import { chooseMerge, type MergePolicy } from './store/merge-policy.ts'
import { Store } from './store/store.ts'
import { readBody, readDocument } from './store/stored-page.ts'
import { decodeUrlRecord, type UrlRecord } from './store/url-record.ts'
import { analyzerIdentity } from './text/tokens.ts'
import { resolveTimes } from './time/resolve-times.ts'
import { normalizeUrl } from './url.ts'

export interface OpenOptions {
  /** The engine's clock, epoch ms. Default `Date.now`. */
  now?: () => number
  /** Memory for posting lists and other pieces of segments. Default 128 MiB. */
  cacheBytes?: number
  /** Told of failures that harm no answer, such as a merge that has to be tried again. Default: a process warning. */
  onWarning?: (warning: Error) => void
  /** Which segments to merge next. Changes no answer. Default: tiers, see `store/merge-policy.ts`. */
  mergePolicy?: MergePolicy
}

const DEFAULT_CACHE_BYTES = 128 * 1024 * 1024
/** Share of the cache for chunks as the store holds them; the rest is for opened posting lists. */
const CHUNK_SHARE = 0.25

/** The {@link Engine} over a LevelDB folder of this machine. */
export class LocalEngine implements Engine {
  readonly #store: Store
  readonly #writer: IndexWriter
  readonly #commits: GroupCommit
  readonly #pool = new AnalysisPool()
  #closing: Promise<void> | undefined

  private constructor(store: Store, writer: IndexWriter) {
    this.#store = store
    this.#writer = writer
    this.#commits = new GroupCommit(entries => writer.write(entries))
  }

  static async open(location: string, options: OpenOptions = {}): Promise<LocalEngine> {
    const {
      now = Date.now,
      cacheBytes = DEFAULT_CACHE_BYTES,
      onWarning = (warning: Error) => process.emitWarning(warning),
      mergePolicy = chooseMerge,
    } = options
    const store = await Store.open(location, { chunkCacheBytes: Math.floor(cacheBytes * CHUNK_SHARE) })
    try {
      await checkIdentity(store)
      const cache: PostingCache = new LRUCache({
        maxSize: Math.floor(cacheBytes * (1 - CHUNK_SHARE)),
        sizeCalculation: found => 256 + (found.list?.bytes ?? 0),
      })
      const writer = await IndexWriter.open(store, cache, { now, onWarning, mergePolicy })
      return new LocalEngine(store, writer)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  async add(captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>): Promise<AddReport> {
    this.#mustBeOpen()
    return addCaptures(captures, { pool: this.#pool, commits: this.#commits, now: () => this.#writer.currentInstant() })
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    this.#mustBeOpen()
    await this.#writer.readable()
    this.#mustBeOpen()
    return answer(query, options, {
      store: this.#store,
      catalog: this.#writer.catalog,
      requestAt: this.#writer.currentInstant(),
      noteAnswer: instant => this.#writer.noteAnswer(instant),
      recordOf: url => this.#recordOf(url),
    })
  }

  async page(url: string, options: { queryTime?: TimeInput } = {}): Promise<Page | undefined> {
    this.#mustBeOpen()
    await this.#writer.readable()
    this.#mustBeOpen()
    const requestAt = this.#writer.currentInstant()
    const instant = resolveTimes({ queryTime: options.queryTime }, requestAt).queryAt ?? requestAt
    this.#writer.noteAnswer(instant)
    const record = this.#recordOf(normalizeUrl(url))
    const current = record && currentAt(record, instant)
    if (!current) return undefined
    const { segment, ordinal } = placeOf(this.#writer.catalog, current.captureId, current.at)
    const document = readDocument(this.#store, current.captureId)
    const { details, markdown } = readBody(this.#store, document)
    const { publishedFrom, ...rest } = details
    const publishedAt = segment.columns.publishedAt[ordinal]
    return {
      url: document.url,
      title: document.title,
      ...rest,
      ...(!Number.isNaN(publishedAt) && { publishedAt, ...(publishedFrom && { publishedFrom }) }),
      acquiredAt: current.at,
      lastSeenAt: current.lastSeenAt,
      markdown,
    }
  }

  async seen(url: string): Promise<boolean> {
    this.#mustBeOpen()
    const [outcome] = await this.#commits.submit([{ kind: 'sighting', url: this.#resolved(url) }], 0)
    return outcome === 'unchanged'
  }

  async remove(url: string): Promise<boolean> {
    this.#mustBeOpen()
    const [outcome] = await this.#commits.submit([{ kind: 'removal', url: this.#resolved(url) }], 0)
    return outcome === 'removed'
  }

  async purge(url: string): Promise<number> {
    this.#mustBeOpen()
    return this.#writer.purge(this.#resolved(url))
  }

  async stats(): Promise<EngineStats> {
    this.#mustBeOpen()
    await this.#writer.readable()
    const { manifest, segments } = this.#writer.catalog
    const stats: EngineStats = {
      captures: segments.reduce((total, { captures, purged }) => total + captures - purged.length, 0),
      urls: manifest.urls,
      segments: segments.length,
      terms: segments.reduce((total, { info }) => total + info.terms, 0),
      bytes: await this.#store.bytesOnDisk(),
    }
    if (segments.length > 0) {
      stats.oldest = Math.min(...segments.map(({ info }) => info.minAcquiredAt))
      stats.newest = Math.max(...segments.map(({ info }) => info.maxAcquiredAt))
    }
    return stats
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#writer.close()
    await this.#pool.close()
    await this.#store.close()
  }

  /** The URL itself when the store knows it, else the URL it is an alias of, else itself. */
  #resolved(url: string): string {
    const normal = normalizeUrl(url)
    if (this.#store.get(urlKey(normal))) return normal
    const target = this.#store.get(aliasKey(normal))
    return target ? Buffer.from(target).toString() : normal
  }

  #recordOf(normal: string): UrlRecord | undefined {
    const bytes = this.#store.get(urlKey(this.#resolved(normal)))
    return bytes && decodeUrlRecord(bytes)
  }

  #mustBeOpen(): void {
    if (this.#closing) throw new AsofError('ASOF_CLOSED', 'the engine is closed')
  }
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
      `the store was indexed with analyzer ${analyzer}, this asof has ${analyzerIdentity}: export and import it anew`,
    )
}
