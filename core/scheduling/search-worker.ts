import { workerData } from 'node:worker_threads'
import { Transferred } from '@asof/extract/processes'
import type { ResolvedSearch } from '../search/resolve-search.ts'
import type { SearchAnswer } from '../search/search-answer.ts'
import { Segment } from '../segment/segment.ts'
import type { SharedListMemory } from '../segment/shared-lists.ts'
import { openDatabase } from '../store/database.ts'
import type { Identity } from '../store/identity.ts'
import { emptyManifest } from '../store/manifest.ts'
import { type Catalog, type CatalogChange, followChange } from '../store/snapshots/catalog.ts'
import { CacheCounts, StoreReader } from '../store/store-reader.ts'
import { addPage, newestPages } from '../suggest/newest-pages.ts'
import { type TitleColumns, TitleColumnsBuilder, titleBuffersOf } from '../suggest/title-columns.ts'
import { serveParentThread } from '../threads/parent-thread.ts'
import { type TableMemory, VectorTable } from '../vectors/vector-table.ts'
import { cacheBudget, sharingBudget } from './cache-budget.ts'
import { SnapshotSearch } from './snapshot-search.ts'

/** The start parameters of a search thread. */
export interface SearchThreadData {
  /** The LevelDB folder. */
  location: string
  identity: Identity
  /** Size of the thread's caches, bytes. */
  cacheBytes: number
  /** The posting lists that all threads share, and the number of this thread. Undefined if there is only one thread. */
  shared?: { memory: SharedListMemory; thread: number }
  /** The memory in which the thread counts the hits and misses of its cache. */
  cacheCounts: SharedArrayBuffer
  /** The vectors in memory. Undefined without an embeddings model. */
  vectors?: TableMemory
  /** Processor time that one search may take, milliseconds. Default: see `AnswerContext`. */
  timeoutMs?: number
}

/** A checked search, and the instant that it answers as of. */
export interface SearchTask {
  request: ResolvedSearch
  /** Epoch ms. */
  instant: number
}

/** Requests and notices to a search thread. */
export interface SearchCalls {
  search: (task: SearchTask) => SearchAnswer
  /** Collects the titles of the newest pages for suggestions. @param instant - epoch ms. */
  titles: (instant: number) => TitleColumns
  /** Tells the thread that the catalog has changed. There is no answer. */
  follow: (change: CatalogChange) => void
  /** Returns when the thread has applied all changes that were sent before. */
  caughtUp: () => void
}

/** Notices from a search thread to the thread that started it. */
export interface SearchHostCalls {
  /** The thread has opened the index and applied the first change. */
  begun: () => void
}

const { location, identity, cacheBytes, shared, cacheCounts, vectors, timeoutMs } = workerData as SearchThreadData
const { storeCacheBytes, postings } = shared
  ? sharingBudget(cacheBytes, shared.memory, shared.thread)
  : cacheBudget(cacheBytes)
const database = await openDatabase(location)
const store = new StoreReader(database, storeCacheBytes, new CacheCounts(cacheCounts))
const searcher = new SnapshotSearch({ postings, table: vectors && new VectorTable(vectors), timeoutMs })
let catalog: Catalog = { identity, manifest: emptyManifest, segments: [] }

let hasBegun = false

function follow(change: CatalogChange): void {
  catalog = followChange(
    catalog,
    change,
    (info, columns) => new Segment(info, columns, store.chunks(info.id), postings),
  )
  if (!hasBegun) void host.notify('begun', undefined)
  hasBegun = true
}

function search({ request, instant }: SearchTask): SearchAnswer {
  return searcher.answer(request, { store, catalog, instant })
}

function titles(instant: number): Transferred<TitleColumns> {
  const builder = new TitleColumnsBuilder()
  for (const page of newestPages(catalog.segments, instant, store)) addPage(builder, page)
  const columns = builder.build()
  return new Transferred(columns, titleBuffersOf(columns))
}

const host = serveParentThread<SearchCalls, SearchHostCalls>(
  { search, titles, follow, caughtUp: () => {} },
  { release: () => database.close() },
)
