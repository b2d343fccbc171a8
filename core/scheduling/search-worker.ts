import { workerData } from 'node:worker_threads'
import type { SearchAnswer } from '../engine.ts'
import { currentCapture } from '../history/current-capture.ts'
import { answer } from '../search/answer.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { Segment } from '../segment/segment.ts'
import { emptyManifest } from '../store/manifest.ts'
import { type Catalog, type CatalogChange, followChange } from '../store/snapshots/catalog.ts'
import { openDatabase } from '../store/store.ts'
import { StoreReader } from '../store/store-reader.ts'
import { serveParentThread } from '../threads/parent-thread.ts'
import { type TableMemory, VectorTable } from '../vectors/vector-table.ts'
import { cacheBudget } from './cache-budget.ts'

/** What a search thread is started with. */
export interface SearchThreadData {
  /** The LevelDB folder. */
  location: string
  /** The thread's share of the cache budget. */
  cacheBytes: number
  /** The vectors in memory, when a model is in use. */
  vectors?: TableMemory
  /** Processor time that one search may take, milliseconds. Default: see `answer`. */
  timeoutMs?: number
}

/** A search that has been checked, as of one instant of the catalog that the changes sent before it make. */
export interface SearchTask {
  text: string
  request: SearchRequest
  /** Epoch ms. */
  instant: number
}

/** What a search thread answers. */
export interface SearchCalls {
  search: (task: SearchTask) => SearchAnswer
  /** A notice. */
  follow: (change: CatalogChange) => void
  /** Returns once the changes sent before have been followed. */
  caughtUp: () => void
}

/** What a search thread tells the thread that started it. */
export interface SearchHostCalls {
  /** The thread has the index open and has followed the first change. */
  begun: () => void
}

const { location, cacheBytes, vectors, timeoutMs } = workerData as SearchThreadData
const { storeCacheBytes, postings } = cacheBudget(cacheBytes)
const database = await openDatabase(location)
const store = new StoreReader(database, storeCacheBytes)
const table = vectors && new VectorTable(vectors)
let catalog: Catalog = { manifest: emptyManifest, segments: [] }

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

function search({ text, request, instant }: SearchTask): SearchAnswer {
  const reading = { store, catalog, instant }
  const limit = timeoutMs !== undefined && { timeoutMs }
  return answer(text, request, { ...reading, table, ...limit, currentOf: url => currentCapture(url, reading) })
}

const host = serveParentThread<SearchCalls, SearchHostCalls>(
  { search, follow, caughtUp: () => {} },
  { release: () => database.close() },
)
