import { AsofError } from '@asof/extract/errors'
import { readRetention } from '../dates/retention.ts'

import { EmbeddingModel } from '../ingest/embedding-model.ts'
import { IndexWriter } from '../ingest/index-writer.ts'
import { Intake } from '../ingest/intake.ts'
import type { PassageVectors } from '../ingest/passage-vectors.ts'
import { MergeInPlace } from '../merge/merge-in-place.ts'
import { chooseMerge } from '../merge/merge-policy.ts'
import { MergeThread } from '../merge/merge-thread.ts'
import { modelIdentityOf } from '../models/model-languages.ts'
import type { SearchModels } from '../models/model-search.ts'
import { Reranking } from '../models/reranking.ts'
import { DEFAULT_SEARCH_TIMEOUT_MS } from '../postings/search-time.ts'
import { cacheBudget } from '../scheduling/cache-budget.ts'
import { SearchQueue } from '../scheduling/search-queue.ts'
import { SearchThreads } from '../scheduling/search-threads.ts'
import { SnapshotSearch } from '../scheduling/snapshot-search.ts'
import type { PostingCache } from '../segment/posting-cache.ts'
import { FolderStore } from '../store/folder-store.ts'
import { encodeIdentity, newIdentity } from '../store/identity.ts'
import { identityKey, manifestKey } from '../store/keys.ts'
import { MemoryStore } from '../store/memory-store.ts'
import { Snapshots } from '../store/snapshots/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { CacheCounts } from '../store/store-reader.ts'
import { Suggester } from '../suggest/suggester.ts'
import { StoredVectors } from '../vectors/stored-vectors.ts'
import { tableMemory, VectorTable } from '../vectors/vector-table.ts'
import { defaultSearchThreads, type OpenOptions } from './open-options.ts'

/**
 * Default size of the caches. An index in memory needs less: what it caches is in memory already, only not decoded. And it is opened often,
 * by tests: V8 collects garbage each time that more than 64 MiB were allocated outside of its heap.
 */
const CACHE_BYTES = { folder: 256 * 1024 * 1024, memory: 32 * 1024 * 1024 }
/**
 * Number of captures from which a merge counts as large. Idle analysis threads then end, because the merge needs their
 * memory.
 */
const LARGE_MERGE_CAPTURES = 250_000

/** The parts of an open engine. */
export interface EngineParts {
  store: Store
  snapshots: Snapshots
  writer: IndexWriter
  intake: Intake
  suggester: Suggester
  searches: SearchQueue
  models: SearchModels
  /** Undefined if no embeddings model is in use. */
  embedding?: { stored: StoredVectors; passages: PassageVectors }
  /** The hits and misses of the caches, one for each thread that searches. */
  cacheCounts: readonly CacheCounts[]
  /** Aborts running model calls when the engine closes. */
  stopModels: AbortController
}

/**
 * Opens the store and creates the parts of the engine.
 *
 * @param location - the folder of the index. Undefined for a new index in memory.
 * @param options - checked by `checkOpenOptions`.
 */
export async function openParts(location: string | undefined, options: OpenOptions): Promise<EngineParts> {
  const { cacheBytes = location === undefined ? CACHE_BYTES.memory : CACHE_BYTES.folder } = options
  const { storeCacheBytes, postings } = cacheBudget(cacheBytes)
  const store =
    location === undefined
      ? new MemoryStore(storeCacheBytes)
      : await FolderStore.open(location, { cacheBytes: storeCacheBytes, mappedBytes: cacheBytes / 4 })
  try {
    if (!store.get(identityKey) && !store.get(manifestKey))
      await store.commit([{ type: 'put', key: identityKey, value: encodeIdentity(newIdentity()) }])
    const snapshots = await Snapshots.open(store, postings, { now: options.now ?? Date.now })
    if (snapshots.catalog.identity.upgrade)
      throw new AsofError(
        'ASOF_UPGRADE_UNFINISHED',
        'an upgrade of the index was interrupted: run "asof upgrade" again, which continues it',
      )
    return await partsOver(store, snapshots, { ...options, cacheBytes, postings })
  } catch (error) {
    await store.close()
    throw error
  }
}

async function partsOver(
  store: FolderStore | MemoryStore,
  snapshots: Snapshots,
  options: OpenOptions & { cacheBytes: number; postings: PostingCache },
): Promise<EngineParts> {
  const {
    cacheBytes,
    postings,
    onWarning = (warning: Error) => process.emitWarning(warning),
    mergePolicy = chooseMerge,
    retain,
    searchThreads,
    searchTimeoutMs: timeoutMs = DEFAULT_SEARCH_TIMEOUT_MS,
    embed,
    rerank,
    vectorBytes,
  } = options
  const stored = embed
    ? new StoredVectors(store, modelIdentityOf(embed), new VectorTable(tableMemory(vectorBytes)))
    : new StoredVectors(store)
  const { table } = stored
  const count = searchThreads ?? defaultSearchThreads()
  // An index in memory has no search threads, because other threads cannot read the memory of this one.
  const threads =
    count === 0 || store instanceof MemoryStore
      ? undefined
      : new SearchThreads({
          count,
          location: store.location,
          cacheBytes,
          timeoutMs,
          snapshots,
          onWarning,
          vectors: table?.memory,
        })
  const signals = snapshots.signals.buffer
  const merging = store instanceof MemoryStore ? new MergeInPlace(store, signals) : new MergeThread(store, signals)
  const { analyzer } = snapshots.catalog.identity
  // The threads of the intake start only when there is something to analyze.
  const intake = new Intake({ analyzer, write: entries => writer.write(entries) })
  const { pool } = intake
  const writer: IndexWriter = await IndexWriter.open(store, snapshots, {
    onWarning,
    mergePolicy,
    merging,
    vectors: stored,
    build: plan => pool.build(plan),
    onMergeAtRest: captures => {
      if (captures >= LARGE_MERGE_CAPTURES) pool.shrinkIdle()
    },
    retainAt: retain === undefined ? undefined : readRetention(retain),
  })
  const searches = new SearchQueue({
    snapshots,
    searcher: new SnapshotSearch({ postings, table, timeoutMs }),
    eager: searchThreads !== undefined,
    threads,
  })
  const stopModels = new AbortController()
  const closing = stopModels.signal
  const model = embed && new EmbeddingModel(embed, { stored, store, closing, onWarning })
  const reranking = rerank && new Reranking(rerank, closing)
  return {
    store,
    snapshots,
    writer,
    intake,
    suggester: new Suggester(),
    searches,
    models: { queries: model?.queries, reranking },
    embedding: model && { stored, passages: model.passages },
    cacheCounts: [store.cacheCounts, ...(threads?.cacheCounts ?? [])],
    stopModels,
  }
}
