import { parentPort, workerData } from 'node:worker_threads'
import type { SearchAnswer } from '../engine.ts'
import { type ErrorCode, isAsofError } from '../errors.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { Segment } from '../segment/segment.ts'
import { emptyManifest } from '../store/manifest.ts'
import { type Catalog, type CatalogChange, followChange } from '../store/snapshots/catalog.ts'
import { openDatabase } from '../store/store.ts'
import { StoreReader } from '../store/store-reader.ts'
import { type TableMemory, VectorTable } from '../vectors/vector-table.ts'
import { cacheBudget } from './cache-budget.ts'
import { SnapshotSearch } from './snapshot-search.ts'

/** The start parameters of a search thread. */
export interface SearchThreadData {
  /** The LevelDB folder. */
  location: string
  /** The thread's share of the cache budget. */
  cacheBytes: number
  /** The vectors in memory, if an embeddings model is in use. */
  vectors?: TableMemory
  /** Processor time that one search may take, milliseconds. Default: see `answer`. */
  timeoutMs?: number
}

/** A checked search, as of one instant, on the catalog that results from the changes sent before it. */
export interface SearchTask {
  id: number
  request: SearchRequest
  /** Epoch ms. */
  instant: number
}

/** An error as plain data, because threads cannot send instances of classes with their fields. */
export interface SearchFailure {
  /** Undefined for errors without a code, which are bugs. */
  code?: ErrorCode
  message: string
  details?: Record<string, unknown>
  stack?: string
}

export type SearchMessage = { task: SearchTask } | { change: CatalogChange } | 'stop'
export type SearchReply = { id: number; answer: SearchAnswer } | { id: number; failure: SearchFailure } | 'followed'

const port = parentPort
if (!port) throw new TypeError('search-worker.ts runs as a worker thread')
const { location, cacheBytes, vectors, timeoutMs } = workerData as SearchThreadData
const { storeCacheBytes, postings } = cacheBudget(cacheBytes)
const database = await openDatabase(location)
const store = new StoreReader(database, storeCacheBytes)
const searcher = new SnapshotSearch({ table: vectors && new VectorTable(vectors), timeoutMs })
let catalog: Catalog = { manifest: emptyManifest, segments: [] }

function follow(change: CatalogChange): void {
  catalog = followChange(
    catalog,
    change,
    (info, columns) => new Segment(info, columns, store.chunks(info.id), postings),
  )
  port?.postMessage('followed' satisfies SearchReply)
}

function reply({ id, request, instant }: SearchTask): SearchReply {
  try {
    return { id, answer: searcher.answer(request, { store, catalog, instant }) }
  } catch (error) {
    return { id, failure: failureOf(error) }
  }
}

function failureOf(error: unknown): SearchFailure {
  if (!(error instanceof Error)) return { message: String(error) }
  const failure: SearchFailure = { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) }
  if (!isAsofError(error)) return failure
  return { ...failure, code: error.code, ...(error.details && { details: { ...error.details } }) }
}

/** Closes LevelDB and ends the thread. */
async function stop(): Promise<void> {
  await database.close()
  port?.close()
}

port.on('message', (message: SearchMessage) => {
  if (message === 'stop') void stop()
  else if ('change' in message) follow(message.change)
  else port.postMessage(reply(message.task))
})
