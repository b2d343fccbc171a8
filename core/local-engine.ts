import { LRUCache } from 'lru-cache'
import { answer } from './answer.ts'
import type { AddReport, Engine, EngineStats, SearchAnswer, SearchOptions } from './engine.ts'
import { AsofError } from './errors.ts'
import { addCaptures } from './ingest/add-captures.ts'
import { AnalysisPool } from './ingest/analysis-pool.ts'
import type { Outcome } from './ingest/commit-batch.ts'
import { GroupCommit } from './ingest/group-commit.ts'
import { type CurrentCapture, currentAt } from './ingest/history.ts'
import { IndexWriter, type Reading } from './ingest/index-writer.ts'
import type { CaptureInput, Page, TimeInput } from './page.ts'
import { readRequest } from './search/search-request.ts'
import type { PostingCache } from './segment/segment.ts'
import { placeOf } from './store/catalog.ts'
import { aliasKey, identityKey, urlKey } from './store/keys.ts'
import { decodeIdentity, encodeIdentity, FORMAT } from './store/manifest.ts'
import { chooseMerge, type MergePolicy } from './store/merge-policy.ts'
import { Store } from './store/store.ts'
import { readBody, readDocument } from './store/stored-page.ts'
import { decodeUrlRecord } from './store/url-record.ts'
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

/** What an opened posting list costs in objects, besides its bytes; and knowing that there is none. Measured. */
const LIST_OVERHEAD_BYTES = 1500
const ABSENT_BYTES = 200

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
        sizeCalculation: found => (found.list ? LIST_OVERHEAD_BYTES + found.list.bytes : ABSENT_BYTES),
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
    return this.#writer.read(
      requestAt => {
        const request = readRequest(query, options, requestAt)
        return { request, queryAt: request.times.queryAt }
      },
      ({ request }, reading) => {
        this.#mustBeOpen()
        const currentOf = (url: string): CurrentCapture | undefined => this.#currentOf(url, reading)
        return answer(query, request, { ...reading, store: this.#store, currentOf })
      },
    )
  }

  async page(url: string, options: { queryTime?: TimeInput } = {}): Promise<Page | undefined> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    return this.#writer.read(
      requestAt => resolveTimes({ queryTime: options.queryTime }, requestAt),
      (_, reading) => {
        this.#mustBeOpen()
        return this.#pageAt(normal, reading)
      },
    )
  }

  #pageAt(url: string, reading: Reading): Page | undefined {
    const current = this.#currentOf(url, reading)
    if (!current) return undefined
    const { segment, ordinal } = placeOf(reading.catalog, current.captureId, current.at)
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
    return (await this.#observe('sighting', url)) === 'unchanged'
  }

  async remove(url: string): Promise<boolean> {
    return (await this.#observe('removal', url)) === 'removed'
  }

  async #observe(kind: 'sighting' | 'removal', url: string): Promise<Outcome> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    const isKnown = this.#currentAt(normal, await this.#writer.latest()) !== undefined
    const target = isKnown ? normal : (this.#aliased(normal) ?? normal)
    const [outcome] = await this.#commits.submit([{ kind, url: target }], 0)
    return outcome
  }

  async purge(url: string): Promise<number> {
    this.#mustBeOpen()
    const normal = normalizeUrl(url)
    // A page that was removed is still known by its own URL.
    return this.#writer.purge(this.#store.get(urlKey(normal)) ? normal : (this.#aliased(normal) ?? normal))
  }

  async stats(): Promise<EngineStats> {
    this.#mustBeOpen()
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
    try {
      await this.#writer.close()
    } finally {
      await this.#pool.close().finally(() => this.#store.close())
    }
  }

  /** The page at the URL, or else at the URL that it is an alias of. */
  #currentOf(url: string, reading: Reading): CurrentCapture | undefined {
    const own = this.#currentAt(url, reading)
    const aliased = own ? undefined : this.#aliased(url)
    return own ?? (aliased === undefined ? undefined : this.#currentAt(aliased, reading))
  }

  #currentAt(url: string, { instant, catalog }: Reading): CurrentCapture | undefined {
    const bytes = this.#store.get(urlKey(url))
    if (!bytes) return undefined
    // A batch that is on disk but not in the catalog yet has not happened.
    const known = decodeUrlRecord(bytes).filter(
      observation => observation.kind !== 'capture' || observation.captureId < catalog.manifest.nextCaptureId,
    )
    return currentAt(known, instant)
  }

  #aliased(url: string): string | undefined {
    const target = this.#store.get(aliasKey(url))
    return target && Buffer.from(target).toString()
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
      `the store was indexed with analyzer ${analyzer}, this asof has ${analyzerIdentity}: open it with the asof that made it, or add its pages to a new folder`,
    )
}
